// Toroid Wars: a ring of countries, the first at the top, the others clockwise.

const OUTER = 250;
const INNER = 165;
const CORE = 134; // where the arrows begin
const BAR = 58; // a bar of a full country
const SIDE = 350; // half of the drawing

/** The point at an angle (in parts of the ring, clockwise from the top) and a radius. */
function at(turn, radius) {
  const angle = turn * 2 * Math.PI;
  return { x: radius * Math.sin(angle), y: -radius * Math.cos(angle) };
}

const pair = ({ x, y }) => `${x.toFixed(2)} ${y.toFixed(2)}`;

/** A piece of a ring as an SVG path. */
function piece(from, to, inner, outer) {
  const wide = to - from > 0.5 ? 1 : 0;
  return [
    `M${pair(at(from, outer))}A${outer} ${outer} 0 ${wide} 1 ${pair(at(to, outer))}`,
    `L${pair(at(to, inner))}A${inner} ${inner} 0 ${wide} 0 ${pair(at(from, inner))}Z`,
  ].join("");
}

// -- the state of a moment -------------------------------------------------------------------

/** Carry out a move as far as it is known. */
function apply({ owner, units }, [kind, seat, from, to, number, result]) {
  const add = (country, count) => units[country] !== null && (units[country] += count);
  if (kind === "build") add(from, 1);
  else if (kind === "transfer") {
    add(from, -number);
    add(to, number);
  } else if (kind === "attack") {
    if (result !== "victory") add(from, -number);
    if (result === "victory") add(to, -number);
    if (result === "conquer") [owner[to], units[to]] = [seat, number];
  }
}

/** Owners and units at a moment, how far each move has come, and the defenders that each attack
 *  met (null: unknown). */
function moment({ frame, before, fraction, step }) {
  const { moves } = frame;
  const still = step === null && (fraction >= 1 || !before);
  const done = moves.map((_, i) => {
    if (still) return 1;
    if (step !== null) return i < step ? 1 : 0;
    return arena.progress(arena.span(i, moves.length, 0, 1), fraction);
  });
  const state = { owner: [...(before || frame).owner], units: [...(before || frame).units] };
  const met = moves.map(([kind, , , to, number], i) => {
    const there = kind === "attack" && before && state.units[to];
    const had = before ? state.owner[to] : null;
    if (done[i] >= 1 && before) apply(state, moves[i]);
    return { defenders: there ? Math.min(number, there) : null, had };
  });
  const whole = still || done.every((each) => each >= 1);
  return { ...(whole ? { owner: frame.owner, units: frame.units } : state), done, met, still };
}

// -- drawing ---------------------------------------------------------------------------------

const ownerColour = (owner) =>
  owner === null ? "var(--unseen)" : owner < 0 ? "var(--neutral)" : `var(--seat-${owner})`;
const ownerInk = (owner) =>
  owner === null ? "var(--on-unseen)" : owner < 0 ? "var(--on-neutral)" : `var(--on-seat-${owner})`;

class Board {
  constructor(stage, match) {
    this.stage = stage;
    this.match = match;
    this.count = match.first.owner.length;
    this.order = match.first.board.turn_order;
    this.most = Number(match.settings.max_resident_units) || 20;
    this.last = null;
    this.onpick = null;
    const box = `${-SIDE} ${-SIDE} ${2 * SIDE} ${2 * SIDE}`;
    this.svg = arena.svg("svg", { class: "ring", viewBox: box });
    stage.append(this.svg);
    this.shading();
    this.fog = arena.fog(this.svg, 12);
    this.ring();
    this.inside();
    new ResizeObserver(() => this.resize()).observe(stage);
    this.resize();
  }

  /** How many single orders the round of a frame animates. */
  steps(frame) {
    return frame.moves.length;
  }

  layer(name) {
    const group = arena.svg("g", { class: name });
    this.svg.append(group);
    return group;
  }

