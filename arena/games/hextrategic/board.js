// The board of Hextrategic: an SVG of hexagons with a corner upward. All nodes are made once, draw()
// changes their attributes.

const S = 20; // from the middle of a cell to its corner, in board units
const WIDTH = S * Math.sqrt(3);
const NEAR = [
  [1, 0],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [0, -1],
  [1, -1],
]; // edge i looks to NEAR[i]
const SMALLEST = 12; // px of a text on the screen
const COLOURS = ["red", "blue", "green", "orange", "purple", "brown"];
const MANY = 120; // moves, above which units do not glide: 450 took 190 ms a frame
const MARCHED = 0.62; // of a round's animation: all have arrived
const SETTLED = 0.8; // the battles are decided
const METALS = {
  bronze: { fill: "#c27a3e", line: "#5e3413", shape: "M0 -4L3.8 2.8H-3.8Z" },
  silver: { fill: "#e3e8ee", line: "#4b5563", shape: "M0 -4.6L3.6 0L0 4.6L-3.6 0Z" },
  gold: { fill: "#ffd21f", line: "#6b5000", shape: star(5, 5.2, 2.3) },
};

// -- geometry -----------------------------------------------------------------------------

/** @param {number} tips @param {number} outer @param {number} inner @returns {string} a path */
function star(tips, outer, inner) {
  const point = (i) => polar(i % 2 ? inner : outer, (i / tips) * 180 - 90);
  return `M${Array.from({ length: 2 * tips }, (_, i) => point(i).join(" ")).join("L")}Z`;
}

function polar(radius, degrees) {
  const angle = (degrees * Math.PI) / 180;
  return [round(radius * Math.cos(angle)), round(radius * Math.sin(angle))];
}

function round(value) {
  return Math.round(value * 100) / 100;
}

function middle([q, r]) {
  return { x: round(WIDTH * (q + r / 2)), y: 1.5 * S * r };
}

function corner(i, radius) {
  return polar(radius, 60 * i - 30);
}

function hexagon(radius) {
  return `M${[0, 1, 2, 3, 4, 5].map((i) => corner(i, radius).join(" ")).join("L")}Z`;
}

function viewBox(middles) {
  const margin = 1.12 * S;
  const xs = middles.map((at) => at.x);
  const ys = middles.map((at) => at.y);
  const left = Math.min(...xs) - margin;
  const top = Math.min(...ys) - margin;
  return [left, top, Math.max(...xs) + margin - left, Math.max(...ys) + margin - top].map(round);
}

/** Each pair of cells that touch, once: [cell, cell, the path of their common edge]. */
function commonEdges(cells, middles) {
  const ids = new Map(cells.map(([q, r], id) => [`${q},${r}`, id]));
  const found = [];
  cells.forEach(([q, r], id) =>
    NEAR.forEach(([dq, dr], i) => {
      const other = ids.get(`${q + dq},${r + dr}`);
      if (other > id) found.push([id, other, edgePath(middles[id], i)]);
    }),
  );
  return found;
}

function edgePath({ x, y }, i) {
  const ends = [corner(i, S), corner(i + 1, S)];
  return `M${ends.map(([dx, dy]) => `${round(x + dx)} ${round(y + dy)}`).join("L")}`;
}

/** Where an arrow between two cells begins and ends: a little to the right of the straight line, so
    that two that go against each other lie side by side. */
function lane(from, to, start, end) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const side = (0.17 * S) / Math.hypot(dx, dy);
  const at = (part) => [from.x + dx * part - dy * side, from.y + dy * part + dx * side];
  return [at(start), at(end)];
}

/** An arrow as a filled shape, `width` wide. */
function arrowPath(from, to, width) {
  const [[x, y], [tipX, tipY]] = lane(from, to, 0.26, 0.76);
  const length = Math.hypot(tipX - x, tipY - y);
  const [ux, uy] = [(tipX - x) / length, (tipY - y) / length];
  const head = 1.5 * width + 2.5;
  const at = (along, across) =>
    `${round(x + ux * along - uy * across)} ${round(y + uy * along + ux * across)}`;
  const neck = length - head;
  const [half, wing] = [width / 2, width / 2 + 2.4];
  const points = [
    at(0, -half),
    at(neck, -half),
    at(neck, -wing),
    at(length, 0),
    at(neck, wing),
    at(neck, half),
    at(0, half),
  ];
  return `M${points.join("L")}Z`;
}

