// Text that bots wrote: it may hold anything, and is only ever shown as text.

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const SHORT = 2000;

function escaped(char) {
  const code = char.codePointAt(0).toString(16);
  return code.length < 3 ? `\\x${code.padStart(2, "0")}` : `\\u${code.padStart(4, "0")}`;
}

/** The text with all that is not seen (control characters, marks that turn the direction) written
 *  out as `\x1b`, `\u202e`. */
arena.safe = (text) => text.replace(HIDDEN, escaped);

/** An element with such text; a long one is cut, with a button for the rest. */
arena.foreign = (tag, attributes, text) => {
  const node = arena.el(tag, { dir: "ltr", ...attributes });
  node.classList.add("foreign");
  if (text.length <= SHORT) {
    node.textContent = arena.safe(text);
    return node;
  }
  const all = () => (node.textContent = arena.safe(text));
  const more = arena.counted(text.length - SHORT, "more character");
  node.append(
    arena.safe(text.slice(0, SHORT)),
    "… ",
    arena.el("button", { type: "button", class: "more", onclick: all }, more),
  );
  return node;
};

/** Put text on the clipboard; true when that was allowed. */
arena.copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = arena.el("textarea", { class: "off-screen", readonly: true });
    field.value = text;
    const dialog = document.querySelector("dialog[open]") || document.body;
    dialog.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
};

/** Milliseconds for people. */
arena.time = (ms) => {
  if (ms === null || ms === undefined) return "–";
  if (Math.abs(ms) >= 60000) {
    const seconds = Math.round(ms / 1000);
    return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
  if (Math.abs(ms) >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return `${Math.abs(ms) >= 10 ? ms.toFixed(0) : ms.toFixed(2)} ms`;
};
