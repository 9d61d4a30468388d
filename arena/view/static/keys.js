// What each key does.

const IN_FIELDS = "input:not([type=range]), textarea, select, [contenteditable]";

/** Listen to keys: `actions` has a function for each, by `event.key` (letters in lower case, with
 *  "Shift+" before those of keys that are no letters). Keys in fields, and with Ctrl, Alt or Meta,
 *  are left alone; the space bar belongs to a button that has the focus. */
arena.listen = (actions) => {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches(IN_FIELDS)) return;
    if (event.target.matches("button, summary, a") && [" ", "Enter"].includes(event.key)) return;
    const shift = event.shiftKey && event.key.length > 1 ? "Shift+" : "";
    const action = actions[shift + event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
};