function arrowWidth(units) {
  return Math.min(1.6 + 1.1 * Math.log2(1 + units), 8);
}

/** The dashed line of an auto-move, and its open head. */
function autoPath(from, to) {
  const [[x, y], [tipX, tipY]] = lane(from, to, 0.2, 0.62);
  const turn = Math.atan2(tipY - y, tipX - x) * (180 / Math.PI);
  const wing = (degrees) =>
    polar(0.22 * S, turn + degrees).map((d, i) => round(d + [tipX, tipY][i]));
  const tip = `${round(tipX)} ${round(tipY)}`;
  return {
    line: `M${round(x)} ${round(y)}L${tip}`,
    head: `M${wing(145).join(" ")}L${tip}L${wing(-145).join(" ")}`,
  };
}

// -- what a round was ---------------------------------------------------------------------

/** The state in which the moves of `frame` set out, or `frame` itself when it is the first. */
function origin(frame, before) {
  return before || { ...frame, moves: [] };
}

/** The cells where several sides met, each with its sides: [seat or -1, units], the strongest
    first. */
function battles(frame, before) {
  if (!before) return new Map();
  const left = departed(before, frame.moves);
  const sides = new Map();
  for (const [seat, , target, units] of frame.moves) {
    if (!sides.has(target))
      sides.set(target, new Map([[holder(frame, before, target), left[target]]]));
    const here = sides.get(target);
    here.set(seat, (here.get(seat) || 0) + units);
  }
  const fought = [...sides].map(([cell, here]) => [
    cell,
    [...here].filter(([, units]) => units > 0),
  ]);
  return new Map(
    fought
      .filter(([, here]) => here.length > 1)
      .map(([cell, here]) => [cell, here.sort((a, b) => b[1] - a[1])]),
  );
}

/** The cells of those who gave up or were removed were neutral when the moves set out. */
function holder(frame, before, cell) {
  const owner = before.owner[cell];
  return ["surrendered", "removed"].includes(frame.fate[owner]) ? -1 : owner;
}

/** The units of each cell after these moves have left it. */
function departed(before, moves) {
  const units = before.units.slice();
  for (const [, source, , count] of moves) units[source] -= count;
  return units;
}

/** What is to be seen at a moment: `state` has the owners and units of the cells, `done` the number
    of moves that are over or under way, `along` how far the last of them (by step), or all, are. */
function moment({ frame, before, fraction, step }) {
  const start = origin(frame, before);
  const count = frame.moves.length;
  if (step !== null && step < count) {
    const moves = frame.moves.slice(0, step);
    return {
      owner: start.owner,
      units: departed(start, moves),
      auto: start.auto,
      done: step,
      along: fraction,
      settled: 0,
      rest: false,
    };
  }
  const rest = fraction >= 1 || !before;
  const settled = rest ? 1 : arena.clamp((fraction - MARCHED) / (SETTLED - MARCHED), 0, 1);
  const shown = settled >= 1 ? frame : { ...start, units: departed(start, frame.moves) };
  return {
    owner: shown.owner,
    units: shown.units,
    auto: shown.auto,
    done: count,
    along: rest ? 1 : arena.clamp(fraction / MARCHED, 0, 1),
    settled,
    rest,
  };
}

// -- making the nodes ---------------------------------------------------------------------

function text(attrs) {
  return arena.svg("text", { "text-anchor": "middle", "pointer-events": "none", ...attrs });
}

function put(node, name, value) {
  arena.put(node, { [name]: value });
}

function write(node, words) {
  arena.put(node, { text: words });
}

function show(node, seen) {
  put(node, "display", seen ? "inline" : "none");
}

