// Warlight: a map of regions. Lengths are in halves of the distance between two regions.

const NEUTRAL = -1;
const MARGIN = 0.7;
const ROOM = 0.95; // between a number and what is written above or below it
const ROOMY = 18; // pixels of a length, from which on numbers beside armies have room
const AMPLE = 38; // from here on the ids of regions have room, too
const CRAMPED = 14; // below it, numbers stand alone
const BELOW = 0.65; // where the id of a region stands
const HEAD = 0.25; // half of the head of an arrow
const PLACING = 0.3; // the part of a round in which armies are placed

// -- the map ---------------------------------------------------------------------------------

const near = (board) => board.neighbors.map((others) => others.map((id) => id - 1));

/** Where the regions lie, on a map that is wide or tall. */
const placesOf = (board) =>
  board.xy ? arena.loosened(board.xy) : arena.spread(near(board), board.regions);

/** Everything of a map that never changes, by the index of a region (its id less 1). */
function survey(board, found, tall) {
  const points = isTall(found) === tall ? found : found.map(({ x, y }) => ({ x: y, y: -x }));
  const areas = arena.areas(points);
  return {
    points,
    areas,
    near: near(board),
    zones: board.bonus.map((bonus, i) => zone(board, points, areas, bonus, i + 1)),
    zoneOf: board.regions.map((id) => id - 1),
    wastelands: new Set(board.wastelands.map((id) => id - 1)),
    frame: frameOf(areas),
  };
}

const spanOf = (values) => Math.max(...values) - Math.min(...values);
const isTall = (points) => spanOf(points.map((p) => p.y)) > spanOf(points.map((p) => p.x));

/** The box around all areas. */
function frameOf(areas) {
  const corners = areas.flat().flatMap((side) => side.points);
  const [xs, ys] = [corners.map((p) => p.x), corners.map((p) => p.y)];
  return {
    x: Math.min(...xs) - MARGIN,
    y: Math.min(...ys) - MARGIN,
    width: spanOf(xs) + 2 * MARGIN,
    height: spanOf(ys) + 2 * MARGIN,
  };
}

/** A super region: its regions, the sides around it, and where its bonus is written. */
function zone(board, points, areas, bonus, id) {
  const regions = [...points.keys()].filter((i) => board.regions[i] === id);
  const sides = regions.flatMap((i) => areas[i]);
  const outer = sides.filter(({ other }) => other < 0 || board.regions[other] !== id);
  return { id, bonus, regions, outer, label: labelPlace(points, regions, sides, outer) };
}

/** The place on an inner border that has room between numbers and is near the middle of the super
 *  region; of a lone region, the middle of its lower side. */
