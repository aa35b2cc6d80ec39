// The figures hold at every look, so the page keeps itself up to date while labels come.
(() => {
  const root = document.querySelector("meta[name=assaymark-root]").content;
  let busy = false;
  const start = () => document.querySelectorAll("form[data-long]").forEach((form) => form.addEventListener("submit", () => {
    busy = true;
    const line = document.getElementById("working");
    line.hidden = false;
    line.textContent = `${form.dataset.long}…`;
    form.querySelector("button").disabled = true;
  }));
  const refresh = async () => {
    const answer = await fetch(location.pathname, { cache: "no-store" });
    if (!answer.ok || busy) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!page.getElementById("review")) return;
    for (const part of ["main", "header .progress"]) document.querySelector(part).replaceChildren(...page.querySelector(part).childNodes);
    start();
  };
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  start();
  setInterval(async () => {
    if (document.hidden || busy || document.activeElement?.name === "count") return;
    try {
      const answer = await fetch(`${root}/review/news`, { headers: { accept: "application/json" } });
      if (!answer.ok) return;
      const news = await answer.json();
      const shown = document.getElementById("review").dataset.news;
      if (`${news.at} ${news.waiting} ${news.busy ? "busy" : ""}` !== shown) await refresh();
    } catch { /* the server is away; the next round will tell */ }
  }, 3000);
})();
