// Marks words in an item, and brings a file of labels in without leaving the page.
(() => {
  const root = document.querySelector("meta[name=assaymark-root]").content;
  const mark = document.querySelector("meta[name=assaymark-token]").content;
  const find = document.getElementById("find"), item = document.querySelector("article.item");
  if (find && item) {
    const name = `assaymark-find ${root}`;
    const run = () => {
      assaymarkMark(item, find.value);
      try { sessionStorage.setItem(name, find.value); } catch { /* private window */ }
    };
    try { find.value = sessionStorage.getItem(name) ?? ""; } catch { /* private window */ }
    find.addEventListener("input", run);
    find.addEventListener("search", run);
    run();
  }
  const form = document.getElementById("import");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const file = document.getElementById("labels").files[0], told = document.getElementById("imported");
    if (!file) return;
    const asked = new URLSearchParams({ name: file.name, annotator: document.getElementById("import-by").value });
    for (const [field, name] of [["id", "id_column"], ["label", "label_column"], ["format", "format"]]) {
      const value = document.getElementById(`import-${field}`).value.trim();
      if (value) asked.set(name, value);
    }
    if (document.getElementById("import-correct").checked) asked.set("correct", "yes");
    told.className = "quiet";
    told.textContent = "Reading…";
    try {
      const answer = await fetch(`${root}/items/import?${asked}`, {
        method: "POST",
        headers: { "content-type": "application/octet-stream", accept: "application/json", "x-assaymark-token": mark },
        body: file,
      });
      const text = await answer.text();
      let found;
      try { found = JSON.parse(text); } catch { found = { error: text.slice(0, 300) }; }
      told.className = found.done ? "" : "alert";
      told.textContent = found.done ?? found.error;
    } catch {
      told.className = "alert";
      told.textContent = "The server does not answer, or the file is too large.";
    }
  });
})();
