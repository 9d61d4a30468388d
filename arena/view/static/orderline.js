// The field in which a person types an answer, with completion.

const SHOWN = 12; // words that are offered
const REST = 180; // ms after the last key
const LONGEST = 70000; // characters; arena/web/desk.py takes no more

let fields = 0;

arena.OrderLine = class {
  /** @param on {write(line), complete(typed), give(), help()} */
  constructor(on) {
    this.on = on;
    this.words = [];
    this.chosen = -1;
    const id = `words-${fields++}`;
    this.field = arena.el("input", {
      type: "text", class: "order-field", autocomplete: "off", autocapitalize: "off",
      spellcheck: "false", maxlength: LONGEST, role: "combobox", "aria-expanded": "false", "aria-controls": id,
      "aria-autocomplete": "list", "aria-label": "Your answer, as a bot would write it",
      placeholder: "or type: ? for help",
      oninput: () => this.typed(),
      onkeydown: (event) => this.press(event),
      onblur: () => this.offer([]),
    });
    this.list = arena.el("ul", { class: "order-words", role: "listbox", id, "aria-label": "Words", hidden: true });
    this.element = arena.el("div", { class: "order-line" }, this.field, this.list);
  }

  set line(text) {
    if (this.field.value !== text) this.field.value = text;
    this.offer([]);
  }

  get before() {
    return this.field.value.slice(0, this.field.selectionStart);
  }

  typed() {
    clearTimeout(this.timer);
    this.offer([]);
    this.timer = setTimeout(() => {
      if (this.field.value.trim() === "?") return;
      this.on.write(this.field.value);
      this.on.complete(this.before);
    }, REST);
  }

  /** Words that may come next, if the field still says what they were asked for. */
  hear({ words, typed }) {
    if (typed !== this.before || document.activeElement !== this.field) return;
    const whole = words.length === 1 && typed.endsWith(words[0]);
    this.offer(whole ? [] : words.slice(0, SHOWN));
  }

  offer(words) {
    this.words = words;
    this.chosen = -1;
    this.list.hidden = !words.length;
    this.field.setAttribute("aria-expanded", String(words.length > 0));
    this.list.replaceChildren(...words.map((word, i) =>
      arena.el("li", { role: "option", id: `${this.list.id}-${i}`,
        onpointerdown: (event) => { event.preventDefault(); this.take(word); } }, word)));
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === this.chosen)));
    if (this.chosen < 0) this.field.removeAttribute("aria-activedescendant");
    else this.field.setAttribute("aria-activedescendant", `${this.list.id}-${this.chosen}`);
  }

  /** Put a word in the place of the one that is begun. */
  take(word) {
    const { before, field } = this;
    const rest = field.value.slice(before.length);
    const kept = before.slice(0, before.length - /[^ ,]*$/.exec(before)[0].length);
    field.value = `${kept}${word} ${rest.trimStart()}`;
    field.setSelectionRange(kept.length + word.length + 1, kept.length + word.length + 1);
    this.typed();
  }

  press(event) {
    const { key, shiftKey } = event;
    const open = this.words.length > 0;
    const begun = /[^ ,]$/.test(this.before);
    if (open && (key === "ArrowDown" || key === "ArrowUp")) {
      const step = key === "ArrowDown" ? 1 : -1;
      this.chosen = (this.chosen + step + this.words.length + (this.chosen < 0 && step < 0 ? 1 : 0)) % this.words.length;
      this.mark();
    } else if (open && key === "Escape") this.offer([]);
    else if (open && key === "Tab" && !shiftKey && begun) this.take(this.words[Math.max(0, this.chosen)]);
    else if (key === "Enter" && open && this.chosen >= 0) this.take(this.words[this.chosen]);
    else if (key === "Enter") this.enter();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  enter() {
    clearTimeout(this.timer);
    const help = ["?", "help"].includes(this.field.value.trim());
    if (help) {
      this.line = "";
      this.on.help();
      return;
    }
    this.on.write(this.field.value);
    this.on.give();
  }
};
