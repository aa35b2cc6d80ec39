// Sends the table that a project begins with.
(() => {
  const form = document.getElementById("upload");
  const root = document.querySelector("meta[name=assaymark-root]").content;
  const sent = document.getElementById("sent"), problem = document.getElementById("upload-problem");
  const button = form.querySelector("button");

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
      const { table } = await assaymarkSend(file, {
        begin: "/start/upload/begin", piece: "/start/upload/piece", size: Number(form.dataset.piece),
        told: (share) => { sent.value = share; },
      });
      if (table) { location.assign(`${root}/start/table?name=${encodeURIComponent(table)}`); return; }
      throw new Error("The file is empty.");
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
    button.disabled = false;
    button.textContent = "Upload";
    sent.hidden = true;
  });
})();