  /** The light on the tube. */
  shading() {
    this.tube = `tube-${++boards}`;
    const stops = [
      [INNER / OUTER, "#000", 0.34],
      [0.76, "#000", 0],
      [0.85, "#fff", 0.22],
      [0.93, "#000", 0],
      [1, "#000", 0.3],
    ];
    const gradient = arena.svg(
      "radialGradient",
      { id: this.tube, gradientUnits: "userSpaceOnUse", cx: 0, cy: 0, r: OUTER },
      ...stops.map(([offset, colour, opacity]) =>
        arena.svg("stop", { offset, "stop-color": colour, "stop-opacity": opacity }),
      ),
    );
    this.svg.append(arena.svg("defs", {}, gradient));
  }

  ring() {
    const tracks = this.layer("tracks");
    const sectors = this.layer("sectors");
    this.countries = [];
    for (let i = 0; i < this.count; i++) this.countries.push(this.country(tracks, sectors, i));
    const both = piece(-0.25, 0.25, INNER, OUTER) + piece(0.25, 0.75, INNER, OUTER);
    this.svg.append(arena.svg("path", { d: both, fill: `url(#${this.tube})`, class: "tube" }));
    const texts = this.layer("texts");
    this.countries.forEach((country, i) => this.label(texts, country, i));
  }

  country(tracks, sectors, i) {
    const [from, to] = [(i - 0.5) / this.count, (i + 0.5) / this.count];
    const d = piece(from, to, INNER, OUTER);
    const track = arena.svg("path", { class: "track", d: this.bar(i, 1) });
    const bar = arena.svg("path", { class: "bar" });
    tracks.append(track, bar);
    const title = arena.svg("title", {});
    const fill = arena.svg("path", { d, class: "fill" });
    const pattern = arena.svg("path", { d, class: "pattern" });
    const sector = arena.svg("g", { class: "sector" }, title, fill, pattern);
    sector.addEventListener("click", () => this.pick(i));
    sector.addEventListener("keydown", (event) => arena.picksPlace(event) && this.pick(i));
    sectors.append(sector);
    return { bar, sector, title, fill, pattern };
  }

  /** The bar of a country outside the ring; its length is a share of the most units. */
  bar(i, share) {
    const half = Math.min(0.32, 9 / ((OUTER * 2 * Math.PI) / this.count)) / this.count;
    const middle = i / this.count;
    const start = OUTER + 7;
    return piece(middle - half, middle + half, start, start + Math.max(1, BAR * share));
  }

  label(layer, country, i) {
    const text = (name, radius) => {
      const { x, y } = at(i / this.count, radius);
      const node = arena.svg("text", { class: name, x, y });
      layer.append(node);
      return node;
    };
    country.number = text("number", 214);
    country.letter = text("letter", 186);
    country.id = text("id", INNER - 12);
    country.id.textContent = String(i);
  }

  inside() {
    const arrows = this.layer("arrows");
    const labels = this.layer("labels");
    this.arrows = new arena.Pool(arrows, arrow);
    this.glances = new arena.Pool(arrows, () => arena.svg("path", { class: "glance" }));
    this.sizes = new arena.Pool(labels, () => arena.svg("text", { class: "size" }));
    const core = this.layer("core");
    this.round = arena.svg("text", { class: "round", y: -26 });
    this.rounds = arena.svg("text", { class: "rounds", y: 2 });
    core.append(this.round, this.rounds);
    this.turns = this.order.map((seat) => this.turn(core, seat));
    this.odds = odds(core);
    this.marks = this.layer("marks");
  }

  /** A seat in the order of turns. */
  turn(core, seat) {
    const disc = arena.svg("circle", { fill: `var(--seat-${seat})` });
    const { letter } = this.match.seats[seat];
    const text = arena.svg("text", { fill: `var(--on-seat-${seat})` }, letter);
    const group = arena.svg("g", { class: "turn" }, disc, text);
    core.append(group);
    return { seat, group, disc, text };
  }

