// What bots say beside the board: texts, and numbers over the rounds.

const WIDTH = 300;
const HEIGHT = 30;

arena.DrawingNotes = class {
  constructor(story) {
    this.story = story;
    this.texts = arena.el("ul", { class: "events" });
    this.series = [...seriesOf(story.drawings.values).values()];
    this.curves = this.series.map((one) => this.curve(one));
    this.missing = story.drawings.notes.map(([, text]) => arena.foreign("li", { class: "empty" }, text));
    this.element = arena.el("div", { class: "drawing-notes" }, this.texts,
      arena.el("ul", { class: "values" }, this.curves.map((one) => one.item)),
      arena.el("ul", {}, this.missing));
  }

  /** The seats of what is listed in every round. */
  get lasting() {
    return [...this.series.map(({ seat }) => seat), ...this.story.drawings.notes.map(([seat]) => seat)];
  }

  /** A number over the rounds as a small curve. */
  curve({ seat, name, points }) {
    const numbers = points.map(([, number]) => number);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const last = Math.max(1, this.story.length - 1);
    const x = (index) => (index / last) * WIDTH;
    const y = (number) => HEIGHT - 3 - ((number - low) / (high - low || 1)) * (HEIGHT - 6);
    const line = points.map(([index, number]) => `${x(index).toFixed(1)},${y(number).toFixed(1)}`);
    const head = arena.svg("line", { y1: 0, y2: HEIGHT, class: "value-head" });
    const now = arena.el("b", {});
    const svg = arena.svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "value-curve",
      preserveAspectRatio: "none", "aria-hidden": "true" },
      arena.svg("polyline", { points: line.join(" "), class: "value-line" }), head);
    const item = arena.el("li", {}, arena.badge(this.story.seats[seat], seat),
      arena.el("bdi", { class: "value-name" }, arena.safe(name)), now, svg);
    return { item, head, now, x };
  }

  /** Whether there is something to list in any round; in the view of a player, of its own bot. */
  lists(view) {
    const seats = [...this.lasting, ...this.story.drawings.sides.map(([, seat]) => seat)];
    return seats.some(shownIn(view));
  }

  /** What was said in a frame; in the view of a player, by its own bot. */
  show(index, view) {
    const { seats, drawings } = this.story;
    const isShown = shownIn(view);
    const here = drawings.sides.filter(([at, seat]) => at === index && isShown(seat));
    if (!here.length && !this.lasting.some(isShown)) this.texts.replaceChildren(arena.el("li", { class: "empty" }, "No texts in this round."));
    else this.texts.replaceChildren(...here.map(([, seat, text]) =>
      arena.el("li", {}, arena.badge(seats[seat], seat), arena.foreign("span", {}, text))));
    this.missing.forEach((item, i) => (item.hidden = !isShown(drawings.notes[i][0])));
    this.curves.forEach(({ item, head, now, x }, i) => {
      item.hidden = !isShown(this.series[i].seat);
      const past = this.series[i].points.filter(([at]) => at <= index);
      now.textContent = past.length ? arena.number(past[past.length - 1][1]) : "–";
      head.setAttribute("x1", x(index));
      head.setAttribute("x2", x(index));
    });
  }
};

/** Whether what a seat drew is listed in the view of a seat; null: of spectators. */
const shownIn = (view) => (seat) => view === null || view === seat;

/** The values by seat and name, in the order of frames. */
function seriesOf(values) {
  const found = new Map();
  for (const [frame, seat, name, number] of values) {
    const key = `${seat} ${name}`;
    if (!found.has(key)) found.set(key, { seat, name, points: [] });
    found.get(key).points.push([frame, number]);
  }
  found.forEach(({ points }) => points.sort((one, other) => one[0] - other[0]));
  return found;
}