function labelPlace(points, regions, sides, outer) {
  const x = mean(regions.map((i) => points[i].x));
  const y = mean(regions.map((i) => points[i].y));
  const inner = sides.filter((side) => !outer.includes(side) && side.length > 0.4);
  const [goal, from] = inner.length ? [{ x, y }, inner] : [{ x, y: y + 9 }, outer];
  const places = from.flatMap((side) => (inner.length ? [side.points[0], side.points[2]] : side.points[2]));
  const room = (p) =>
    Math.min(...regions.map((i) => Math.max(Math.abs(points[i].x - p.x) / 1.5, Math.abs(points[i].y - p.y))));
  const cost = (p) => Math.hypot(p.x - goal.x, p.y - goal.y) - 6 * Math.min(ROOM, room(p));
  return places.reduce((best, p) => (cost(p) < cost(best) ? p : best));
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How dark each super region is tinted, 0 to 3: neighbours differ where that is possible. */
function tints(map) {
  const found = [];
  map.zones.forEach((each, i) => {
    const taken = each.outer
      .filter(({ other }) => other >= 0)
      .map((s) => found[map.zoneOf[s.other]]);
    const free = [0, 1, 2, 3].filter((tint) => !taken.includes(tint));
    found[i] = free.length ? free[i % free.length] : 0;
  });
  return found;
}

/** Links that cross water, and borders that nothing can pass. */
function oddities(map) {
  const touching = map.areas.map((sides) =>
    sides.filter(({ other, length }) => other >= 0 && length > 0.25),
  );
  const ferries = map.near.flatMap((near, i) =>
    near.filter((j) => j > i && !touching[i].some(({ other }) => other === j)).map((j) => [i, j]),
  );
  const walls = touching.flatMap((sides, i) =>
    sides.filter(({ other }) => other > i && !map.near[i].includes(other)),
  );
  return { ferries, walls };
}

const ring = (sides) => arena.line(sides.flatMap((side) => side.points)) + "Z";
const closed = (side, sides) => [
  ...side.points,
  sides[(sides.indexOf(side) + 1) % sides.length].points[0],
];

/** The sides around a super region as one path. */
function outline(map, { regions, outer }) {
  return regions
    .flatMap((i) =>
      map.areas[i].filter((s) => outer.includes(s)).map((s) => closed(s, map.areas[i])),
    )
    .map(arena.line)
    .join("");
}

// -- the state of a moment -------------------------------------------------------------------

/** When each move of a round runs: first what is placed, all at once, then the others in turn. */
function schedule(moves) {
  const early = moves.filter(([kind]) => kind === "place").length;
  const late = moves.length - early;
  const start = early && late ? PLACING : 0;
  return moves.map((_, i) =>
    i < early ? [0, late ? PLACING : 1] : arena.span(i - early, late, start, 1),
  );
}

/** Owners and armies before a round: those of the frame before; of the set-up, no one's. */
function stateBefore(before, frame) {
  if (before) return { owner: [...before.owner], armies: [...before.armies] };
  const owner = frame.round ? [...frame.owner] : frame.owner.map(() => NEUTRAL);
  return { owner, armies: [...frame.armies] };
}

/** Carry out a move as far as it is known. */
function apply({ owner, armies }, [kind, seat, from, to, number, lost, killed, conquered]) {
  if (kind === "pick") owner[from - 1] = seat;
  else if (kind === "place") armies[from - 1] += to;
  else if (kind === "transfer") shift(armies, from - 1, to - 1, number, number);
  else if (conquered) {
    armies[from - 1] -= number;
    armies[to - 1] = number - lost;
    owner[to - 1] = seat;
  } else shift(armies, from - 1, to - 1, lost, -killed);
}

function shift(armies, from, to, less, more) {
  if (armies[from] !== null) armies[from] -= less || 0;
  if (armies[to] !== null) armies[to] += more || 0;
}

/** Owners and armies at a moment, and how far each move has come: 0 not begun, 1 carried out. */
function moment({ frame, before, fraction, step }) {
  const moves = frame.moves;
  const still = step === null && (fraction >= 1 || (!before && frame.round > 0));
  if (still) return { ...frame, done: moves.map(() => 1), still };
  const times = schedule(moves);
  const done = moves.map((_, i) =>
    step === null ? arena.progress(times[i], fraction) : i < step ? 1 : 0,
  );
  const state = stateBefore(before, frame);
  moves.forEach((move, i) => done[i] >= 1 && apply(state, move));
  const whole = step !== null && step >= moves.length;
  return { ...(whole ? { owner: frame.owner, armies: frame.armies } : state), done, still: false };
}

// -- room for labels -------------------------------------------------------------------------

/** The area that two boxes share. */
const shared = (one, other) =>
  Math.max(0, Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)) *
  Math.max(0, Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y));

/** Where labels find room beside what is there. */
class Room {
  constructor(boxes) {
    this.boxes = boxes;
  }

  /** The one of some places, the best first, at which a label of this size covers least. */
  take(places, half, tall) {
    const cost = (place, i) => {
      const mine = box(place, half, tall);
      return this.boxes.reduce((sum, each) => sum + shared(mine, each), 0.015 * i);
    };
    const costs = places.map(cost);
    const found = places[costs.indexOf(Math.min(...costs))];
    this.boxes.push(box(found, half, tall));
    return found;
  }
}

/** Places around a point: so far to the sides, and up and down. */
const around = ({ x, y }, dx, dy) =>
  SPOTS.map(([right, down]) => ({ x: x + dx * right, y: y + dy * down }));
const SPOTS = [
  ...[[0, 1], [0, -1], [0.4, 1], [-0.4, 1], [0.4, -1], [-0.4, -1]],
  ...[[0.8, 0.7], [-0.8, 0.7], [0.8, -0.7], [-0.8, -0.7], [1, 0], [-1, 0]],
];