  /** The seats in rows of four, in the order of their turns, as large as their letters need. */
  arrange() {
    const r = this.small * 0.72;
    this.turns.forEach(({ disc, text }, i) => {
      const row = Math.floor(i / 4);
      const inRow = Math.min(4, this.turns.length - row * 4);
      const x = 2.4 * r * ((i % 4) - (inRow - 1) / 2);
      const y = 18 + r + 2.3 * r * row;
      arena.put(disc, { cx: x, cy: y, r });
      arena.put(text, { x, y });
    });
  }

  resize() {
    const { clientWidth, clientHeight } = this.stage;
    this.scale = Math.min(clientWidth, clientHeight) / (2 * SIDE) || 1;
    const room = ((2 * Math.PI * 214) / this.count) * this.scale; // pixels of a country
    const small = 12 / this.scale;
    this.svg.style.setProperty("--small", `${Math.max(14, small)}px`);
    this.svg.style.setProperty(
      "--number",
      `${Math.max(Math.min(30, (room / this.scale) * 0.5), small)}px`,
    );
    this.stage.classList.toggle("dense", room < 13);
    this.stage.classList.toggle("narrow", room < 19);
    this.lettered = this.scale < 0.62 && room >= 24; // letters stand before numbers
    this.stage.classList.toggle("flat", this.scale < 0.62);
    this.small = Math.max(14, small);
    this.arrange();
    if (this.last) this.draw(this.last);
  }

  draw(args) {
    this.last = args;
    const { frame } = args;
    const now = moment(args);
    this.countries.forEach((country, i) => this.drawCountry(country, i, now));
    const active = this.active(now, args.step);
    const others = args.step === null ? "quiet" : "past";
    frame.moves.forEach((move, i) =>
      this.drawMove(move, now.done[i], now.still || i !== active ? others : ""),
    );
    for (const pool of [this.arrows, this.glances, this.sizes]) pool.end();
    this.drawCore(frame, active === null ? null : frame.moves[active], now.met[active]);
    arena.marks(this.marks, args.marks, (name) => this.place(name), 60, this.scale);
  }

  /** The move that is carried out now: the last that has begun. */
  active({ done, still }, step) {
    if (still || !done.some((each) => each > 0)) return null;
    return step === null ? done.findLastIndex((each) => each > 0) : step - 1;
  }

  drawCountry({ bar, sector, title, fill, pattern, number, letter }, i, { owner, units }) {
    const [holder, count] = [owner[i], units[i]];
    const owned = holder !== null && holder >= 0;
    const striped = owned && this.match.seats[holder].pattern;
    arena.put(fill, { fill: ownerColour(holder), class: "fill" });
    const overlay = holder === null ? this.fog : striped && arena.pattern(this.svg, holder, 14);
    arena.put(pattern, { fill: overlay || "none", display: overlay ? null : "none" });
    arena.put(bar, {
      d: this.bar(i, (count || 0) / this.most),
      fill: ownerColour(holder),
      display: count ? null : "none",
    });
    const ink = ownerInk(holder);
    const sign = owned ? this.match.seats[holder].letter : "";
    const text = holder === null ? "" : `${this.lettered ? sign : ""}${count ?? "?"}`;
    arena.put(number, { text, fill: ink });
    arena.put(letter, { text: sign, fill: ink });
    arena.put(title, { text: this.countryText(i, holder, count) });
    const focus = arena.pickable(this, String(i));
    arena.put(sector, focus);
  }

  drawMove([kind, seat, from, to, number, result], done, tense) {
    if (done <= 0) return;
    if (kind === "build") return this.drawBuild(from);
    const way = (to - from + this.count) % this.count === 1 ? 1 : -1;
    const line = chord(from, way, this.count);
    const eased = Math.max(0.12, arena.ease(done));
    if (kind === "scout") return this.drawGlance(line, way, eased, tense, number);
    this.drawArrow(kind, seat, line, way, eased, tense, number);
    this.drawSize(line, way, eased, tense, number, (done >= 1 && result) || "");
  }

