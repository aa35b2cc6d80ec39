// Words that can be clicked make a claim; the server reads it, and says what it costs or where it slips.
(() => {
  const form = document.getElementById("words");
  if (!form) return;
  const mark = document.querySelector("meta[name=assaymark-token]").content;
  const root = document.querySelector("meta[name=assaymark-root]").content;
  const text = document.getElementById("claim-words");
  const slip = document.getElementById("claim-slip");
  const table = document.getElementById("claim-cost");
  const told = document.getElementById("claim-told");
  const seal = document.getElementById("claim-seal");
  let timer = 0, round = 0, cost = "";

  const row = (part) => {
    const made = document.createElement("tr");
    part.forEach((value, place) => {
      const cell = document.createElement(place ? "td" : "th");
      if (!place) cell.scope = "row";
      if (place === 2) cell.className = "number";
      cell.textContent = value;
      made.append(cell);
    });
    return made;
  };
  const show = (found, error) => {
    slip.hidden = !error;
    slip.textContent = error || "";
    table.hidden = !found;
    table.tBodies[0].replaceChildren(...(found ? found.parts.map(row) : []));
    told.textContent = found ? `${found.claim}. ${found.sentence}` : error ? "" : told.dataset.empty;
    seal.disabled = !found;
    cost = found?.sentence ?? "";
    form.elements.anyway.value = found?.doubtful ? "yes" : "";  // the dialog says so before it is sealed
  };
  const ask = async () => {
    const mine = ++round;
    if (!text.value.trim()) return show(null, "");
    const asked = { claim: text.value, confidence: form.elements.confidence.value, expect: form.elements.expect.value };
    let found = null, error = "";
    try {
      const reply = await fetch(`${root}/plan/words`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-assaymark-token": mark, accept: "application/json" },
        body: JSON.stringify(asked),
      });
      const data = await reply.json();
      error = data.error ?? "";
      if (!error) found = data;
    } catch { error = "The server does not answer."; }
    if (mine === round) show(found, error);
  };
  // sealing asks once
  const dialog = document.getElementById("claim-sealing");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const confidence = form.elements.confidence.selectedOptions[0].text;
    document.getElementById("claim-sealing-words").textContent = `${text.value.trim()}, with ${confidence} confidence.`;
    document.getElementById("claim-sealing-cost").textContent = cost;
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "yes") return;
    seal.disabled = true;
    seal.textContent = "Sealing…";
    form.submit();
  });
  const later = () => { seal.disabled = true; clearTimeout(timer); timer = setTimeout(ask, 350); };
  text.addEventListener("input", later);
  form.elements.expect.addEventListener("input", later);
  form.elements.confidence.addEventListener("change", later);
  document.getElementById("claim-empty").addEventListener("click", () => { text.value = ""; show(null, ""); text.focus(); });
  for (const word of form.querySelectorAll("[data-word]")) {
    word.addEventListener("click", () => {
      text.value = `${text.value.trimEnd()} ${word.dataset.word}`.trimStart();
      later();
    });
  }
})();