// -- drawing ---------------------------------------------------------------------------------

const ownerColour = (owner) =>
  owner === null ? "var(--unseen)" : owner < 0 ? "var(--neutral)" : `var(--seat-${owner})`;

const ownerInk = (owner) =>
  owner === null ? "var(--on-unseen)" : owner < 0 ? "var(--on-neutral)" : `var(--on-seat-${owner})`;

/** The board on a stage: its nodes, and how large a unit is on the screen. */
class Board {
  constructor(stage, match) {
    this.match = match;
    this.stage = stage;
    this.board = match.first.board;
    this.found = placesOf(this.board);
    this.svg = arena.svg("svg", { class: "map" });
    this.card = arena.el("div", { class: "card", hidden: true });
    stage.append(this.svg, this.card);
    this.last = null;
    this.chosen = null; // the id of the super region in the card
    this.region = null; // the index of the region in it
    this.pointed = null; // the index of the region under the pointer, or with the focus
    this.onpick = null;
    this.build(false);
    new ResizeObserver(() => this.resize()).observe(stage);
    this.resize();
  }

  /** How many single orders the round of a frame animates. */
  steps(frame) {
    return frame.moves.length;
  }

  /** Draw the map, upright on a tall stage. */
  build(tall) {
    this.tall = tall;
    this.map = survey(this.board, this.found, tall);
    const { x, y, width, height } = this.map.frame;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.svg.replaceChildren();
    this.hatch();
    this.ground();
    this.moving();
  }

  layer(name) {
    const group = arena.svg("g", { class: name });
    this.svg.append(group);
    return group;
  }

  /** The patterns of wastelands and of what is unseen. */
  hatch() {
    const id = `waste-${++boards}`;
    const d = "M0 .12L.12 0L.25 .12L.37 0L.5 .12M0 .37L.12 .25L.25 .37L.37 .25L.5 .37";
    const waves = arena.svg("path", {
      d,
      stroke: "var(--outline)",
      "stroke-width": 0.05,
      fill: "none",
    });
    const size = { width: 0.5, height: 0.5, patternUnits: "userSpaceOnUse" };
    this.svg.append(arena.svg("defs", {}, arena.svg("pattern", { id, ...size }, waves)));
    this.waste = `url(#${id})`;
    this.fog = arena.fog(this.svg, 0.5);
  }

  /** What lies still: water ways, areas, frames of super regions. */
  ground() {
    const { map } = this;
    const odd = oddities(map);
    const ferries = this.layer("ferries");
    for (const [i, j] of odd.ferries)
      ferries.append(arena.svg("path", { d: arena.line([map.points[i], map.points[j]]) }));
    const shade = tints(map);
    const areas = this.layer("areas");
    this.areas = map.areas.map((sides, i) =>
      this.area(areas, ring(sides), i, shade[map.zoneOf[i]]),
    );
    const walls = this.layer("walls");
    for (const side of odd.walls) walls.append(arena.svg("path", { d: arena.line(side.points) }));
    const frames = this.layer("frames");
    this.frames = map.zones.map((zone) => arena.svg("path", { d: outline(map, zone) }));
    this.focus = arena.svg("path", { class: "focus" });
    frames.append(...this.frames, this.focus); // on top: neighbours would cover its stroke
    this.odd = odd;
  }

  area(layer, d, i, shade) {
    const fill = arena.svg("path", { d, class: "fill" });
    const fog = arena.svg("path", { d, fill: this.fog, class: "fog" });
    const title = arena.svg("title", {});
    const region = arena.svg("g", { class: "region" }, title, fill);
    region.append(arena.svg("path", { d, class: `shade shade-${shade}` }));
    if (this.map.wastelands.has(i))
      region.append(arena.svg("path", { d, class: "waste", fill: this.waste }));
    region.append(fog);
    region.addEventListener("click", () => this.click(i));
    region.addEventListener("keydown", (event) => arena.picksPlace(event) && this.click(i));
    region.addEventListener("pointerenter", () => this.point(i));
    region.addEventListener("pointerleave", () => this.point(null));
    region.addEventListener("focus", () => {
      arena.put(this.focus, { d: region.matches(":focus-visible") ? d : null });
      this.point(i);
    });
    region.addEventListener("blur", () => {
      arena.put(this.focus, { d: null });
      this.point(null);
    });
    layer.append(region);
    return { region, fill, fog, title };
  }