function moveTo(node, x, y) {
  put(node, "transform", `translate(${round(x)} ${round(y)})`);
}

function colourOf(owner) {
  if (owner === null) return "var(--unseen)";
  return owner < 0 ? "var(--neutral)" : `var(--seat-${owner})`;
}

function inkOf(owner) {
  if (owner === null) return "var(--on-unseen)";
  return owner < 0 ? "var(--on-neutral)" : `var(--on-seat-${owner})`;
}

function isCell(target) {
  return target !== null && target >= 0;
}

function makeCell(ground, labels, at, type) {
  const here = `translate(${at.x} ${at.y})`;
  const g = ground.appendChild(arena.svg("g", { transform: here }));
  const cell = {
    g,
    title: arena.svg("title"),
    hex: arena.svg("path", { d: hexagon(S), stroke: "var(--line)", "stroke-width": 0.7 }),
    tint: arena.svg("path", { class: "tint", d: hexagon(S), "pointer-events": "none" }),
    number: text({ "font-weight": 700 }),
    letter: text({ "font-weight": 600 }),
  };
  g.append(cell.title, cell.hex, cell.tint, ...metal(type));
  labels.appendChild(arena.svg("g", { transform: here }, cell.number, cell.letter));
  return cell;
}

/** A ring of its metal within the cell, and its sign in the upper corner. */
function metal(type) {
  const look = METALS[type];
  if (!look) return [];
  const ring = { d: hexagon(0.84 * S), fill: "none", "pointer-events": "none" };
  return [
    arena.svg("path", { ...ring, stroke: look.line, "stroke-width": 3.1, opacity: 0.75 }),
    arena.svg("path", { ...ring, stroke: look.fill, "stroke-width": 2 }),
    metalSign(type, 0, -0.66 * S),
  ];
}

function metalSign(type, x, y) {
  const { shape, fill, line } = METALS[type];
  const attrs = { d: shape, fill, stroke: line, "stroke-width": 0.9, "stroke-linejoin": "round" };
  return arena.svg("path", {
    ...attrs,
    transform: `translate(${x} ${y})`,
    "pointer-events": "none",
  });
}

/** Nodes that are used again: `show(items, dress)` has one for each item, and hides the others.
 *  `dress(node, item, i)` makes it fit. */
function pool(parent, make) {
  const nodes = [];
  return {
    show(items, dress) {
      while (nodes.length < items.length) nodes.push(make(parent));
      nodes.forEach(({ g }, i) => show(g, i < items.length));
      items.forEach((item, i) => dress(nodes[i], item, i));
    },
  };
}

function makeArrow(parent) {
  const title = arena.svg("title");
  const halo = arena.svg("path", {
    fill: "none",
    stroke: "var(--paper)",
    "stroke-width": 2.6,
    "stroke-linejoin": "round",
    "pointer-events": "none",
  });
  const shape = arena.svg("path", {
    stroke: "var(--ink)",
    "stroke-width": 0.8,
    "stroke-linejoin": "round",
  });
  return { g: parent.appendChild(arena.svg("g", {}, title, halo, shape)), title, halo, shape };
}

function makeAuto(parent) {
  const line = arena.svg("path", { "stroke-dasharray": "2.6 2.2" });
  const head = arena.svg("path");
  const g = arena.svg(
    "g",
    {
      fill: "none",
      stroke: "var(--ink)",
      "stroke-width": 1.5,
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
    },
    line,
    head,
  );
  return { g: parent.appendChild(g), line, head };
}

function makeToken(parent) {
  const disc = arena.svg("circle", { stroke: "var(--ink)", "stroke-width": 1 });
  const number = text({ "font-weight": 700 });
  return { g: parent.appendChild(arena.svg("g", {}, disc, number)), disc, number };
}

