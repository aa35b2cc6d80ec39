// Pictures and PDFs: several at once, one after the other; then which are missing.
(() => {
  const box = document.getElementById("attach");
  const root = document.querySelector("meta[name=assaymark-root]").content;
  const $ = (id) => document.getElementById(id);
  const input = $("attach-files"), button = $("attach-send"), sent = $("attach-sent"), told = $("attach-told");
  const endings = input.accept.split(",");
  const count = (number, one, more = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : more}`;

  const names = (id, list) => {
    $(id).hidden = list.length < 6;
    $(id).querySelector("ul").replaceChildren(...list.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  };
  const show = (found) => {
    assaymarkFindings($("attach-findings"), found.findings ?? [{ level: "careful", sentence: found.error }]);
    names("attach-missing", found.missing ?? []);
    names("attach-unnamed", found.unnamed ?? []);
  };
  const look = async () => {
    if (!box.dataset.state) { box.dispatchEvent(new CustomEvent("assaymark-sent", { bubbles: true })); return; }
    try {
      const answer = await fetch(root + box.dataset.state, { headers: { accept: "application/json" } });
      show(await answer.json());
    } catch { show({ error: "The server does not answer." }); }
  };
  const say = (total, wrong) => {
    const parts = [
      total.added && `${count(total.added, "file")} added`, total.replaced && `${total.replaced} replaced`,
      total.same && `${total.same} here already`, total.left && `${count(total.left, "file")} left out`,
    ].filter(Boolean);
    told.replaceChildren(Object.assign(document.createElement("p"), { textContent: parts.length ? `${parts.join(", ")}.` : "" }));
    const list = document.createElement("ul");
    wrong.slice(0, 20).forEach(({ name, reason }) => list.append(Object.assign(document.createElement("li"), { textContent: `${name}: ${reason}.` })));
    if (total.left > 20) list.append(Object.assign(document.createElement("li"), { textContent: `and ${total.left - 20} more.` }));
    if (wrong.length) told.append(list);
  };
  button.addEventListener("click", async () => {
    const files = [...input.files];
    if (!files.length) { input.focus(); return; }
    button.disabled = true;
    button.textContent = "Uploading…";
    sent.hidden = false;
    told.replaceChildren();
    const total = { added: 0, replaced: 0, same: 0, left: 0 }, wrong = [];
    const leave = (name, reason) => { total.left += 1; wrong.push({ name, reason: reason.replace(/\.$/, "") }); };
    for (const [place, file] of files.entries()) {
      const share = (part) => { sent.value = (place + part) / files.length; };
      share(0);
      if (!endings.some((ending) => file.name.toLowerCase().endsWith(ending))) {
        leave(file.name, "only PNG, JPEG, GIF and WebP pictures, PDF files and zip archives of them can be uploaded");
        continue;
      }
      const asked = { ...(box.dataset.table ? { table: box.dataset.table } : {}), ...($("attach-replace").checked ? { replace: "yes" } : {}) };
      try {
        const found = await assaymarkSend(file, { begin: box.dataset.begin, piece: box.dataset.piece, size: Number(box.dataset.size), asked, told: share });
        total.added += found.added ?? 0;
        total.replaced += found.replaced ?? 0;
        total.same += found.same ?? 0;
        total.left += found.left_out_count ?? 0;
        wrong.push(...(found.left_out ?? []));
      } catch (error) { leave(file.name, error.message); }
    }
    say(total, wrong);
    input.value = "";
    sent.hidden = true;
    button.disabled = false;
    button.textContent = "Upload";
    look();
  });
  window.assaymarkFiles = show;
  if (box.dataset.state) look();
})();