  /** What changes: bonuses, arrows, numbers, losses. */
  moving() {
    const { map } = this;
    const arrows = this.layer("arrows");
    const tokens = this.layer("tokens");
    this.tokens = map.points.map((point) => token(tokens, point));
    const bonuses = this.layer("bonuses");
    this.bonuses = map.zones.map((zone) => bonus(bonuses, zone, () => this.choose(zone.id)));
    const labels = this.layer("labels");
    this.arrows = new arena.Pool(arrows, () => arena.svg("path", { class: "arrow" }));
    this.sizes = new arena.Pool(labels, () => arena.svg("text", { class: "size" }));
    this.costs = new arena.Pool(labels, cost);
    this.pluses = new arena.Pool(labels, () => arena.svg("text", { class: "plus" }));
    this.rings = new arena.Pool(arrows, () => arena.svg("circle", { class: "ring" }));
    this.marks = this.layer("marks");
    this.tip = arena.svg("text", { class: "tip" });
    this.svg.append(this.tip);
  }

  /** Letters keep 12 pixels; what has no room for that is left out. */
  resize() {
    const { clientWidth, clientHeight } = this.stage;
    const shape = clientHeight / (clientWidth || 1);
    if (this.tall ? shape < 1 : shape > 1.15) this.build(!this.tall);
    const { width, height } = this.map.frame;
    this.unit = Math.min(clientWidth / width, clientHeight / height) || 1;
    const size = Math.max(0.62, 12.5 / this.unit);
    this.svg.style.setProperty("--number", `${size}px`);
    this.size = size;
    this.small = Math.max(0.34, 12 / this.unit);
    for (const { pill, text, label } of this.bonuses) {
      const [half, tall] = this.pillSize(text.textContent);
      arena.put(pill, { ...box(label, half, tall), rx: tall });
    }
    this.svg.style.setProperty("--small", `${this.small}px`);
    this.stage.classList.toggle("full", this.unit < ROOMY);
    this.stage.classList.toggle("dense", this.unit < CRAMPED);
    this.stage.classList.toggle("ids", this.unit >= AMPLE);
    this.labels = null;
    if (this.last) this.draw(this.last);
  }

  draw(args) {
    this.last = args;
    const now = moment(args);
    if (!this.labels || this.labels.frame !== args.frame) this.labels = this.label(args.frame);
    this.drawAreas(args.frame, now);
    args.frame.moves.forEach((move, i) =>
      this.drawMove(move, this.labels[i], now.done[i], this.tense(now, now.done[i], args.step, i)),
    );
    for (const pool of [this.arrows, this.sizes, this.costs, this.pluses, this.rings]) pool.end();
    this.frames.forEach((node, i) =>
      arena.put(node, { class: this.chosen === i + 1 ? "frame chosen" : "frame" }),
    );
    if (this.chosen) this.fillCard(args.frame);
    arena.marks(this.marks, args.marks, (name) => this.place(name), 1, this.unit);
    this.drawTip();
  }

  /** The id of the region that is pointed at, or in the card, where not all ids have room. */
  drawTip() {
    const i = this.pointed ?? this.region;
    const shown = i !== null && this.unit < AMPLE;
    arena.put(this.tip, { display: shown ? null : "none" });
    if (!shown) return;
    const text = `region ${i + 1}`;
    const { x, y } = this.map.points[i];
    const { x: left, width } = this.map.frame;
    const half = 0.3 * this.small * text.length;
    arena.put(this.tip, {
      text,
      x: arena.clamp(x, left + half, left + width - half),
      y: y + 0.5 * this.size + 0.6 * this.small,
    });
  }

