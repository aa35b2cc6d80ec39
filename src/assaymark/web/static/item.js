// An item as people read it: the title first, long texts below it, short fields beside them.
// Everything goes in as text; links open elsewhere only when somebody clicks them.
(() => {
  const SHORT = 140;  // characters of a field that stands beside the text
  const PIECE = 4000;  // a long text is laid out piece by piece as it scrolls into view
  const LINK = /https?:\/\/[^\s<>"'`\u0000-\u001f]{3,2000}/g;
  const make = (tag, kind, text) => {
    const node = document.createElement(tag);
    if (kind) node.className = kind;
    if (text !== undefined) node.textContent = text;
    return node;
  };

  const slices = (text) => {
    const found = [];
    for (let from = 0; from < text.length;) {
      let to = from + PIECE;
      if (text.length < 5 * PIECE) to = text.length;
      else if (to < text.length) {
        const line = text.lastIndexOf("\n", to), space = text.lastIndexOf(" ", to);
        if (line > from + PIECE / 4) to = line + 1;
        else if (space > from + PIECE / 4) to = space + 1;
        else if (/[\udc00-\udfff]/.test(text[to])) to += 1;
      }
      found.push(text.slice(from, to));
      from = to;
    }
    return found;
  };

  const texts = (text, kind) => slices(text).map((slice) => {
    const box = make("div", kind, slice);
    box.dir = "auto";
    box.dataset.text = "";
    return box;
  });
  const elsewhere = (link, address) => {
    link.href = address;
    link.rel = "noopener noreferrer nofollow";
    link.target = "_blank";
    return link;
  };
  // the addresses in a text, each once, below it: where a link leads is always spelled out
  const links = (text) => {
    const found = [...new Set(text.slice(0, 200000).match(LINK) ?? [])].slice(0, 20)
      .map((address) => address.replace(/[.,;:!?)\]}]+$/, ""));
    if (!found.length) return null;
    const list = make("ul", "links");
    found.forEach((address) => {
      const link = elsewhere(make("a", "", address), address);
      const row = make("li");
      row.append(link);
      list.append(row);
    });
    return list;
  };
  const file = ({ kind, url, name }) => {
    if (kind === "image") {
      const link = make("a", "picture");
      const picture = make("img");
      picture.src = url;
      picture.alt = `Picture ${name}`;
      picture.loading = "lazy";
      link.href = url;
      link.target = "_blank";
      link.append(picture);
      return link;
    }
    const link = make("a", "button", `Open the PDF ${name}`);
    link.href = url;
    link.target = "_blank";
    return link;
  };

  const content = (field, kind) => {
    if (field.file?.kind === "missing") {
      return [...texts(field.text, kind), make("p", "quiet", "This file is not on the server. The lead can upload it.")];
    }
    if (field.file) return [file(field.file)];
    if (!field.text.trim()) return [make("p", "quiet", "(empty)")];
    const laid = assaymarkLayout(field.text);
    if (laid) return [laid];
    return [...texts(field.text, kind), links(field.text)].filter(Boolean);
  };
  const fits = (field) => !field.file && field.text.length < SHORT && !field.text.includes("\n") && !/^\s*[[{]/.test(field.text);
  // a column that was long once keeps its place, so that items do not change their layout
  const kept = `assaymark-long ${document.querySelector("meta[name=assaymark-root]")?.content ?? ""}`;
  const long = new Set();
  try { JSON.parse(sessionStorage.getItem(kept) ?? "[]").forEach((name) => long.add(name)); } catch { /* private window */ }
  const isShort = (field) => !long.has(field.name);
  window.assaymarkLearn = (fields) => {
    fields.filter((field) => field.main || !fits(field)).forEach((field) => long.add(field.name));
    try { sessionStorage.setItem(kept, JSON.stringify([...long])); } catch { /* private window */ }
  };

  const section = (field, kind, headed) => {
    const part = make("section");
    if (headed) part.append(make("h2", "", field.name));
    part.append(...content(field, kind));
    return part;
  };
  const beside = (fields) => {
    const list = make("dl", "beside");
    fields.forEach((field) => {
      const pair = make("div"), value = make("dd"), address = /^https?:\/\/[^\s<>"'`]{3,2000}$/.test(field.text.trim());
      const text = make(address ? "a" : "span", "", field.text.trim() ? field.text : "–");
      if (address) elsewhere(text, field.text.trim());
      text.dataset.text = "";
      value.dir = "auto";
      value.append(text);
      pair.append(make("dt", "", field.name), value);
      list.append(pair);
    });
    return list;
  };

  window.assaymarkItem = (fields) => {
    if (!fields.length) return [make("p", "quiet", "This item has no text.")];
    assaymarkLearn(fields);
    if (fields.length === 1) return [section(fields[0], "text", false)];
    const wide = fields.filter((field) => !isShort(field));
    const short = fields.filter(isShort);
    // a heading stands before the text, or is called so
    const first = fields.findIndex((field) => !isShort(field));
    const title = short.find((field) => /^(title|subject|headline|caption)$/i.test(field.name.trim()))
      ?? short.find((field) => fields.indexOf(field) < first && field.text.trim() && !/^[\d.,:/ -]+$/.test(field.text));
    const side = short.filter((field) => field !== title);
    const body = make("div", "texts");
    if (title) body.append(section(title, "text title", true));
    wide.forEach((field) => body.append(section(field, "text", true)));
    if (!side.length) return [body];
    const box = make("div", "with-fields");
    box.append(body, beside(side));
    return [box];
  };

  // Marks the words of "find", several with a comma between them; how many there are, or null.
  window.assaymarkMark = (box, asked) => {
    const wanted = asked.toLowerCase().split(",").map((word) => word.trim()).filter(Boolean);
    let found = 0;
    box.querySelectorAll("[data-text]").forEach((part) => {
      const text = part.textContent, lower = text.toLowerCase(), pieces = [];
      let from = 0;
      while (wanted.length && lower.length === text.length && found < 2000) {
        const places = wanted.map((word) => [lower.indexOf(word, from), word.length]).filter(([at]) => at >= 0);
        if (!places.length) break;
        const [at, length] = places.reduce((one, other) => (other[0] < one[0] || (other[0] === one[0] && other[1] > one[1]) ? other : one));
        pieces.push(document.createTextNode(text.slice(from, at)), make("mark", "", text.slice(at, at + length)));
        from = at + length;
        found += 1;
      }
      if (part.childNodes.length > 1 || pieces.length) part.replaceChildren(...pieces, document.createTextNode(text.slice(from)));
    });
    return wanted.length ? found : null;
  };

  document.querySelectorAll("[data-fields]").forEach((box) => {
    box.replaceChildren(...assaymarkItem(JSON.parse(box.dataset.fields)));
  });
})();