  drawArrow(kind, seat, { start, end, bend }, way, eased, tense, number) {
    const tip = arena.bent(start, end, way * bend, eased);
    const width = Math.min(3 + 0.9 * number, bend * 0.3);
    const node = arena.put(this.arrows.next(), { class: `arrow ${kind} ${tense}` });
    shape(node, curve(start, tip, way * bend * eased), width, `var(--seat-${seat})`);
  }

  /** How many were sent and, of an attack, how the die fell: the country is taken, so many defenders
   *  are gone, the attack is lost. */
  drawSize({ start, end, bend }, way, eased, tense, number, result) {
    const { x, y } = arena.bent(start, end, way * (bend + this.small * (result ? 1.25 : 1)), 0.35 * eased);
    const text = result ? `${number} ${fallen(result, number)}` : String(number);
    arena.put(this.sizes.next(), { text, x, y, class: `size ${result} ${tense}` });
  }

  drawGlance({ start, end, bend }, way, eased, tense, number) {
    const tip = arena.bent(start, end, way * bend, eased);
    const { d } = curve(start, tip, way * bend * eased);
    arena.put(this.glances.next(), {
      d,
      class: `glance ${tense}`,
    });
    const { x, y } = arena.bent(start, end, way * (bend + this.small * 0.7), eased);
    arena.put(this.sizes.next(), { text: `${number}?`, x, y, class: `size ${tense}` });
  }

  drawBuild(country) {
    const { x, y } = at(country / this.count, OUTER + BAR + 16);
    arena.put(this.sizes.next(), { text: "+1", x, y, class: "size" });
  }

  drawCore(frame, move, met) {
    arena.put(this.round, { text: String(frame.round) });
    arena.put(this.rounds, { text: `of ${frame.rounds}` });
    for (const { seat, group } of this.turns) {
      const out = frame.countries[seat] === 0;
      const acting = move && move[1] === seat;
      arena.put(group, { class: `turn${out ? " out" : ""}${acting ? " acting" : ""}` });
    }
    const attack = move && move[0] === "attack" && met.defenders;
    arena.put(this.odds.group, { display: attack ? null : "none" });
    if (attack) this.drawOdds(move, met);
  }

  /** How likely the attack was: its part of the bar. */
  drawOdds([, seat, , , number, result], { defenders, had }) {
    const { mine, theirs, text } = this.odds;
    const share = number / (number + defenders);
    arena.put(mine, { width: ODDS * share, fill: `var(--seat-${seat})` });
    arena.put(theirs, {
      x: -ODDS / 2 + ODDS * share,
      width: ODDS * (1 - share),
      fill: ownerColour(had),
    });
    arena.put(text, { text: `${number} : ${defenders}  ${fallen(result, number)}` });
  }

  // -- what people ask ------------------------------------------------------------------------

  countryText(i, owner, units) {
    if (owner === null) return `country ${i}: unseen`;
    return `country ${i}: ${this.name(owner)}, ${units === null ? "units unseen" : arena.counted(units, "unit")}`;
  }

  name(owner) {
    return owner < 0 ? `neutral ${-owner}` : this.match.seats[owner].label;
  }

  pick(i) {
    if (this.onpick) this.onpick(String(i));
  }

  place(name) {
    const player = /^player(\d+)$/.exec(name);
    if (player) return this.home(player[1] - 1);
    const country = Number(name);
    const known = /^\d+$/.test(name) && country < this.count;
    if (!known) return null;
    const turn = country / this.count;
    return { ...at(turn, 208), sign: at(turn, 239), words: at(turn, 122) };
  }

