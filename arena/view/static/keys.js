// What each key does, and the list of them.

const FIELDS = "input:not([type=range]):not([type=checkbox]), textarea, select";
const STORED = "arena-letter-keys";

/** Whether letters do something; people who speak to their machine switch that off. */
arena.letterKeys = {
  get on() {
    try {
      return localStorage.getItem(STORED) !== "off";
    } catch {
      return this.kept !== false;
    }
  },
  set on(value) {
    this.kept = value;
    try {
      localStorage.setItem(STORED, value ? "on" : "off");
    } catch {
      // a browser that keeps nothing for files
    }
  },
};

/** The name by which a table of keys knows a key that was pressed. */
function keyName(event) {
  const { key, shiftKey } = event;
  if (key.length > 1) return shiftKey ? `Shift+${key}` : key;
  return shiftKey && /\p{L}/u.test(key) ? `Shift+${key.toLowerCase()}` : key.toLowerCase();
}

/** Whether a key picks the place that has the focus. (With Shift it gives a person's answer.) */
arena.picksPlace = (event) => event.key === "Enter" && !event.shiftKey;

function isTaken(target, key) {
  if (!(target instanceof Element)) return false;
  if (target.closest(FIELDS)) return true;
  if (target.closest("button, summary, a, label")) return key === " " || key === "Enter";
  if (target.matches("input[type=range]")) return key === "ArrowUp" || key === "ArrowDown";
  return false;
}

/** Listen to keys. `table` is a list of [section, [[keys, what they do, action]…]]; each of `keys`
 *  is a name as in `KeyboardEvent.key`. Keys in fields, and with Ctrl, Alt or Meta, are left alone;
 *  the space bar belongs to a button that has the focus. */
arena.listen = (table, signal) => {
  const actions = new Map();
  for (const [, keys] of table) {
    for (const [names, , action] of keys) names.forEach((name) => actions.set(name, action));
  }
  const press = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const name = keyName(event);
    const action = actions.get(name);
    if (!action || isTaken(event.target, event.key)) return;
    if (document.querySelector("dialog[open]") && name !== "?") return;
    if (!arena.letterKeys.on && /^(Shift\+)?\p{L}$/u.test(name)) return;
    event.preventDefault();
    action(name);
  };
  document.addEventListener("keydown", press, { signal });
};

const NAMES = {
  " ": "Space", ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓",
  "Shift+ArrowRight": "Shift →", "Shift+ArrowLeft": "Shift ←", PageUp: "Page up",
  PageDown: "Page down", Escape: "Esc",
};

function keyLabel(name) {
  if (NAMES[name]) return NAMES[name];
  return name.startsWith("Shift+") ? `Shift ${name.slice(6)}` : name;
}

/** The dialog that lists all keys. */
arena.helpDialog = (table) => {
  const letters = arena.el("input", {
    type: "checkbox",
    onchange: (event) => (arena.letterKeys.on = event.target.checked),
  });
  letters.checked = arena.letterKeys.on;
  const close = () => dialog.close();
  const dialog = arena.el(
    "dialog",
    { class: "help", "aria-label": "Keys", onclick: (event) => event.target === dialog && close() },
    arena.el(
      "div",
      { class: "help-body" },
      arena.el(
        "header",
        {},
        arena.el("h2", {}, "Keys"),
        arena.iconButton("close", "Close", "Esc", close),
      ),
      arena.el("div", { class: "key-sections" }, table.map(([title, keys]) => section(title, keys))),
      arena.el("label", { class: "switch" }, letters, " Letters are keys"),
    ),
  );
  document.body.append(dialog);
  return dialog;
};

function section(title, keys) {
  const row = ([names, text]) =>
    arena.el(
      "div",
      { class: "key-row" },
      arena.el("dt", {}, names.map((name) => arena.el("kbd", {}, keyLabel(name)))),
      arena.el("dd", {}, text),
    );
  const shown = keys.filter(([, text]) => text);
  return arena.el("section", {}, arena.el("h3", {}, title), arena.el("dl", {}, shown.map(row)));
}
