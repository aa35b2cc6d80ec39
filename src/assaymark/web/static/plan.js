// The cost moves with the words of the sentence; saving one form leaves the other as it is.
(() => {
  const mark = document.querySelector("meta[name=assaymark-token]").content;
  const root = document.querySelector("meta[name=assaymark-root]").content;
  const send = async (sent) => {
    try {
      const answer = await fetch(sent.getAttribute("action"), {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json", "x-assaymark-token": mark },
        body: new URLSearchParams(new FormData(sent)),
      });
      return await answer.json();
    } catch { return { error: "The server does not answer. Is it still running?" }; }
  };
  const page = document.getElementById("page");
  page?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const told = document.getElementById("kept");
    told.textContent = "saving…";
    const found = await send(page);
    page.querySelectorAll("[aria-invalid]").forEach((one) => one.removeAttribute("aria-invalid"));
    if (found.field) page.elements[found.field]?.setAttribute("aria-invalid", "true");
    told.textContent = found.saved ? "saved ✓" : found.error;
    told.className = `saved ${found.saved ? "good" : "bad"}`;
    if (found.title) document.querySelector(".project").textContent = found.title;
  });
  page?.addEventListener("input", () => { document.getElementById("kept").textContent = ""; });

  const form = document.getElementById("wish");
  if (!form) return;
  const rows = document.querySelector("#cost tbody");
  // money has a column where somebody set a price of a label
  const figures = ["expected", "usual", "unlucky", ...(rows.parentElement.querySelector(".money") ? ["money"] : [])];
  const byScores = document.getElementById("by-scores");
  const advice = document.getElementById("advice");
  const wall = document.getElementById("wall");
  const seal = document.getElementById("seal");
  const ranges = ["precision", "recall"].map((name) => form.elements[name]);
  const problem = document.getElementById("problem");
  const ABOUT = { fixed: "Judged once: the chance at each size of the plan." };
  const OTHER = "The number of labels is a matter of luck: the chance to have passed by then. Drawn through the typical and the bad-luck number.";
  let chosen = null, timer = 0, round = 0, curves = {}, table = [], doubtful = false;
  const modeNow = () => form.elements.mode?.value || "";
  const drawCurve = () => {
    const mode = modeNow();
    const picture = new DOMParser().parseFromString(curves[mode] || `<p class='quiet'>${doubtful ? "No curve: judging by these values the claim looks false." : table.length ? "There is no curve for this way of judging." : "No curve yet."}</p>`, "text/html");
    document.getElementById("curve").replaceChildren(...picture.body.childNodes);
    document.getElementById("curve-about").textContent = curves[mode] ? ABOUT[mode] ?? OTHER : "";
  };
  const invalid = (name) => {
    form.querySelectorAll("[aria-invalid]").forEach((one) => one.removeAttribute("aria-invalid"));
    if (name && form.elements[name]) form.elements[name].setAttribute("aria-invalid", "true");
  };

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
    radio.addEventListener("change", () => { chosen = row.mode; drawCurve(); });
    const name = cell("strong", row.title);
    const about = cell("span", row.about, "quiet about");
    label.append(radio, " ", name, document.createElement("br"), about);
    head.append(label);
    made.append(head);
    if (row.reason) {
      const why = cell("td", `Not possible: ${row.reason}.`, "quiet");
      why.colSpan = figures.length;
      made.append(why);
    } else {
      for (const key of figures) made.append(cell("td", row[key], "number"));
    }
    return made;
  };
  const ask = async () => {
    const mine = ++round;
    seal.disabled = true;  // until the forecast of these words is there: the dialog repeats it
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
      invalid(found.field ?? "target");
      advice.textContent = found.error;
      advice.classList.add("wrong");
      [curves, table, doubtful] = [{}, [], false];
      drawCurve();
      wall.hidden = true;
      seal.disabled = true;
      return;
    }
    invalid(null);
    table = found.rows;
    doubtful = Boolean(found.looks_false);
    form.elements.anyway.value = doubtful ? "yes" : "";  // the dialog says so before it is sealed
    rows.replaceChildren(...found.rows.map((row) => line(row, found.recommended)));
    advice.textContent = found.sentence;
    advice.classList.remove("wrong");
    wall.hidden = !found.wall;
    wall.textContent = found.wall ?? "";
    seal.disabled = found.rows.every((row) => row.reason);
    curves = found.curves;
    drawCurve();
  };
  form.addEventListener("input", (event) => {
    if (event.target.name === "mode") return;
    if (event.target.name === "metric") {
      const low = ["elusion", "prevalence"].includes(event.target.value);
      const typed = form.elements.target.value.trim().replace(",", ".");
      const target = typed.endsWith("%") || Number(typed) > 1 ? parseFloat(typed) / 100 : Number(typed);
      if (low && target > 0.2) form.elements.target.value = "0.01";
      if (!low && target <= 0.2) form.elements.target.value = "0.75";
    }
    seal.disabled = true;
    clearTimeout(timer);
    timer = setTimeout(ask, 250);
  });
  // sealing asks once, and a refusal loses nothing that was typed
  const dialog = document.getElementById("sealing");
  const words = () => {
    const metric = form.elements.metric, row = table.find((one) => one.mode === modeNow());
    const side = document.getElementById("side").textContent;
    document.getElementById("sealing-claim").textContent = `${metric.selectedOptions[0].text} is ${side} ${form.elements.target.value} with ${form.elements.confidence.selectedOptions[0].text} confidence.`;
    const doubt = doubtful ? ` ${advice.textContent}` : "";
    const labels = row?.expected && !doubtful ? `About ${row.expected} labels on average, ${row.unlucky ?? "many more"} with bad luck${row.money ? `; ${row.money} on average` : ""}.`
      : doubtful ? "It looks false, and then no number of labels proves it." : "How many labels it takes cannot be forecast.";
    document.getElementById("sealing-cost").textContent = row ? `${row.title}: ${row.about[0].toLowerCase()}${row.about.slice(1)} ${labels}${doubt}` : "";
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!form.reportValidity()) return;
    words();
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", async () => {
    if (dialog.returnValue !== "yes") return;
    seal.disabled = true;
    seal.textContent = "Sealing…";
    problem.hidden = true;
    const found = await send(form);
    if (found.where) { location.assign(root + found.where); return; }
    problem.textContent = found.error;
    problem.hidden = false;
    invalid(found.field);
    seal.disabled = false;
    seal.textContent = "Seal plan";
  });
  ask();
})();
