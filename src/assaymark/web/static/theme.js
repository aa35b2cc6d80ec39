// Colours: what the reader chose, or what the system says. Runs before the page is drawn.
(() => {
  const root = document.documentElement;
  const apply = (choice) => {
    if (choice === "light" || choice === "dark") root.dataset.theme = choice;
    else delete root.dataset.theme;
  };
  const read = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const keep = (name, value) => { try { localStorage.setItem(name, value); } catch { /* private window */ } };
  apply(read("assaymark-theme"));
  document.addEventListener("DOMContentLoaded", () => {
    const buttons = document.querySelectorAll("[data-theme-choice]");
    const mark = () => buttons.forEach((b) =>
      b.setAttribute("aria-pressed", String((read("assaymark-theme") || "auto") === b.dataset.themeChoice)));
    buttons.forEach((b) => b.addEventListener("click", () => {
      keep("assaymark-theme", b.dataset.themeChoice);
      apply(b.dataset.themeChoice);
      mark();
    }));
    mark();
    document.addEventListener("keydown", (event) => {
      const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
      if (!menu) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
    document.addEventListener("click", (event) => {
      document.querySelectorAll("details.menu[open]").forEach((menu) => {
        if (!menu.contains(event.target)) menu.open = false;
      });
    });
  });
})();
