// The chart of standings over the rounds, with marks for events and faults. Click goes there.

const LINES = 84; // pixels: the height of the curves
const LOW = 52; // the same of two charts, one above the other
const FLAG = 11; // the height of a letter at the end of a curve
const ROW = 16; // the height of a row of marks
const MARGIN = 10;
const NEAR = 6; // pixels between a click and the mark that is meant
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 4", "10 2 2 2 2 2"];
const FAULTS = "M-4 -4L4 4M4 -4L-4 4";
const TIMEOUT = "M-4.5 -4.5H4.5L-4.5 4.5H4.5Z";
const ENDED = "M0 -5V5M-3.5 -1.5H3.5";

const triangle = (size) => `M0 ${-size}L${size} ${size}H${-size}Z`;
const diamond = (size) => `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z`;
const disc = (size) =>
  `M${-size} 0a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0`;

const wedge = (size) => `M${-size} ${-size}H${size}L0 ${size}Z`;

const isOut = (kind) => kind === "elimination";
const shape = (code) => (code === "timeout" ? TIMEOUT : code === "ended" || code === "crashed" ? ENDED : FAULTS);

/** How the curve of a seat is dashed. */
arena.dashes = (seat) => DASHES[seat % DASHES.length];

/** How all seats stand, frame by frame, as far as a seat knows; null: all. */
const standingOf = (story, view) =>
  story.frames.map((_, index) => story.account(index, view).standing);

/** All marks of a story in the order of frames: {index, row, text, seat, path}; in the view of a
 *  seat what it was told, and what it did. */
arena.marksOf = (story, view) => {
  const events = story.frames.flatMap((_, index) =>
    story.account(index, view).events.map((event) => ({ index, row: "events", text: event.text, ...event })),
  );
  const isShown = ([, seat]) => view === null || view === seat;
  const faults = story.marks.filter(isShown).map(([index, seat, code, detail]) => ({
    index, row: "faults", text: `${story.seats[seat].label}: ${code}: ${detail}`, seats: [seat],
    kind: code,
  }));
  const moments = story.drawings.moments.filter(isShown).map(([index, seat, text]) => ({
    index, row: "events", text: `${story.seats[seat].label}: ${text}`, seats: [seat],
    kind: "moment",
  }));
  const turns = story.turns.filter(() => view === null || !story.seen).map(([index, seat, chances, forces]) => ({
    index, row: "events", text: arena.turnText(story, seat, chances, forces), seats: [seat], kind: "turn",
  }));
  return [...events, ...faults, ...moments, ...turns].sort((one, other) => one.index - other.index);
};

/** What the marks mean, for the legend. */
arena.chartLegend = () => {
  const sign = (attributes, text) =>
    arena.el("li", {},
      arena.svg("svg", { viewBox: "-6 -6 12 12", "aria-hidden": "true" }, arena.svg("path", attributes)),
      ` ${text}`);
  const event = { fill: "var(--soft)", stroke: "var(--ink)", class: "event" };
  return arena.el("ul", { class: "legend-time", "aria-label": "Marks of the time line" },
    sign({ ...event, d: disc(4) }, "event"),
    sign({ ...event, d: diamond(5.5) }, "elimination"),
    sign({ ...event, d: triangle(4) }, "moment that a bot marked"),
    sign({ ...event, d: wedge(4) }, "turning point"),
    sign({ d: TIMEOUT, class: "fault" }, "timeout"),
    sign({ d: FAULTS, class: "fault" }, "other fault"),
    sign({ d: ENDED, class: "fault" }, "program ended"));
};