function makeBurst(parent) {
  const outline = { d: star(10, 0.8 * S, 0.62 * S), "stroke-linejoin": "round" };
  const halo = arena.svg("path", {
    ...outline,
    fill: "none",
    stroke: "var(--paper)",
    "stroke-width": 2.6,
  });
  const shape = arena.svg("path", {
    ...outline,
    fill: "var(--ink)",
    stroke: "var(--ink)",
    "stroke-width": 1.3,
  });
  const words = text({ fill: "var(--paper)", "font-weight": 700 });
  const rays = arena.svg("g", {}, halo, shape);
  return {
    g: parent.appendChild(arena.svg("g", { "pointer-events": "none" }, rays, words)),
    rays,
    halo,
    shape,
    words,
  };
}

function makeNotice(parent) {
  const words = text({ fill: "var(--paper)", "font-weight": 700 });
  const plate = arena.svg("rect", { fill: "var(--ink)", rx: 4 });
  const g = arena.svg("g", { "pointer-events": "none" }, plate, words);
  return { g: parent.appendChild(g), plate, words };
}

// -- the board ----------------------------------------------------------------------------

const BORDERS = {
  fill: "none",
  stroke: "var(--ink)",
  "stroke-width": 2.4,
  "stroke-linecap": "round",
};
const UNTOUCHED = { "pointer-events": "none" };

class Board {
  constructor(stage, match) {
    this.stage = stage;
    this.match = match;
    this.names = match.seats.map((seat) => seat.label);
    this.onpick = null;
    this.last = null; // what was drawn last
    this.scale = 1; // px of a board unit
    this.cells = match.first.board.cells;
    this.middles = this.cells.map(middle);
    this.edges = commonEdges(this.cells, this.middles);
    this.box = viewBox(this.middles);
    this.build();
    this.setSizes();
    new ResizeObserver(() => this.resize()).observe(this.svg);
  }

  /** How many single orders the round of a frame animates. */
  steps(frame) {
    return frame.moves.length;
  }

  /** What colours, patterns and signs mean. */
  legend() {
    return legend(this.match);
  }

  /** All layers, the lowest first. */
  build() {
    const attrs = { viewBox: this.box.join(" "), width: "100%", height: "100%" };
    this.svg = arena.svg("svg", attrs);
    const layer = (more) => this.svg.appendChild(arena.svg("g", more));
    const ground = layer();
    this.borders = layer(UNTOUCHED).appendChild(arena.svg("path", BORDERS));
    this.arrowLayer = layer();
    this.arrows = pool(this.arrowLayer, makeArrow);
    this.autos = pool(layer(UNTOUCHED), makeAuto);
    this.labels = layer(UNTOUCHED);
    this.tokens = pool(layer(UNTOUCHED), makeToken);
    this.bursts = pool(layer(UNTOUCHED), makeBurst);
    this.notices = pool(layer(UNTOUCHED), makeNotice);
    this.drawings = layer();
    this.nodes = this.cells.map(([, , type], id) =>
      makeCell(ground, this.labels, this.middles[id], type),
    );
    this.svg.addEventListener("click", (event) => this.pick(event));
    this.svg.addEventListener("keydown", (event) => arena.picksPlace(event) && this.pick(event));
    this.stage.append(this.svg);
  }

  draw(view) {
    this.last = view;
    const { frame, before } = view;
    const now = { ...moment(view), battles: battles(frame, before) };
    this.setPickable();
    this.nodes.forEach((node, id) => this.drawCell(node, id, now));
    this.drawBorders(now.owner);
    this.drawAutos(now.auto);
    this.drawArrows(view, now);
    this.drawTokens(view, now);
    this.drawBursts(now);
    this.drawNotices(view, now);
    arena.marks(this.drawings, view.marks, (name) => this.place(name), WIDTH, this.scale);
  }

  // -- cells --

  drawCell(node, id, now) {
    const owner = now.owner[id];
    const held = owner !== null && owner >= 0;
    put(node.hex, "fill", colourOf(owner));
    put(node.tint, "fill", held ? arena.pattern(this.svg, owner) : "none");
    put(node.number, "fill", inkOf(owner));
    put(node.number, "opacity", owner === -1 ? 0.75 : 1);
    write(node.number, now.units[id] === null ? "" : String(now.units[id]));
    show(node.number, now.rest || now.settled === 0 || !now.battles.has(id));
    put(node.letter, "fill", inkOf(owner));
    write(node.letter, held ? this.match.seats[owner].letter : "");
    write(node.title, this.cellText(id, now));
  }