  /** In the middle of the ring, towards what a seat holds. */
  home(seat) {
    const own = [...this.countries.keys()].filter((i) => this.last.frame.owner[i] === seat);
    if (!own.length) return null;
    const points = own.map((i) => at(i / this.count, 120));
    const mean = (axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
    return { x: mean("x"), y: mean("y") };
  }

  describe(frame) {
    const texts = this.match.seats.map(({ label }, seat) => {
      const held = frame.countries[seat];
      const units = frame.units.reduce(
        (sum, n, i) => sum + (frame.owner[i] === seat ? n || 0 : 0),
        0,
      );
      return held === null
        ? `${label} unseen`
        : held
          ? `${label} ${held} with ${arena.counted(units, "unit")}`
          : `${label} out`;
    });
    return `Countries of ${this.count}: ${texts.join(", ")}.`;
  }

  table(frame) {
    return {
      head: ["country", "owner", "units"],
      rows: frame.owner.map((owner, i) => [
        i,
        owner === null ? "unseen" : this.name(owner),
        frame.units[i] ?? "",
      ]),
    };
  }

  legend() {
    const item = (colour, text, extra = "") =>
      arena.el(
        "li",
        {},
        arena.el("span", { class: `sign ${extra}`, style: { backgroundColor: colour } }),
        ` ${text}`,
      );
    const seats = this.match.seats.map(({ label, letter }, seat) =>
      item(ownerColour(seat), `${letter} ${label}`),
    );
    return arena.el(
      "ul",
      { class: "legend-toroid" },
      ...seats,
      item(ownerColour(-1), "neutral"),
      item(ownerColour(null), "unseen"),
      arena.el("li", {}, `bars: units, of at most ${this.most}`),
      arena.el("li", {}, "arrows: units sent · dotted: scouted · +1: built"),
      arena.el("li", {}, "3 ★ sent and taken · 3 −3 defenders lost · 3 ✕ attack lost"),
    );
  }
}

/** How the die fell for an attack. */
const fallen = (result, number) => ({ conquer: "★", victory: `−${number}`, defeat: "✕" })[result];

const ODDS = 110;
let boards = 0;

/** The bar that shows the odds of an attack. */
function odds(core) {
  const shape = { y: -84, height: 12 };
  const mine = arena.svg("rect", { ...shape, x: -ODDS / 2 });
  const theirs = arena.svg("rect", { ...shape });
  const text = arena.svg("text", { class: "chance", y: -62 });
  const group = arena.svg("g", { class: "odds" }, mine, theirs, text);
  core.append(group);
  return { mine, theirs, text, group };
}

/** The line of an attack inside the ring, from a country to the next on one side (1: clockwise). */
function chord(from, way, count) {
  const start = at((from + 0.06 * way) / count, CORE);
  const end = at((from + 0.96 * way) / count, CORE);
  const length = Math.hypot(end.x - start.x, end.y - start.y);
  return { start, end, bend: arena.clamp(length * 0.5, 18, 46) * (way > 0 ? 1 : 0.7) };
}

/** A bent line, and which way it looks at its end. */
function curve(start, tip, bend) {
  const middle = arena.bent(start, tip, bend * 2, 0.5);
  const look = Math.atan2(tip.y - middle.y, tip.x - middle.x);
  return { d: `M${pair(start)}Q${pair(middle)} ${pair(tip)}`, tip, look };
}

/** An arrow: the line, its outline, its head. */
const arrow = () =>
  arena.svg(
    "g",
    {},
    arena.svg("path", { class: "edge" }),
    arena.svg("path", { class: "shaft" }),
    arena.svg("path", { class: "head", d: "M7 0L-5 6L-5 -6Z" }),
  );

function shape(node, { d, tip, look }, width, colour) {
  const [edge, shaft, head] = node.children;
  const degrees = (look * 180) / Math.PI;
  const scale = 0.6 + width / 9;
  arena.put(edge, { d, "stroke-width": width + 2 });
  arena.put(shaft, { d, "stroke-width": width, stroke: colour });
  arena.put(head, {
    fill: colour,
    transform: `translate(${pair(tip)}) rotate(${degrees.toFixed(1)}) scale(${scale.toFixed(2)})`,
  });
}

arena.boards.toroid = {
  /** The board of a match on an empty stage.
   *  @param {HTMLElement} stage  @param {object} match */
  make: (stage, match) => new Board(stage, match),
};