  drawAreas(frame, { owner, armies }) {
    this.areas.forEach(({ region, fill, fog, title }, i) => {
      arena.put(fill, { fill: ownerColour(owner[i]) });
      arena.put(fog, { display: owner[i] === null ? null : "none" });
      arena.put(title, { text: this.regionText(i, owner[i], armies[i]) });
      const focus = arena.pickable(this, String(i + 1));
      arena.put(region, focus);
      this.drawToken(this.tokens[i], i, owner[i], armies[i]);
    });
    const rulers = this.map.zones.map((zone) => ruler(zone, owner));
    this.bonuses.forEach(({ pill }, i) =>
      arena.put(pill, {
        fill: rulers[i] === null ? "var(--ink)" : `var(--seat-${rulers[i]})`,
        class: rulers[i] === null ? "" : "ruled",
      }),
    );
    this.bonuses.forEach(({ text, title }, i) => {
      arena.put(text, {
        fill: rulers[i] === null ? "var(--paper)" : `var(--on-seat-${rulers[i]})`,
      });
      arena.put(title, { text: this.zoneText(this.map.zones[i], owner) });
    });
  }

  drawToken({ shape, number, id }, i, owner, armies) {
    const owned = owner !== null && owner >= 0;
    const text = armies === null ? "" : String(armies);
    const [half, tall] = this.tokenSize(text);
    arena.put(shape, {
      ...box(this.map.points[i], half, tall),
      rx: owner === 0 ? tall : 0.1,
      display: owned ? null : "none",
      stroke: ownerColour(owner),
    });
    arena.put(number, { text, class: owned ? "number owned" : "number" });
    arena.put(id, { text: String(i + 1), y: this.map.points[i].y + BELOW, fill: ownerInk(owner) });
  }

  /** Where the labels of each move stand once it is carried out: what a battle cost, how many were
   *  placed, how many were sent. */
  label(frame) {
    const heads = frame.moves.flatMap((move) => this.headBox(move));
    const fixed = [...this.tokenBoxes(frame.armies), ...this.idBoxes(), ...this.bonusBoxes()];
    const room = new Room([...fixed, ...heads]);
    const found = frame.moves.map(() => ({}));
    frame.moves.forEach((move, i) => (found[i].cost = this.costPlace(room, move)));
    frame.moves.forEach((move, i) => (found[i].plus = this.plusPlace(room, move)));
    frame.moves.forEach((move, i) => (found[i].size = this.sizePlace(room, move)));
    return Object.assign(found, { frame });
  }

  tokenBoxes(armies) {
    return this.map.points.map((point, i) => box(point, ...this.tokenSize(String(armies[i] ?? ""))));
  }

  idBoxes() {
    if (this.unit < AMPLE) return [];
    return this.map.points.map(({ x, y }) => box({ x, y: y + BELOW }, this.small * 0.6, this.small * 0.5));
  }

  /** Around the head of an arrow. */
  headBox([kind, , from, to]) {
    if (kind !== "attack" && kind !== "transfer") return [];
    return [box(this.ends(from - 1, to - 1)[1], HEAD, HEAD)];
  }

  bonusBoxes() {
    return this.unit < ROOMY
      ? []
      : this.bonuses.map(({ text, label }) => box(label, ...this.pillSize(text.textContent)));
  }

  tokenSize(text) {
    return [this.size * Math.max(0.72, 0.34 * text.length + 0.24), this.size * 0.72];
  }

  pillSize(text) {
    return [this.small * (0.5 + 0.32 * text.length), this.small * 0.72];
  }

  /** Half of the width of a number in a cost. */
  costSize(number) {
    return this.small * (0.2 + 0.3 * (1 + String(number).length));
  }

  costPlace(room, [kind, , , to, , lost, killed]) {
    if (kind !== "attack" || lost === null || this.unit < ROOMY) return null;
    const half = this.costSize(lost) + this.costSize(killed);
    const tall = 0.62 * this.small;
    const places = around(this.map.points[to - 1], this.size * 0.75 + half, this.size * 0.74 + tall);
    return room.take(places, half, tall);
  }

  plusPlace(room, [kind, , from, armies]) {
    if (kind !== "place") return null;
    const [half, tall] = [this.small * (0.35 + 0.31 * String(armies).length), 0.55 * this.small];
    const [top, low, right, left, ...others] = around(
      this.map.points[from - 1], this.size * 1.9, -this.size * 1.1);
    return room.take([right, left, top, low, ...others], half, tall);
  }

