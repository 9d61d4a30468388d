// What happened in a round: its events, and its orders one by one.

const MANY = 400; // orders that are listed

arena.RoundLog = class {
  /** @param step is called with the number of an order that was clicked */
  constructor(story, step) {
    this.story = story;
    this.step = step;
    this.events = arena.el("ul", { class: "events" });
    this.orders = arena.el("ol", { class: "orders" });
    this.element = arena.el("div", { class: "log" }, this.events, this.orders);
    this.index = -1;
  }

  show(index, step, view) {
    if (index !== this.index || view !== this.view) this.fill(index, view);
    [this.index, this.view] = [index, view];
    const at = step === null ? -1 : step - 1;
    [...this.orders.children].forEach((item, i) => item.classList.toggle("now", i === at));
    const now = this.orders.children[at];
    if (now) now.scrollIntoView({ block: "nearest" });
  }

  fill(index, view) {
    const { events, orders } = this.story.account(index, view);
    const ends = this.story.ends(index, view);
    this.events.replaceChildren(
      ...ends.map(({ seat, text }) => arena.el("li", { class: "end" },
        arena.badge(this.story.seats[seat], seat), arena.el("span", {}, text))),
      ...events.map((event) => arena.el("li", {},
        ...(event.seats || []).map((seat) => arena.badge(this.story.seats[seat], seat)),
        arena.el("span", {}, event.text))));
    const shown = orders.slice(0, MANY).map((text, i) =>
      arena.el("li", {}, arena.el("button", { type: "button", onclick: () => this.step(i + 1) }, text)));
    const rest = orders.length - shown.length;
    this.orders.replaceChildren(...shown, ...(rest > 0 ? [arena.el("li", {}, `and ${rest} more`)] : []));
    if (!ends.length && !events.length && !orders.length) {
      const text = view === null ? "Nothing happened in this round."
        : "This player saw nothing in this round.";
      this.events.replaceChildren(arena.el("li", { class: "empty" }, text));
    }
  }
};