  nameOf(owner) {
    if (owner === null) return "not seen";
    return owner < 0 ? "neutral" : this.names[owner];
  }

  cellText(id, { owner, units, auto, battles: fought }) {
    const type = this.cells[id][2];
    const kind = type === "normal" ? "" : `, ${type}`;
    if (owner[id] === null) return `cell ${id}${kind}, not seen`;
    const held = `${this.nameOf(owner[id])}, ${arena.counted(units[id], "unit")}`;
    const sends = isCell(auto[id]) ? `, auto-move to ${auto[id]}` : "";
    return `cell ${id}${kind}: ${held}${sends}${this.battleText(fought.get(id))}`;
  }

  battleText(sides) {
    if (!sides) return "";
    const each = sides.map(([seat, units]) => `${this.nameOf(seat)} ${units}`);
    return `; battle: ${each.join(" against ")}`;
  }

  drawBorders(owner) {
    const thick = this.edges.filter(([one, other]) => owner[one] !== owner[other]);
    put(this.borders, "d", thick.map(([, , path]) => path).join("") || "M0 0");
  }

  resize() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !height) return;
    this.scale = Math.min(width / this.box[2], height / this.box[3]);
    this.setSizes();
    if (this.last) this.draw(this.last);
  }

  /** The size of a text in board units: never too small to be read on the screen. */
  textSize(wanted) {
    return round(Math.max(wanted * S, SMALLEST / this.scale));
  }

  /** On a small screen letters go first, then numbers, when a cell has no room for them. */
  setSizes() {
    const number = this.textSize(0.62);
    const small = this.textSize(0.42);
    const both = number + small < 1.5 * S;
    show(this.labels, number < 0.95 * S);
    for (const node of this.nodes) {
      put(node.number, "font-size", number);
      put(node.number, "y", round((both ? 0.2 : 0.35) * number));
      put(node.letter, "font-size", small);
      put(node.letter, "y", round(0.26 * number + 0.92 * small));
      show(node.letter, both);
    }
  }

  // -- moves --

  drawAutos(auto) {
    const sources = this.cells.map((_, id) => id).filter((id) => isCell(auto[id]));
    this.autos.show(sources, ({ line, head }, source) => {
      const paths = autoPath(this.middles[source], this.middles[auto[source]]);
      put(line, "d", paths.line);
      put(head, "d", paths.head);
    });
  }

  /** At rest, moves between own cells are quieter than those into others. */
  drawArrows({ frame, before }, { done, rest }) {
    this.arrows.show(frame.moves.slice(0, done), (node, [seat, source, target, units]) => {
      const path = arrowPath(this.middles[source], this.middles[target], arrowWidth(units));
      const own = before && before.owner[target] === seat;
      put(node.halo, "d", path);
      put(node.shape, "d", path);
      put(node.shape, "fill", colourOf(seat));
      put(node.g, "opacity", rest && own ? 0.55 : 0.95);
      const words = `${arena.counted(units, "unit")} from ${source} to ${target}`;
      write(node.title, `${this.nameOf(seat)}: ${words}`);
    });
  }

  /** Units on their way: all at once, or, when stepping, the last of those that have set out. */
  drawTokens({ frame, step }, { done, along, settled }) {
    const stepping = step !== null && step < frame.moves.length;
    const moving = settled < 1 && frame.moves.length <= MANY ? frame.moves.slice(0, done) : [];
    this.tokens.show(moving, (node, move, i) => {
      this.drawToken(node, move, stepping && i < done - 1 ? 1 : along);
      put(node.g, "opacity", round(1 - settled));
    });
  }

  drawToken({ g, disc, number }, [seat, source, target, units], along) {
    const [from, to] = [this.middles[source], this.middles[target]];
    const part = 0.7 * arena.ease(along); // they wait around the cell for the battle
    const size = this.textSize(0.52);
    const room = 0.36 * size * (1 + String(units).length * 0.42);
    moveTo(g, arena.lerp(from.x, to.x, part), arena.lerp(from.y, to.y, part));
    put(disc, "r", round(Math.max(0.46 * S, room)));
    put(disc, "fill", colourOf(seat));
    put(number, "font-size", size);
    put(number, "y", round(0.35 * size));
    put(number, "fill", inkOf(seat));
    write(number, String(units));
  }

  // -- what came of them --

  drawBursts({ battles: fought, settled, rest }) {
    this.bursts.show(settled > 0 ? [...fought] : [], (node, [cell, sides]) => {
      moveTo(node.g, this.middles[cell].x, this.middles[cell].y);
      const size = rest ? 1 : round(0.5 + 0.7 * arena.ease(settled));
      put(node.rays, "transform", `scale(${size})`);
      put(node.shape, "fill-opacity", rest ? 0 : 0.92);
      put(node.halo, "opacity", rest ? 0.55 : 1);
      this.drawStrengths(node.words, rest ? [] : sides);
    });
  }

  /** While it is fought, the units of the two strongest. */
  drawStrengths(words, sides) {
    const size = this.textSize(0.5);
    const strongest = sides.slice(0, 2).map(([, units]) => units);
    put(words, "font-size", size);
    put(words, "y", round(0.35 * size));
    write(words, strongest.join(":"));
  }

  /** Who went out in this round, where it last stood. */
  drawNotices({ frame, before }, { settled }) {
    const known = settled >= 1 && before && frame.owner[0] !== null;
    const seats = known ? this.names.map((_, seat) => seat) : [];
    const out = seats.filter(
      (seat) => before.fate[seat] === "survived" && frame.fate[seat] !== "survived",
    );
    this.notices.show(out, (node, seat) => {
      const home = this.middles[before.owner.indexOf(seat)];
      show(node.g, Boolean(home));
      if (home) this.drawNotice(node, `${this.names[seat]} is out`, home);
    });
  }

  drawNotice({ g, plate, words }, said, at) {
    const size = this.textSize(0.55);
    const width = round((said.length * 0.58 + 1) * size);
    const [left, top, whole] = this.box;
    const x = arena.clamp(at.x, left + width / 2, left + whole - width / 2);
    moveTo(g, x, Math.max(at.y - 0.95 * S, top + 0.9 * size));
    const area = { x: -width / 2, y: -0.85 * size, width, height: 1.7 * size };
    Object.entries(area).forEach(([name, value]) => put(plate, name, round(value)));
    put(words, "font-size", size);
    put(words, "y", round(0.35 * size));
    write(words, said);
  }

  // -- picking --

  setPickable() {
    put(this.arrowLayer, "pointer-events", this.onpick ? "none" : "auto");
    this.nodes.forEach(({ g }, id) => arena.put(g, arena.pickable(this, String(id))));
  }

  pick(event) {
    const id = this.nodes.findIndex(({ g }) => g.contains(event.target));
    if (id >= 0 && this.onpick) this.onpick(String(id));
  }

  // -- words --

  describe(frame) {
    if (frame.owner[0] === null) return `Round ${frame.round}: this player is told no more.`;
    const each = this.names.map((_, seat) => this.standing(frame, seat));
    const moves = arena.counted(frame.moves.length, "move");
    return `Round ${frame.round} of ${frame.rounds}: ${each.join("; ")}. ${moves} in this round.`;
  }

  standing(frame, seat) {
    if (frame.fate[seat] !== "survived") return `${this.names[seat]} is out`;
    const own = frame.units.filter((_, id) => frame.owner[id] === seat);
    const units = own.reduce((sum, one) => sum + one, 0);
    return `${this.names[seat]} has ${arena.counted(own.length, "cell")} and ${arena.counted(units, "unit")}`;
  }

  table({ owner, units, auto }) {
    const { neighbors } = this.match.first.board;
    const told = (value) => (value === null ? "not seen" : value);
    const rows = this.cells.map(([q, r, type], id) => [
      id,
      `${q}, ${r}`,
      type,
      this.nameOf(owner[id]),
      told(units[id]),
      auto[id] === -1 ? "none" : told(auto[id]),
      neighbors[id].join(" "),
    ]);
    const head = ["Cell", "q, r", "Type", "Owner", "Units", "Auto-move to", "Neighbours"];
    return { head, rows };
  }

  /** @returns {{x: number, y: number} | null} in board units: of `12`, of `q,r`, or where
   *  `player1` starts */
  place(name) {
    const player = /^player([1-9])$/.exec(name);
    if (player) return this.middles[this.match.first.owner.indexOf(player[1] - 1)] || null;
    if (/^\d+$/.test(name)) return this.middles[Number(name)] || null;
    return this.middles[this.cells.findIndex(([q, r]) => `${q},${r}` === name)] || null;
  }
}

