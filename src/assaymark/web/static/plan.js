// The cost moves with the words of the sentence.
(() => {
  const form = document.getElementById("wish");
  if (!form) return;
  const mark = document.querySelector("meta[name=assaymark-token]").content;
  const root = document.querySelector("meta[name=assaymark-root]").content;
  const rows = document.querySelector("#cost tbody");
  const byScores = document.getElementById("by-scores");
  const advice = document.getElementById("advice");
  const wall = document.getElementById("wall");
  const seal = document.getElementById("seal");
  const ranges = ["precision", "recall"].map((name) => form.elements[name]);
  let chosen = null, timer = 0, round = 0;

  const values = () => {
    const found = {};
    for (const name of ["metric", "target", "confidence"]) found[name] = form.elements[name].value;
    if (!byScores?.checked) for (const range of ranges) found[range.name] = range.value;
    return found;
  };
  const cell = (tag, text, name) => {
    const made = document.createElement(tag);
    made.textContent = text ?? "–";
    if (name) made.className = name;
    return made;
  };
  const line = (row, recommended) => {
    const made = document.createElement("tr");
    const head = cell("th", "");
    head.scope = "row";
    const label = document.createElement("label");
    const radio = document.createElement("input");
    radio.type = "radio"; radio.name = "mode"; radio.value = row.mode; radio.required = true;
    radio.disabled = Boolean(row.reason);
    radio.checked = !row.reason && row.mode === (chosen ?? recommended);
    radio.addEventListener("change", () => { chosen = row.mode; });
    const name = cell("strong", row.title);
    const about = cell("span", row.about, "quiet");
    label.append(radio, " ", name, document.createElement("br"), about);
    head.append(label);
    made.append(head);
    if (row.reason) {
      const why = cell("td", `Not possible: ${row.reason}.`, "quiet");
      why.colSpan = 4;
      made.append(why);
    } else {
      for (const key of ["expected", "usual", "unlucky", "money"]) made.append(cell("td", row[key], "number"));
    }
    return made;
  };
  const ask = async () => {
    const mine = ++round;
    for (const range of ranges) {
      range.disabled = Boolean(byScores?.checked);
      document.getElementById(`${range.name}-shown`).textContent = Number(range.value).toFixed(2);
    }
    const metric = form.elements.metric.value;
    document.getElementById("side").textContent = ["elusion", "prevalence"].includes(metric) ? "at most" : "at least";
    rows.parentElement.setAttribute("aria-busy", "true");
    let found;
    try {
      const answer = await fetch(`${root}/plan/forecast`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", "x-assaymark-token": mark },
        body: JSON.stringify(values()),
      });
      found = await answer.json();
    } catch {
      found = { error: "The server does not answer. Is it still running?" };
    }
    if (mine !== round) return;
    rows.parentElement.removeAttribute("aria-busy");
    if (found.error) {
      rows.replaceChildren();
      advice.textContent = found.error;
      wall.hidden = true;
      seal.disabled = true;
      return;
    }
    rows.replaceChildren(...found.rows.map((row) => line(row, found.recommended)));
    advice.textContent = found.sentence;
    wall.hidden = !found.wall;
    wall.textContent = found.wall ?? "";
    seal.disabled = found.rows.every((row) => row.reason);
    const picture = new DOMParser().parseFromString(found.curve || "<p class='quiet'>No simple random sample proves this claim, so there is no curve.</p>", "text/html");
    document.getElementById("curve").replaceChildren(...picture.body.childNodes);
  };
  form.addEventListener("input", (event) => {
    if (event.target.name === "mode") return;
    if (event.target.name === "metric") {
      const low = ["elusion", "prevalence"].includes(event.target.value);
      const target = Number(form.elements.target.value);
      if (low && target > 0.2) form.elements.target.value = "0.01";
      if (!low && target <= 0.2) form.elements.target.value = "0.75";
    }
    clearTimeout(timer);
    timer = setTimeout(ask, 250);
  });
  form.addEventListener("submit", () => { seal.disabled = true; seal.textContent = "Sealing…"; });
  ask();
})();