arena.Chart = class {
  /** @param seek is called with the index that was clicked
   *  @param beside the stories whose charts have the same axes, this one among them */
  constructor(story, seek, beside = [story]) {
    this.story = story;
    this.beside = beside;
    this.view = null;
    this.position = 0;
    this.take();
    this.svg = arena.svg("svg", { class: "chart", role: "img" });
    this.head = arena.el("div", { class: "playhead" });
    this.element = arena.el("div", { class: "chart-box" }, this.svg, this.head);
    this.width = 0;
    const go = (event) => event.buttons === 1 && seek(this.indexAt(event));
    this.element.addEventListener("pointerdown", go);
    this.element.addEventListener("pointermove", go);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** The story has grown. */
  extend() {
    this.take();
    this.draw();
  }

  /** Show what a seat knows; null: all. */
  look(view) {
    if (view === this.view) return;
    this.view = view;
    this.extend();
  }

  take() {
    const { story, view } = this;
    this.marks = arena.marksOf(story, view);
    const all = view === null ? this.marks : arena.marksOf(story, null);
    this.rows = ["events", "faults"].filter((row) => all.some((mark) => mark.row === row)); // the chart keeps its height
    this.standing = standingOf(story, view);
    const others = this.beside.filter((one) => one !== story).flatMap((one) => standingOf(one, view));
    const values = [...this.standing.flat(), ...others.flat()];
    this.most = Math.max(1, ...values);
    this.least = Math.min(0, ...values);
  }

  /** The last index that has a place on the chart. */
  get last() {
    return Math.max(1, ...this.beside.map((one) => one.length - 1));
  }

  /** The height of the curves. */
  get lines() {
    const { seats, unit } = this.story;
    if (!unit) return 0;
    return this.beside.length > 1 ? Math.max(LOW, FLAG * seats.length) : LINES;
  }

  x(index) {
    return MARGIN + (index / this.last) * (this.width - 2 * MARGIN);
  }

  indexAt(event) {
    const at = event.clientX - this.element.getBoundingClientRect().left;
    const away = (mark) => Math.abs(this.x(mark.index) - at);
    const near = this.marks.filter((mark) => away(mark) <= NEAR);
    near.sort((one, other) => away(one) - away(other));
    if (near.length && event.type === "pointerdown") return near[0].index;
    return Math.round(arena.clamp((at - MARGIN) / (this.width - 2 * MARGIN), 0, 1) * this.last);
  }

  /** Move the line that shows where the page stands. */
  show(position) {
    this.position = position;
    this.head.style.transform = `translateX(${this.x(position)}px)`;
  }

  draw() {
    this.width = this.element.clientWidth;
    const { rows } = this;
    const height = this.lines + rows.length * ROW + 4;
    this.svg.setAttribute("height", height);
    this.element.style.height = `${height}px`;
    this.svg.setAttribute("aria-label", this.label());
    this.svg.replaceChildren(
      ...this.curves(),
      ...rows.flatMap((row, i) => this.row(row, this.lines + (i + 0.5) * ROW)),
    );
    this.show(this.position);
  }

  label() {
    const { seats, unit, units, length } = this.story;
    if (!unit) return "Events and faults by round.";
    const ends = seats.map((seat, i) => `${seat.label} ${arena.number(this.standing[length - 1][i])}`);
    return `${units} by round${this.seenBy}; at the end: ${ends.join(", ")}.`;
  }

  /** Whose view it is, in words. */
  get seenBy() {
    const seat = this.story.seats[this.view];
    return seat ? `, as far as ${seat.label} sees` : "";
  }

  curves() {
    const { seats, unit, length } = this.story;
    if (!unit) return [];
    const { most, least } = this;
    const y = (value) => this.lines - 4 - ((value - least) / (most - least)) * (this.lines - 18);
    const grid = [least, (least + most) / 2, most].map((value) =>
      arena.svg("line", { x1: MARGIN, x2: this.width - MARGIN, y1: y(value), y2: y(value),
        class: "grid" }),
    );
    const label = arena.svg("text", { x: MARGIN + 4, y: 9, class: "chart-text" },
      `${arena.number(most)} ${this.story.unitOf(most)}${this.seenBy}`);
    const lines = seats.flatMap((seat, i) => {
      const d = { d: this.way(i, y), fill: "none", "stroke-linejoin": "round" };
      d["stroke-dasharray"] = arena.dashes(i);
      return [
        arena.svg("path", { ...d, class: "curve-edge" }),
        arena.svg("path", { ...d, class: "curve", stroke: `var(${seat.colour})` }),
      ];
    });
    return [...grid, ...lines, label, ...this.letters(y, length - 1)];
  }

  /** The curve of a seat as a path, with a gap where it is not seen. */
  way(seat, y) {
    let pen = "M";
    return this.standing.map((row, at) => {
      if (row[seat] === null) return (pen = "M", "");
      const point = `${pen}${this.x(at).toFixed(1)} ${y(row[seat]).toFixed(1)}`;
      pen = "L";
      return point;
    }).join("");
  }

  /** The letters at the ends of the curves that are seen, pushed apart. */
  letters(y, last) {
    const seen = this.story.seats.map((seat, i) => ({ seat, i, value: this.standing[last][i] }));
    const ends = seen.filter(({ value }) => value !== null).map((one) => ({ ...one, at: y(one.value) }));
    ends.sort((one, other) => one.at - other.at);
    let low = this.lines - 6;
    for (const end of ends.reverse()) {
      end.at = Math.min(end.at, low);
      low = end.at - FLAG;
    }
    let high = 5;
    for (const end of ends.reverse()) {
      end.at = Math.max(end.at, high);
      high = end.at + FLAG;
    }
    const x = this.x(last);
    return ends.flatMap(({ seat, i, at }) => [
      arena.svg("rect", { x, y: at - 5, width: 9.5, height: 10.5, rx: 2,
        fill: `var(${seat.colour})`, class: "chart-flag" }),
      arena.svg("text", { x: x + 4.75, y: at + 4, "text-anchor": "middle",
        fill: `var(--on-seat-${i})`, class: "chart-letter" }, seat.letter),
    ]);
  }

  /** The marks of a row, one for those that would lie on top of each other. */
  row(name, y) {
    const found = new Map();
    for (const mark of this.marks.filter((one) => one.row === name)) {
      const place = Math.round(this.x(mark.index) / 7);
      found.set(place, [...(found.get(place) || []), mark]);
    }
    const groups = [...found.values()];
    return groups.map((marks, i) => this.mark(marks, y, groups[i + 1]));
  }

  /** Marks at one place. `next`: those behind them, before which letters need room. */
  mark(marks, y, next) {
    const out = marks.find((mark) => isOut(mark.kind));
    const turn = out ? undefined : marks.find((mark) => mark.kind === "turn");
    const shown = out || turn || marks[0];
    const seats = new Set((out || turn ? [shown] : marks).map((mark) => (mark.seats || [])[0]));
    const [seat] = seats; // of events of several seats: none
    const fill = seats.size === 1 && seat !== undefined ? this.story.seats[seat].colour : "--soft";
    const at = { transform: `translate(${this.x(shown.index).toFixed(1)} ${y})` };
    const title = arena.svg("title", {}, titleOf(this.story, marks));
    if (shown.row === "faults") {
      return arena.svg("g", at, title, arena.svg("path", { d: shape(shown.kind), class: "fault" }),
        this.whose(marks, next));
    }
    const size = out ? 5.5 : marks.length > 1 ? 4.5 : 3.5;
    const d = turn ? wedge(size + 1) : shown.kind === "moment" ? triangle(size) : out ? diamond(size) : disc(size);
    return arena.svg("g", at, title,
      arena.svg("path", { d, fill: `var(${fill})`, stroke: "var(--ink)", class: "event" }));
  }

  /** The letters of the seats whose faults these are, if they have room; else nothing. */
  whose(marks, next) {
    const letters = [...new Set(marks.map((mark) => this.story.seats[mark.seats[0]].letter))].join("");
    const room = (next ? this.x(next[0].index) - 6 : this.width) - this.x(marks[0].index) - 6;
    return room < 8 * letters.length ? null
      : arena.svg("text", { x: 6, y: 4, class: "fault-of" }, letters);
  }
};

function titleOf(story, marks) {
  const lines = marks.slice(0, 6).map((mark) => `${story.round(mark.index)}: ${arena.safe(mark.text)}`);
  return [...lines, ...(marks.length > 6 ? [`and ${marks.length - 6} more`] : [])].join("\n");
}
