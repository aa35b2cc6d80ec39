// Texts that are JSON, laid out for people: chats as turns, two records side by side with their
// differences marked, anything else indented. Everything goes in as text, never as markup.
(() => {
  const LONGEST = 300000;  // characters; longer ones are shown as they are
  const make = (tag, kind, text) => {
    const node = document.createElement(tag);
    if (kind) node.className = kind;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const leaf = (tag, kind, text) => {
    const node = make(tag, kind, text);
    node.dataset.text = "";  // where "find" looks
    node.dir = "auto";
    return node;
  };
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const written = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

  const isChat = (value) => Array.isArray(value) && value.length > 0
    && value.every((one) => isObject(one) && typeof one.role === "string" && ("content" in one || "tool_calls" in one));
  const parts = (content) => {
    if (!Array.isArray(content)) return content === null || content === undefined ? [] : [content];
    return content.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : part));
  };
  const turn = (message) => {
    const box = make("section", `turn ${["user", "assistant", "system", "tool"].includes(message.role) ? message.role : ""}`);
    box.append(make("h3", "", message.role));
    const found = parts(message.content);
    found.forEach((part) => box.append(leaf("div", typeof part === "string" ? "text" : "text json", written(part))));
    (message.tool_calls ?? []).forEach((call) => box.append(leaf("div", "text json", written(call))));
    if (!found.length && !message.tool_calls?.length) box.append(make("p", "quiet", "(empty)"));
    return box;
  };
  const chat = (messages) => {
    const box = make("div", "chat");
    messages.forEach((message) => box.append(turn(message)));
    return box;
  };

  const isPair = (value) => isObject(value) && Object.keys(value).length === 2 && isObject(value.left) && isObject(value.right);
  const same = (a, b) => written(a ?? "").trim() === written(b ?? "").trim();
  // what differs between two short texts: everything between their common beginning and end
  const marked = (text, other) => {
    let from = 0;
    while (from < text.length && text[from] === other[from]) from += 1;
    let end = 0;
    while (end < text.length - from && end < other.length - from && text[text.length - 1 - end] === other[other.length - 1 - end]) end += 1;
    const cell = make("td", "differs");
    const parts = [["span", text.slice(0, from)], ["b", text.slice(from, text.length - end)], ["span", text.slice(text.length - end)]];
    cell.append(...parts.filter(([, part]) => part).map(([tag, part]) => leaf(tag, "", part)));
    return cell;
  };
  const cells = (left, right) => {
    const [a, b] = [written(left ?? ""), written(right ?? "")];
    if (same(left, right)) return [leaf("td", "", a), leaf("td", "", b)];
    if (!a.trim() || !b.trim()) return [a, b].map((text) => (text.trim() ? leaf("td", "missing", text) : make("td", "missing quiet", "missing")));
    return [marked(a, b), marked(b, a)];
  };
  const pair = ({ left, right }) => {
    const table = make("table", "pair-of-records");
    const head = make("tr");
    ["Field", "Left", "Right", "Same?"].forEach((text, place) => {
      const cell = make("th");
      cell.scope = "col";
      cell.append(make("span", place % 3 ? "" : "unseen", text));
      head.append(cell);
    });
    const body = make("tbody");
    [...new Set([...Object.keys(left), ...Object.keys(right)])].forEach((name) => {
      const row = make("tr");
      const one = same(left[name], right[name]);
      row.append(make("th", "", name), ...cells(left[name], right[name]), make("td", one ? "agrees" : "sign", one ? "=" : "≠"));
      row.lastChild.setAttribute("aria-label", one ? "the same" : "different");
      body.append(row);
    });
    const top = make("thead");
    top.append(head);
    table.append(top, body);
    return table;
  };

  const layout = (text) => {
    if (text.length > LONGEST || !/^\s*[[{]/.test(text)) return null;
    let value;
    try { value = JSON.parse(text); } catch { return null; }
    if (isChat(value)) return chat(value);
    if (isPair(value)) return pair(value);
    return leaf("div", "text json", JSON.stringify(value, null, 2));
  };
  window.assaymarkLayout = layout;
  document.querySelectorAll("[data-layout]").forEach((box) => {
    const found = layout(box.textContent);
    if (found) box.replaceWith(found);
  });
})();