// -- the legend ---------------------------------------------------------------------------

/** What shapes, patterns and lines mean. */
function legend(match) {
  const { income } = match.settings;
  const seats = match.seats.map((seat, i) =>
    item(seatSwatch(i, seat.letter), `${seat.label} (${COLOURS[i]})`),
  );
  const types = ["bronze", "silver", "gold"].map((type, i) =>
    item(swatch(...metal(type)), `${type}: ${income[i + 1]} units a round (others ${income[0]})`),
  );
  return arena.el(
    "ul",
    { class: "legend" },
    ...seats,
    ...types,
    item(swatch(...sampleArrow()), "units that moved in this round; wider: more"),
    item(swatch(...sampleAuto()), "auto-move"),
    item(swatch(sampleBurst()), "battle"),
    item(swatch(sampleBorder()), "border between owners"),
  );
}

function item(picture, words) {
  return arena.el("li", {}, picture, words);
}

function swatch(...shapes) {
  const hex = arena.svg("path", { d: hexagon(S), fill: "var(--neutral)", stroke: "var(--line)" });
  const box = { viewBox: "-21 -21 42 42", width: 28, height: 28, "aria-hidden": "true" };
  return arena.svg("svg", box, hex, ...shapes);
}

function seatSwatch(seat, letter) {
  const svg = swatch(arena.svg("path", { d: hexagon(S), fill: `var(--seat-${seat})` }));
  svg.append(arena.svg("path", { d: hexagon(S), fill: arena.pattern(svg, seat) }));
  const name = text({ y: 6, "font-size": 18, "font-weight": 700, fill: `var(--on-seat-${seat})` });
  name.textContent = letter;
  svg.append(name);
  return svg;
}

function sampleArrow() {
  const path = arrowPath({ x: -22, y: 2 }, { x: 22, y: 2 }, 5);
  return [
    arena.svg("path", {
      d: path,
      fill: "var(--seat-0)",
      stroke: "var(--ink)",
      "stroke-width": 0.8,
    }),
  ];
}

function sampleAuto() {
  const { line, head } = autoPath({ x: -18, y: 0 }, { x: 26, y: 0 });
  const attrs = { fill: "none", stroke: "var(--ink)", "stroke-width": 2.2 };
  return [
    arena.svg("path", { ...attrs, d: line, "stroke-dasharray": "4 3" }),
    arena.svg("path", { ...attrs, d: head }),
  ];
}

function sampleBurst() {
  return arena.svg("path", {
    d: star(10, 0.8 * S, 0.62 * S),
    fill: "none",
    stroke: "var(--ink)",
    "stroke-width": 2,
  });
}

function sampleBorder() {
  return arena.svg("path", { d: "M0 -20V20", stroke: "var(--ink)", "stroke-width": 4 });
}

arena.boards.hextrategic = {
  /** The board of a match on an empty stage.
   *  @param {HTMLElement} stage  @param {object} match */
  make: (stage, match) => new Board(stage, match),
};
