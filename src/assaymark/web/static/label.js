// One item, two keys. The next item is here before the key is pressed; nothing is "saved" before
// the server has it on disk, and until then the keys pause.
(() => {
  const mark = document.querySelector("meta[name=assaymark-token]").content;
  const root = document.querySelector("meta[name=assaymark-root]").content;  // the prefix behind a proxy
  const $ = (id) => document.getElementById(id);
  const item = $("item"), deck = $("deck"), done = $("done"), saved = $("saved"), note = $("note");
  const listed = document.querySelectorAll(".answer.class").length > 0;
  const KEYS = listed ? { x: "unclear" }
    : { f: "not", 1: "not", j: "relevant", 2: "relevant", x: "unclear", 3: "unclear" };
  document.querySelectorAll(".answer.class[data-key]").forEach((b) => { KEYS[b.dataset.key] = b.dataset.answer; });
  const words = {};
  document.querySelectorAll("[data-answer]").forEach((b) => { words[b.dataset.answer] = b.querySelector("span").textContent; });

  let hand = [];            // items in hand: the one on the screen and the next
  let past = null;          // an earlier item on the screen after Undo, with its answer
  let busy = false;
  let since = 0, hiddenFor = 0, hiddenAt = 0;
  const times = [];

  const call = async (path, data, more = {}) => {
    const answer = await fetch(root + path, {
      ...more,
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-assaymark-token": mark },
      body: JSON.stringify(data),
    });
    const text = await answer.text();
    let found = {};
    try { found = JSON.parse(text); } catch { found = { error: text.slice(0, 200) }; }
    return { status: answer.status, ...found };
  };
  const wait = (ms) => new Promise((go) => setTimeout(go, ms));
  const tell = (text, kind) => { saved.textContent = text; saved.className = `saved ${kind ?? ""}`; };

  // Until it works: the server may be restarting, and the same answer sent twice is recorded once.
  const insist = async (path, data) => {
    for (let pause = 300; ; pause = Math.min(pause * 2, 5000)) {
      let why = "";
      try {
        const found = await call(path, data);
        if (found.status < 500 && found.status !== 429) return found;
        if (found.status === 503 && found.error) why = ` ${found.error}`;
      } catch { /* no connection */ }
      tell(`Not saved. Trying again…${why}`, "bad");
      pauseKeys(true);
      await wait(pause);
    }
  };
  const pauseKeys = (on) => document.querySelectorAll(".answer, #undo").forEach((b) => { b.disabled = on; });

  const kept = () => hand.map((one) => ({ id: one.id, ticket: one.ticket }));
  const current = () => past?.item ?? hand[0] ?? null;

  const render = () => {
    const shown = current();
    item.replaceChildren();
    $("item-id").textContent = shown ? shown.name : "";
    item.hidden = deck.hidden = !shown;
    document.querySelector(".tools").hidden = !shown;
    $("going-back").hidden = !past;
    if (past) {
      $("going-back").replaceChildren("You answered ", Object.assign(document.createElement("strong"),
        { textContent: words[past.answer] }), ". Answer again to change it, or press Esc to go on.");
    }
    if (!shown) return;
    choose(past ? words[past.answer].split("; ") : []);
    done.hidden = true;
    item.append(...assaymarkItem(shown.fields));
    highlight();
    window.scrollTo(0, 0);
    item.scrollTop = 0;
    note.value = "";
    showNote(false);
    since = performance.now();
    hiddenFor = 0;
    hiddenAt = document.hidden ? performance.now() : 0;
  };
  const find = $("find");
  const highlight = () => {
    const found = assaymarkMark(item, find.value);
    keep(`assaymark-find ${root}`, find.value);
    $("found").textContent = found === null ? "" : found ? `${found >= 2000 ? "2,000+" : found} found` : "not found";
  };
  // what somebody looks for stays, on the next items and after a reload
  const keep = (name, value) => { try { sessionStorage.setItem(name, value); } catch { /* private window */ } };
  try { find.value = sessionStorage.getItem(`assaymark-find ${root}`) ?? ""; } catch { /* private window */ }

  const progress = (p) => {
    const middle = [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
    const pace = times.length ? ` · ${middle.toFixed(1)} s each` : "";
    const of = p.of ? ` of ${p.about ? "~" : ""}${p.of.toLocaleString("en")}` : "";
    const shown = Object.assign(document.createElement("span"), { className: "pace", textContent: pace });
    $("progress").replaceChildren(`${p.done.toLocaleString("en")}${of}`, shown);
  };

  const finish = (standing) => {
    if (hand.length || past) return;
    const say = [standing.title, standing.text];
    const head = Object.assign(document.createElement("h2"), { textContent: say[0] });
    const text = Object.assign(document.createElement("p"), { textContent: say[1] });
    const go = document.createElement("p");
    const undo = Object.assign(document.createElement("button"), { type: "button", textContent: "Go back one item" });
    undo.addEventListener("click", back);
    if (standing.mine) go.append(undo);
    if (standing.where) go.append(" ", Object.assign(document.createElement("a"), { className: "button primary", href: root + standing.where, textContent: standing.go }));
    done.replaceChildren(head, text, go);
    done.hidden = false;
    $("stop-hint").hidden = true;
  };

  const hint = (standing) => {
    $("stop-hint").textContent = standing.hint;
    $("stop-hint").hidden = !standing.hint || !hand.length;
  };

  const take = (found) => {
    hand = found.items;
    hand.forEach((one) => assaymarkLearn(one.fields));
    progress(found.progress);
    hint(found.standing);
    finish(found.standing);
  };

  const load = async () => {
    try {
      const found = await call("/label/hand", { keep: kept() });
      if (found.status === 401) { location.assign(`${root}/enter`); return; }
      if (found.error) { tell(found.error, "bad"); return; }
      const before = current()?.id;
      take(found);
      if (current()?.id !== before || !before) render();
    } catch {
      tell("The server does not answer. Trying again…", "bad");
      await wait(1500);
      return load();
    }
  };

  const answer = async (word) => {
    const shown = current();
    if (busy || !shown) return;
    busy = true;
    const seconds = (performance.now() - since - hiddenFor) / 1000;
    const data = {
      item: shown.id, ticket: shown.ticket, answer: word, correcting: Boolean(past),
      seconds: Math.round(seconds * 10) / 10, note: note.value.trim(),
    };
    flash(word);
    if (past) past = null; else hand = hand.slice(1);
    data.keep = kept();
    tell("saving…");
    render();
    const found = await insist("/label/answer", data);
    pauseKeys(false);
    busy = false;
    if (found.saved) {
      if (seconds < 600) times.push(seconds);
      tell("saved ✓", "good");
      $("last").textContent = `${words[word]} saved · U to undo`;
      const before = current()?.id;
      if (found.items) take(found);
      else { tell(`saved ✓ ${found.trouble}`, "bad"); hand = []; await load(); }
      if (current()?.id !== before) render();
    } else if (found.status === 401) {
      tell("Not saved: you are signed out.", "bad");
      location.assign(`${root}/enter`);
    } else {
      tell(`Not saved. ${found.error ?? ""}`, "bad");
      hand = [];
      await load();
    }
  };
  const flash = (word) => {
    const button = document.querySelector(`[data-answer="${word}"]`);
    button.classList.add("pressed");
    setTimeout(() => button.classList.remove("pressed"), 140);
  };

  const back = async () => {
    if (busy) return;
    busy = true;
    try {
      const found = await call("/label/back", { before: past?.item.id ?? null });
      if (found.item) past = { item: found.item, answer: found.answer };
      else tell("There is nothing further back.", "");
    } catch { tell("The server does not answer.", "bad"); }
    busy = false;
    render();
  };
  const forward = () => { if (past) { past = null; render(); load(); } };

  const showNote = (on) => {
    $("note-box").hidden = !on;
    $("note-button").setAttribute("aria-expanded", String(on));
    if (on) note.focus();
  };

  // Items with any number of labels: keys choose them and take them back, Enter saves the set.
  const choices = [...document.querySelectorAll("[data-tag]")];
  const isChosen = (b) => b.getAttribute("aria-pressed") === "true";
  const setWord = () => {
    const name = choices.filter(isChosen).map((b) => b.dataset.tag).join("; ");
    const none = `class-${document.querySelectorAll(".answer.class").length - 1}`;
    return name ? Object.keys(words).find((word) => words[word] === name) : none;
  };
  const choose = (names) => {
    if (!choices.length) return;
    choices.forEach((b) => b.setAttribute("aria-pressed", String(names.includes(b.dataset.tag))));
    $("set-name").textContent = words[setWord()];
  };
  const turn = (b) => {
    const names = choices.filter((one) => isChosen(one) !== (one === b)).map((one) => one.dataset.tag);
    b.blur();
    choose(names);
  };
  choices.forEach((b) => b.addEventListener("click", () => turn(b)));
  $("save-set")?.addEventListener("click", (event) => { event.currentTarget.blur(); answer(setWord()); });

  // More classes than keys: the letters typed leave the classes that hold them; Enter takes the
  // first, one that is spelled so before one that begins so before one that only holds them.
  const typed = $("class-find");
  const matching = () => {
    const wanted = typed.value.trim().toLowerCase();
    const rank = (b) => {
      const name = b.querySelector("span").textContent.toLowerCase();
      return name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3;
    };
    return [...document.querySelectorAll(".answer.class")].map((b) => [rank(b), b])
      .filter(([place, b]) => { b.hidden = place > 2; return place < 3; })
      .sort((one, other) => one[0] - other[0]).map(([, b]) => b);
  };
  const showTyped = () => {
    const first = matching()[0];
    $("class-first").textContent = !typed.value.trim() ? "" : first ? `Enter: ${first.querySelector("span").textContent}` : "no such class";
  };
  const chooseTyped = () => {
    const first = matching()[0];
    if (!typed.value.trim() || !first) return;
    typed.value = "";
    showTyped();
    answer(first.dataset.answer);
  };
  typed?.addEventListener("input", showTyped);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "Escape") {
      if (typing) event.target.blur(); else if (!$("keys").open) forward();
      return;
    }
    if (typing) {
      if (event.key === "Enter" && event.target === $("find")) event.target.blur();
      if (event.key === "Enter" && event.target === typed) chooseTyped();
      return;
    }
    const key = event.key.toLowerCase();
    if (event.repeat || $("keys").open) return;
    const choice = choices.find((b) => b.dataset.key === key);
    if (choice) { event.preventDefault(); turn(choice); }
    else if (key === "enter" && choices.length && event.target.tagName !== "BUTTON") { event.preventDefault(); answer(setWord()); }
    else if (KEYS[key]) { event.preventDefault(); answer(KEYS[key]); }
    else if (key === "?") { event.preventDefault(); $("keys").showModal(); }
    else if (key === "t" && typed) { event.preventDefault(); typed.focus(); }
    else if (key === "u") { event.preventDefault(); back(); }
    else if (key === "n") { event.preventDefault(); showNote($("note-box").hidden); }
    else if (key === "c") { event.preventDefault(); $("criteria").open = !$("criteria").open; }
    else if (key === "/") { event.preventDefault(); $("find").focus(); $("find").select(); }
  });
  document.querySelectorAll("[data-answer]").forEach((b) => b.addEventListener("click", (event) => {
    b.blur();
    if (event.detail < 2) answer(b.dataset.answer); // the rest of a double click meant the item before
  }));
  $("undo").addEventListener("click", (event) => { event.currentTarget.blur(); back(); });
  $("keys-button").addEventListener("click", () => $("keys").showModal());
  $("note-button").addEventListener("click", () => showNote($("note-box").hidden));
  $("find").addEventListener("input", highlight);
  $("find").addEventListener("search", highlight);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = performance.now();
    else if (hiddenAt) { hiddenFor += performance.now() - hiddenAt; hiddenAt = 0; }
  });
  window.addEventListener("beforeunload", (event) => { if (busy) event.preventDefault(); });
  // whoever leaves the page keeps no item from others
  window.addEventListener("pagehide", () => { if (hand.length) call("/label/release", {}, { keepalive: true }).catch(() => {}); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) { hand = []; load(); } });

  const SIZES = ["s", "m", "l", "xl", "xxl"];
  const resize = (by) => {
    let at = SIZES.indexOf(document.documentElement.dataset.size ?? "m");
    if (at < 0) at = 1;
    at = Math.min(Math.max(at + by, 0), SIZES.length - 1);
    document.documentElement.dataset.size = SIZES[at];
    try { localStorage.setItem("assaymark-size", SIZES[at]); } catch { /* private window */ }
  };
  try { const kept = localStorage.getItem("assaymark-size"); if (SIZES.includes(kept)) document.documentElement.dataset.size = kept; } catch { /* private window */ }
  $("smaller").addEventListener("click", () => resize(-1));
  $("larger").addEventListener("click", () => resize(1));

  // an empty page goes on by itself when items come back or are drawn
  setInterval(() => { if (!hand.length && !past && !busy && !document.hidden) load(); }, 4000);
  load();
})();
