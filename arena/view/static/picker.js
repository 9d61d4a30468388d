// What a person is about to answer: the line that is held, and what is picked for its next order.

const MOST = 20; // places that are drawn as offered

/** It knows no rules: the arena says what can be picked next, and when that makes an order. */
arena.Picker = class {
  /** @param seat of the person
   *  @param send sends a message to the arena
   *  @param changed is called when there is something else to show; with an order that was
   *  added, and whether it is the whole answer */
  constructor(seat, send, changed) {
    Object.assign(this, { seat, send, changed });
    this.end();
  }

  /** A request is open; another page may hold orders for it, or this one before it was reloaded. */
  begin(number, held) {
    this.end();
    Object.assign(this, { number, line: held });
    this.ask();
  }

  /** No request is open. */
  end() {
    Object.assign(this, { number: null, line: "", picks: [], offer: null, signs: [], wrong: "" });
  }

  /** The orders of the line, one by one: a whole answer is one, whatever commas it has. */
  get orders() {
    if (this.offer && this.offer.alone) return [this.line].filter(Boolean);
    return this.line.split(",").map((piece) => piece.trim()).filter(Boolean);
  }

  /** Hold another line. */
  write(line) {
    this.line = line;
    this.ask();
  }

  /** Pick a place, a word or a number. */
  pick(name) {
    if (this.number === null) return;
    this.picks = [...this.picks, name];
    this.ask();
  }

  remove(index) {
    this.write(this.orders.filter((_, i) => i !== index).join(", "));
  }

  /** Take back the last pick, or the last order. */
  undo() {
    if (this.number === null) return;
    if (this.picks.length) this.picks = this.picks.slice(0, -1);
    else this.line = this.orders.slice(0, -1).join(", ");
    this.ask();
  }

  /** Pick anew. */
  drop() {
    if (this.number === null || !this.picks.length) return;
    this.picks = [];
    this.ask();
  }

  ask() {
    if (this.number === null) return;
    this.send({ do: "pick", turn: this.number, held: this.line, picks: this.picks });
  }

  /** What the arena says to that. */
  hear({ offer, picks, signs, held, wanted }) {
    const stale = held !== this.line || wanted.join() !== this.picks.join();
    if (this.number === null || stale) return;
    if (offer && offer.order) {
      this.add(offer);
      return;
    }
    const refused = this.picks[picks.length];
    this.wrong = refused === undefined ? "" : `${refused} cannot be picked here.`;
    Object.assign(this, { offer, picks, signs });
    this.changed(null, false);
  }

  add({ order, alone }) {
    this.picks = [];
    this.line = alone ? order : [...this.orders, order].join(", ");
    this.changed(order, Boolean(alone));
    this.ask();
  }

  /** The names of places that can be picked. */
  get places() {
    return new Set((this.offer && this.offer.places) || []);
  }

  /** What is drawn over the board: orders that are held, what is picked and what can be. */
  get marks() {
    const { seat } = this;
    const mark = (kind, style) => (name) => ({ seat, kind, style, places: [name] });
    const offered = [...this.places];
    return [
      ...(offered.length > MOST ? [] : offered.map(mark("offer", "info"))),
      ...this.picks.map(mark("picked", "info")),
      ...this.signs.map(([places, text]) => ({
        seat, kind: places.length > 1 ? "order" : text ? "text" : "picked", style: "plan", places, text,
      })),
    ];
  }
};