  /** Beside the shaft of the arrow. */
  sizePlace(room, [kind, , i, j, armies]) {
    if ((kind !== "attack" && kind !== "transfer") || armies === null) return null;
    const [from, to] = this.ends(i - 1, j - 1);
    const places = [0.3, 0.45, 0.15, 0.6].flatMap((part) =>
      [0.6, -0.75, 1.2, -1.3].map((off) => beside(from, to, BEND + off * this.small, part)));
    return room.take(places, this.small * (0.15 + 0.31 * String(armies).length), 0.5 * this.small);
  }

  /** How a move is shown: as the one that is carried out, quiet when all are, or, step by step, past. */
  tense({ still }, done, step, i) {
    if (still || (step === null && done >= 1)) return "quiet";
    return step !== null && i !== step - 1 ? "past" : "";
  }

  drawMove([kind, seat, from, to, ...rest], places, done, tense) {
    if (done <= 0) return;
    if (kind === "pick") this.drawRing(from - 1, seat, done);
    else if (kind === "place") this.drawPlus(places.plus, to, done, tense);
    else this.drawArrow(kind, seat, from - 1, to - 1, rest, places, done, tense);
  }

  drawRing(i, seat, done) {
    const { x, y } = this.map.points[i];
    const r = 0.85 + 0.4 * (1 - done);
    arena.put(this.rings.next(), { cx: x, cy: y, r, opacity: done });
  }

  drawPlus({ x, y }, armies, done, tense) {
    arena.put(this.pluses.next(), {
      text: `+${armies}`,
      x,
      y: y + this.size * 0.55 * (1 - arena.ease(done)),
      opacity: Math.min(1, 2 * done),
      class: `plus ${tense}`,
    });
  }

  /** Where an arrow between two regions begins and ends. */
  ends(i, j) {
    return shortened(this.map.points[i], this.map.points[j], 0.7 * this.size);
  }

  drawArrow(kind, seat, i, j, [armies, lost, killed], places, done, tense) {
    const [from, to] = this.ends(i, j);
    const eased = arena.ease(done);
    const tip = arena.bent(from, to, BEND, Math.max(0.15, eased));
    const width = Math.max(2.4 / this.unit, Math.min(0.5, 0.14 + 0.06 * Math.sqrt(armies || 4)));
    arena.put(this.arrows.next(), {
      d: arena.arrow(from, tip, width, BEND * eased),
      fill: `color-mix(in srgb, var(--seat-${seat}) 60%, #000)`,
      class: `arrow ${kind} ${tense}`,
    });
    if (places.size) this.drawSize(from, places.size, eased, tense, armies);
    if (places.cost && done >= 1) this.drawCost(places.cost, seat, lost, killed, tense);
  }

  drawSize(from, to, eased, tense, armies) {
    if (tense && this.unit < ROOMY) return;
    const [x, y] = [arena.lerp(from.x, to.x, eased), arena.lerp(from.y, to.y, eased)];
    arena.put(this.sizes.next(), { text: String(armies), x, y, class: `size ${tense}` });
  }

  /** What a battle cost: of the attackers, of the defenders. */
  drawCost({ x, y }, seat, lost, killed, tense) {
    const { small } = this;
    const [wide, wider] = [2 * this.costSize(lost), 2 * this.costSize(killed)];
    const middle = x + (wide - wider) / 2;
    const node = arena.put(this.costs.next(), {
      transform: `translate(${middle} ${y})`,
      class: `cost ${tense}`,
    });
    const [mine, theirs, one, other] = node.children;
    const shape = { y: -0.62 * small, height: 1.24 * small };
    arena.put(mine, { ...shape, x: -wide, width: wide, fill: `var(--seat-${seat})` });
    arena.put(theirs, { ...shape, x: 0, width: wider });
    arena.put(one, { x: -wide / 2, text: `−${lost}`, fill: `var(--on-seat-${seat})` });
    arena.put(other, { x: wider / 2, text: `−${killed}` });
  }

  // -- what people ask ------------------------------------------------------------------------

