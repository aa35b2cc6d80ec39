// Asks for counts only, which are no look; looking again is the lead's choice and goes on record.
(() => {
  const verdict = document.getElementById("verdict");
  const again = document.getElementById("again");
  const live = document.getElementById("live");
  if (!verdict || !again) return;
  const root = document.querySelector("meta[name=assaymark-root]").content;
  const may = verdict.dataset.live === "yes";
  document.getElementById("live-box").hidden = !may;
  live.checked = may && sessionStorage.getItem("assaymark-live") === "yes";
  live.addEventListener("change", () => sessionStorage.setItem("assaymark-live", live.checked ? "yes" : "no"));
  let shown = Date.now();
  const refresh = async () => {
    const answer = await fetch(location.pathname, { cache: "no-store" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const open = [...document.querySelectorAll("main details")].map((d) => d.open);
    document.querySelector("main").replaceChildren(...page.querySelector("main").childNodes);
    document.querySelector("header .progress")?.replaceChildren(...(page.querySelector("header .progress")?.childNodes ?? []));
    document.querySelectorAll("main details").forEach((d, i) => { d.open = Boolean(open[i]); });
    shown = Date.now();
    start();
  };
  const start = () => {
    const button = document.getElementById("again");
    const box = document.getElementById("live");
    document.getElementById("live-box").hidden = !may;
    box.checked = sessionStorage.getItem("assaymark-live") === "yes";
    box.addEventListener("change", () => sessionStorage.setItem("assaymark-live", box.checked ? "yes" : "no"));
    button.addEventListener("click", refresh);
    fill();
  };
  // the verdict does not wait for what wrong labels would do to it
  const doubt = async () => {
    const line = document.getElementById("doubt");
    if (!line) return;
    try {
      const answer = await fetch(`${root}/watch/doubt`, { headers: { accept: "application/json" } });
      if (!answer.ok) return;
      line.textContent = (await answer.json()).sentence;
      line.classList.remove("quiet");
    } catch { line.textContent = ""; }
  };
  // nor for the four numbers, when the dashboard is opened for the first time
  const numbers = async () => {
    const place = document.getElementById("four");
    if (!place || place.dataset.later === undefined) return;
    try {
      const answer = await fetch(`${root}/watch/numbers`);
      if (answer.status !== 200) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      place.replaceChildren(...page.body.childNodes);
      delete place.dataset.later;
    } catch { place.querySelector("[role=status]").textContent = "The server does not answer."; }
  };
  // another cut-off may be tried, never chosen here: it would be another claim
  const cuts = () => {
    const cut = document.getElementById("cut"), lines = [...document.querySelectorAll(".cut-line")];
    if (!cut || !lines.length) return;
    const told = document.getElementById("cut-told"), usual = told.textContent;
    const edges = cut.dataset.edges.split(" ").map(Number), above = cut.dataset.above.split(" ").map(Number);
    // the line itself can be dragged; the slider below it is for the keyboard
    for (const line of lines) {
      const chart = line.closest("svg");
      const drag = (event) => {
        if (!(event.buttons & 1)) return;
        const { x0, x1, left, right } = line.dataset, box = chart.getBoundingClientRect();
        const x = (event.clientX - box.left) / box.width * chart.viewBox.baseVal.width;
        const at = Number(x0) + (x - left) / (right - left) * (x1 - x0);
        const near = edges.reduce((best, edge, i) => (Math.abs(edge - at) < Math.abs(edges[best] - at) ? i : best), 0);
        cut.value = near;
        cut.dispatchEvent(new Event("input"));
      };
      chart.classList.add("cuttable");
      chart.addEventListener("pointerdown", (event) => { chart.setPointerCapture(event.pointerId); drag(event); });
      chart.addEventListener("pointermove", drag);
    }
    cut.addEventListener("input", () => {
      const at = edges[cut.value], same = at === Number(cut.dataset.now);
      for (const line of lines) {
        const { x0, x1, left, right } = line.dataset;
        const x = Number(left) + (at - x0) / (x1 - x0) * (right - left);
        line.setAttribute("x1", x);
        line.setAttribute("x2", x);
        line.setAttribute("visibility", same ? "hidden" : "visible");
      }
      document.getElementById("cut-shown").textContent = at.toFixed(2);
      told.textContent = same ? usual : `At ${at.toFixed(2)} the classifier would flag about ${above[cut.value].toLocaleString("en")} items. `
        + "That is another classifier, so it is a new claim: nothing proven here carries over. Register the collection with that cut-off in a new project and seal a plan for it.";
    });
  };
  // a refit takes seconds or minutes: say what it does, and let nobody press twice
  const working = () => {
    const line = document.getElementById("working");
    if (!line) return;
    const forms = document.querySelectorAll("form[data-long]");
    const tell = (what) => {
      line.hidden = false;
      forms.forEach((form) => { form.querySelector("button").disabled = true; });
      line.textContent = `${what}…`;
      const watch = setInterval(async () => {
        try {
          const answer = await fetch(`${root}/watch/progress`, { headers: { accept: "application/json" } });
          if (!answer.ok) return;
          const { stage } = await answer.json();
          if (stage) line.textContent = `${what}: ${stage}…`;
          else if (line.dataset.on) { clearInterval(watch); location.reload(); }
        } catch { line.textContent = "The server does not answer."; }
      }, 700);
    };
    forms.forEach((form) => form.addEventListener("submit", () => tell(form.dataset.long)));
    if (line.dataset.on) tell("The classifier is being trained");
  };
  // what is waiting follows by itself: these counts are no look
  const counts = (news) => {
    const verdict = document.getElementById("verdict");
    for (const [link, count, number] of [["to-label", "mine", news.mine], ["to-decide", "disputed", news.disputed]]) {
      document.getElementById(link).hidden = !number;
      document.getElementById(count).textContent = number.toLocaleString("en");
    }
    // the server may have drawn by itself: then labelling is next, not drawing
    const draw = document.getElementById("to-draw");
    if (draw) draw.hidden = !news.can_draw;
    if (news.mine) draw?.querySelector("button").classList.remove("primary");
    const more = news.drawn - Number(verdict.dataset.drawn);
    if (more > 0) {
      verdict.dataset.drawn = news.drawn;
      const line = document.getElementById("news");
      line.hidden = false;
      line.textContent = `${more.toLocaleString("en")} more item${more === 1 ? " was" : "s were"} drawn at ${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}.`;
    }
  };
  // whoever comes back with the browser's button finds the page as it is now
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  const fill = () => { numbers(); doubt(); cuts(); working(); };
  again.addEventListener("click", refresh);
  fill();
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(`${root}/watch/news`, { headers: { accept: "application/json" } });
      if (!answer.ok) return;
      const news = await answer.json();
      const changed = news.at > Number(document.getElementById("verdict").dataset.at);
      const button = document.getElementById("again");
      button.hidden = !changed;
      counts(news);
      button.textContent = "Refresh: there are new labels";
      const box = document.getElementById("live");
      if (changed && may && box.checked && Date.now() - shown > 8000) await refresh();
    } catch { /* the server is away; the next round will tell */ }
  }, 3000);
})();
