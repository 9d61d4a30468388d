// The chances of winning over the rounds, and where they fell.

const WIDE = 300;
const HIGH = 60;
const RIM = 3;

/** What a turning point cost, in words. */
const costOf = (chances, forces) =>
  `chance ${chances.join(" → ")} %, forces ${forces.join(" → ")} %`;

/** A turning point in words. */
arena.turnText = (story, seat, chances, forces) =>
  `${story.seats[seat].label}: ${costOf(chances, forces)}`;

arena.Turns = class {
  /** @param go is called with the index of a frame and a seat */
  constructor(story, go) {
    this.story = story;
    this.head = arena.svg("line", { y1: 0, y2: HIGH, class: "value-head" });
    this.now = arena.el("p", { class: "turns-now" });
    this.items = story.turns.map((turn) => this.item(turn, go));
    this.none = arena.el("li", { class: "empty" }, "No player's answers cost it much of its chance for good.");
    this.curves = arena.svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "turns-curves", role: "img",
      preserveAspectRatio: "none", "aria-label": "Chances of winning by round." },
      arena.svg("line", { x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2, class: "grid" }),
      story.seats.map((seat, i) => this.curve(seat, i)), this.head);
    this.element = arena.el("div", { class: "turns" }, this.now, this.curves,
      arena.el("ol", { class: "events" }, this.items, this.none));
  }

  x(index) {
    return (index / Math.max(1, this.story.length - 1)) * WIDE;
  }

  curve(seat, i) {
    const y = (chance) => HIGH - RIM - (chance / 100) * (HIGH - 2 * RIM);
    const points = this.story.chances.map((row, at) => `${this.x(at).toFixed(1)},${y(row[i]).toFixed(1)}`);
    return arena.svg("polyline", { points: points.join(" "), class: "curve", fill: "none",
      "vector-effect": "non-scaling-stroke", stroke: `var(${seat.colour})`,
      "stroke-dasharray": arena.dashes(i) });
  }

  item([index, seat, chances, forces, last], go) {
    const { story } = this;
    const first = story.round(index);
    const rounds = last > first ? `rounds ${first} to ${last}` : `round ${first}`;
    const where = `${story.file} --player ${seat + 1} --round ${first}`;
    return arena.el("li", {}, arena.badge(story.seats[seat], seat),
      arena.el("button", { type: "button", class: "plain", onclick: () => go(index, seat) },
        `${rounds}: ${costOf(chances, forces)}`),
      arena.copyButton("Copy rerun", "The command that replays this turning point to a bot",
        () => arena.copy(`arena rerun ${where} BOT`)),
      arena.copyButton("Copy cut", "The command that makes a position of this turning point",
        () => arena.copy(`arena cut ${where} -o POS`)));
  }

  /** Whether there is something to show: a player does not see all that chances rest on. */
  lists(view) {
    return this.story.chances.length > 0 && (view === null || !this.story.seen);
  }

  show(index) {
    const row = this.story.chances[index] || [];
    this.now.textContent = this.story.seats.map((seat, i) => `${seat.label} ${row[i]} %`).join(" · ");
    this.head.setAttribute("x1", this.x(index));
    this.head.setAttribute("x2", this.x(index));
    this.none.hidden = this.items.length > 0;
  }
};