  regionText(i, owner, armies) {
    const { id, bonus } = this.map.zones[this.map.zoneOf[i]];
    const waste = this.map.wastelands.has(i) ? ", once a wasteland" : "";
    return `region ${i + 1} of super region ${id} (+${bonus})${waste}: ${this.heldText(owner, armies)}`;
  }

  heldText(owner, armies) {
    return owner === null ? "unseen" : `${this.name(owner)}, ${arena.counted(armies, "army", "armies")}`;
  }

  zoneText(zone, owner) {
    const held = holders(zone, owner).map(([who, count]) => `${who === null ? "unseen" : this.name(who)} ${count}`);
    return `super region ${zone.id} (+${zone.bonus}), ${arena.counted(zone.regions.length, "region")}: ${held.join(", ")}`;
  }

  name(owner) {
    return owner < 0 ? "neutral" : this.match.seats[owner].label;
  }

  click(i) {
    if (this.onpick) this.onpick(String(i + 1));
    else this.choose(this.map.zoneOf[i] + 1, i);
  }

  point(i) {
    this.pointed = i;
    this.drawTip();
  }

  /** Open the card of a super region, and of one of its regions; close it when it is open. */
  choose(id, region = null) {
    if (this.chosen === id && this.region === region) id = region = null;
    [this.chosen, this.region] = [id, region];
    this.card.hidden = !this.chosen;
    if (this.last) this.draw(this.last);
  }

  /** Close the card. */
  dismiss() {
    this.choose(null);
  }

  fillCard(frame) {
    const zone = this.map.zones[this.chosen - 1];
    const close = arena.el(
      "button",
      { type: "button", "aria-label": "Close", onclick: () => this.dismiss() },
      "×",
    );
    this.card.replaceChildren(
      arena.el("strong", {}, `Super region ${zone.id} · +${zone.bonus}`),
      close,
      this.regionLine(frame),
      arena.el("div", {}, `Regions ${zone.regions.map((i) => i + 1).join(", ")}`),
      ...holders(zone, frame.owner).map(([owner, count]) =>
        arena.el(
          "div",
          {},
          sign(owner),
          ` ${owner === null ? "unseen" : this.name(owner)}: ${count} of ${zone.regions.length}`,
        ),
      ),
    );
  }

  /** The region of the card: whose it is, and with how many armies. */
  regionLine({ owner, armies }) {
    if (this.region === null) return "";
    const waste = this.map.wastelands.has(this.region) ? ", once a wasteland" : "";
    const held = this.heldText(owner[this.region], armies[this.region]);
    return arena.el("div", { class: "chosen" }, `Region ${this.region + 1}${waste}: ${held}`);
  }

  place(name) {
    const player = /^player(\d+)$/.exec(name);
    if (player) return this.home(player[1] - 1);
    const [x, y] = name.split(",").map(Number);
    if (name.includes(",")) return Number.isFinite(x + y) ? { x, y } : null;
    return this.map.points[Number(name) - 1] || null;
  }

  /** The middle of what a seat holds. */
  home(seat) {
    const own = this.map.points.filter((_, i) => this.last.frame.owner[i] === seat);
    return own.length ? { x: mean(own.map((p) => p.x)), y: mean(own.map((p) => p.y)) } : null;
  }

  describe(frame) {
    const texts = this.match.seats.map(({ label }, seat) => {
      const regions = frame.owner.filter((owner) => owner === seat).length;
      const armies = frame.armies.reduce((sum, n, i) => sum + (frame.owner[i] === seat ? n : 0), 0);
      return `${label} holds ${arena.counted(regions, "region")} with ${arena.counted(armies, "army", "armies")}`;
    });
    const unseen = frame.owner.filter((owner) => owner === null).length;
    return `${texts.join(", ")}${unseen ? `, unseen: ${unseen}` : ""}.`;
  }

  table(frame) {
    return {
      head: ["region", "super region", "bonus", "owner", "armies", "neighbours"],
      rows: frame.owner.map((owner, i) => {
        const zone = this.map.zones[this.map.zoneOf[i]];
        const held = owner === null ? "unseen" : this.name(owner);
        const near = this.board.neighbors[i].join(" ");
        return [i + 1, zone.id, zone.bonus, held, frame.armies[i] ?? "", near];
      }),
    };
  }

