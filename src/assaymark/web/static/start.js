// Sends a table piece by piece: each piece has the time of a request, and a lost one is sent again.
(() => {
  const form = document.getElementById("upload");
  const root = document.querySelector("meta[name=assaymark-root]").content;
  const mark = document.querySelector("meta[name=assaymark-token]").content;
  const sent = document.getElementById("sent"), problem = document.getElementById("upload-problem");
  const button = form.querySelector("button");
  const wait = (ms) => new Promise((go) => setTimeout(go, ms));

  const post = async (path, body, type) => {
    for (let pause = 500, tries = 0; ; pause *= 2, tries += 1) {
      let answer;
      try {
        answer = await fetch(root + path, {
          method: "POST", headers: { "content-type": type, accept: "application/json", "x-assaymark-token": mark }, body,
        });
      } catch {
        if (tries > 5) throw new Error("The server does not answer. Is it still running?");
        await wait(pause);
        continue;
      }
      const text = await answer.text();
      let found;
      try { found = JSON.parse(text); } catch { found = { error: text.slice(0, 300) }; }
      if (!answer.ok) throw new Error(found.error ?? `The server answered ${answer.status}.`);
      return found;
    }
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const file = form.querySelector("input[type=file]").files[0];
    if (!file) return;
    problem.hidden = true;
    sent.hidden = false;
    sent.value = 0;
    button.disabled = true;
    button.textContent = "Uploading…";
    try {
      const { upload } = await post("/start/upload/begin", JSON.stringify({ name: file.name, size: file.size }), "application/json");
      const piece = Number(form.dataset.piece);
      for (let at = 0; at < file.size;) {
        const found = await post(`/start/upload/piece?upload=${upload}&at=${at}`, file.slice(at, at + piece), "application/octet-stream");
        at = found.arrived;
        sent.value = at / file.size;
        if (found.table) { location.assign(`${root}/start/table?name=${encodeURIComponent(found.table)}`); return; }
      }
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
    button.disabled = false;
    button.textContent = "Upload";
    sent.hidden = true;
  });
})();
