// Sentences with a sign and a word before them, as the server finds them.
(() => {
  const SIGNS = { wrong: "✗", careful: "!", fine: "✓" };
  const WORDS = { wrong: "Wrong", careful: "Careful", fine: "Fine" };
  const line = ({ level, sentence }) => {
    const row = document.createElement("li");
    row.className = level;
    const sign = Object.assign(document.createElement("span"), { className: "sign", textContent: SIGNS[level] ?? "" });
    sign.setAttribute("aria-hidden", "true");
    const word = Object.assign(document.createElement("strong"), { textContent: `${WORDS[level]}: ` });
    const text = document.createElement("span");
    text.append(word, sentence);
    row.append(sign, text);
    return row;
  };
  window.assaymarkFindings = (list, findings) => list.replaceChildren(...findings.map(line));
})();