  legend() {
    const seats = this.match.seats.map(({ label, letter }, seat) =>
      arena.el("li", {}, sign(seat), ` ${letter} ${label}`),
    );
    const bonuses = this.map.zones.map(({ id, bonus }) =>
      arena.el("button", { type: "button", "aria-label": `Super region ${id}: +${bonus}`,
        onclick: () => this.choose(id) }, `${id}: +${bonus}`),
    );
    return arena.el(
      "div",
      { class: "legend-warlight" },
      arena.el("ul", {}, ...seats, ...this.kinds()),
      arena.el("div", { class: "bonuses" }, "Super regions and their bonuses ", ...bonuses),
    );
  }

  kinds() {
    const kind = (owner, text, extra = "") =>
      arena.el(
        "li",
        {},
        arena.el("span", {
          class: `sign ${extra}`,
          style: { backgroundColor: ownerColour(owner) },
        }),
        ` ${text}`,
      );
    const lines = [
      [this.odd.ferries.length, "dashed lines link regions across water"],
      [this.odd.walls.length, "dotted borders cannot be passed"],
    ];
    return [
      kind(NEUTRAL, "neutral"),
      ...(this.map.wastelands.size ? [kind(NEUTRAL, "wasteland", "wasteland")] : []),
      kind(null, "unseen", "unseen"),
      arena.el("li", {}, "+5 placed · arrows: armies sent · −1 −2: lost by attacker and defender"),
      ...lines.filter(([count]) => count).map(([, text]) => arena.el("li", {}, text)),
    ];
  }
}

const BEND = 0.16; // of arrows, so that two that go to and fro lie apart
let boards = 0;

const sign = (owner) =>
  arena.el("span", {
    class: `sign ${owner === 0 ? "round" : ""}`,
    style: { background: ownerColour(owner) },
  });

/** The point so far beside a line, at a part of its way. */
function beside(from, to, off, part) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return {
    x: arena.lerp(from.x, to.x, part) - ((to.y - from.y) / length) * off,
    y: arena.lerp(from.y, to.y, part) + ((to.x - from.x) / length) * off,
  };
}

/** A line without its ends, so that numbers stay free. */
function shortened(from, to, by) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const at = Math.min(0.3, by / length);
  const between = (t) => ({ x: arena.lerp(from.x, to.x, t), y: arena.lerp(from.y, to.y, t) });
  return [between(at), between(1 - at)];
}

const box = ({ x, y }, half, tall) => ({
  x: x - half,
  y: y - tall,
  width: 2 * half,
  height: 2 * tall,
});

/** The armies of a region: a shape by its owner, their number, and the id of the region. */
function token(layer, { x, y }) {
  const shape = arena.svg("rect", { class: "token" });
  const number = arena.svg("text", { class: "number", x, y });
  const id = arena.svg("text", { class: "id", x });
  layer.append(arena.svg("g", {}, shape, number, id));
  return { shape, number, id };
}

/** The bonus of a super region; screen readers say its title. */
function bonus(layer, { bonus, label }, onclick) {
  const title = arena.svg("title", {});
  const pill = arena.svg("rect", {});
  const text = arena.svg("text", { x: label.x, y: label.y }, `+${bonus}`);
  const group = arena.svg("g", { class: "bonus", role: "img", onclick }, title, pill, text);
  layer.append(group);
  return { pill, text, title, label };
}

const cost = () =>
  arena.svg(
    "g",
    { class: "cost" },
    arena.svg("rect", {}),
    arena.svg("rect", { class: "theirs" }),
    arena.svg("text", {}),
    arena.svg("text", { class: "theirs" }),
  );

/** The seat that holds a whole super region, or null. */
function ruler({ regions }, owner) {
  const first = owner[regions[0]];
  return first !== null && first >= 0 && regions.every((i) => owner[i] === first) ? first : null;
}

/** Who holds how many regions of a super region, most first. */
function holders({ regions }, owner) {
  const counts = new Map();
  for (const i of regions) counts.set(owner[i], (counts.get(owner[i]) || 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

arena.boards.warlight = {
  /** The board of a match on an empty stage.
   *  @param {HTMLElement} stage  @param {object} match */
  make: (stage, match) => new Board(stage, match),
};
