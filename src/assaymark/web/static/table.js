// Says at once what is wrong with the columns as they are named; nothing typed is ever lost.
(() => {
  const form = document.getElementById("begin");
  const root = document.querySelector("meta[name=assaymark-root]").content;
  const mark = document.querySelector("meta[name=assaymark-token]").content;
  const $ = (id) => document.getElementById(id);
  let round = 0, timer = 0;

  const post = async (path, data) => {
    const answer = await fetch(root + path, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-assaymark-token": mark },
      body: JSON.stringify(data),
    });
    const text = await answer.text();
    try { return JSON.parse(text); } catch { return { error: text.slice(0, 300) }; }
  };
  const purpose = () => form.elements.purpose.value;
  const values = () => {
    const found = { table: form.dataset.table, title: $("title").value, purpose: purpose() };
    for (const name of ["id", "score", "threshold", "prediction", "positive"]) found[name] = $(name).value;
    if ($("positive-box").hidden) found.positive = "";
    found.classes = !$("classes-box").hidden && $("classes").checked;
    found.groups = [...form.querySelectorAll("input[name=groups]:checked")].map((box) => box.value);
    found.text = [...form.querySelectorAll("input[name=text]:checked")].map((box) => box.value);
    form.querySelectorAll(`.asked[data-for=${purpose()}] [data-name]`).forEach((field) => { found[field.dataset.name] = field.value; });
    return found;
  };
  const showParts = () => {
    form.querySelectorAll(".asked").forEach((box) => { box.hidden = box.dataset.for !== purpose(); });
    const compared = purpose() === "compare" ? ["a", "b"] : [];
    const hidden = ["id", "score", "prediction", ...compared].map((name) => $(name).value);  // nobody reads these
    form.querySelectorAll("input[name=text]").forEach((box) => {
      box.disabled = hidden.includes(box.value);
      box.checked &&= !box.disabled;
    });
    $("threshold-box").hidden = !$("score").value || Boolean($("prediction").value);
  };
  const marked = (field) => {
    form.querySelectorAll("[aria-invalid]").forEach((one) => one.removeAttribute("aria-invalid"));
    if (!field) return;
    const box = form.querySelector(`.asked[data-for=${purpose()}] [data-name="${field}"]`) ?? form.elements[field];
    box?.setAttribute?.("aria-invalid", "true");
    box?.focus?.();
  };
  const check = async () => {
    const mine = ++round;
    let found;
    try { found = await post("/start/check", values()); } catch { found = { error: "The server does not answer." }; }
    if (mine !== round) return;
    form.querySelectorAll("[aria-invalid]").forEach((one) => one.removeAttribute("aria-invalid"));
    if (found.field) $(found.field)?.setAttribute("aria-invalid", "true");
    const findings = found.findings ?? [{ level: "wrong", sentence: found.error }];
    assaymarkFindings($("findings"), findings);
    $("attach-box").hidden = !found.files;
    if (found.files) assaymarkFiles(found.files);
    const kept = $("positive").value;
    $("positive").replaceChildren(...["", ...(found.values ?? [])].map((value) => new Option(value || "choose", value, false, value === kept)));
    $("classes-box").hidden = !found.names;
    $("positive-box").hidden = !found.values?.length || (found.names && $("classes").checked);
    const wrong = findings.find((one) => one.level === "wrong");
    $("go").disabled = Boolean(wrong);
    $("problem").hidden = !wrong;
    if ($("problem").textContent !== (wrong?.sentence ?? "")) $("problem").textContent = wrong?.sentence ?? "";
  };
  form.addEventListener("input", (event) => {
    event.target.removeAttribute?.("aria-invalid");
    showParts();
    clearTimeout(timer);
    timer = setTimeout(check, 250);
  });
  form.addEventListener("assaymark-sent", check);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = $("go"), problem = $("problem");
    button.disabled = true;
    button.textContent = "Reading the table…";
    problem.hidden = true;
    let found;
    try { found = await post("/start/begin", values()); } catch { found = { error: "The server does not answer. Is it still running?" }; }
    if (found.where) { location.assign(root + found.where); return; }
    problem.textContent = found.error;
    problem.hidden = false;
    marked(found.field);
    button.disabled = false;
    button.textContent = "Begin";
  });
  showParts();
  check();
})();
