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

function layer(svg, attrs) {
  return svg.appendChild(arena.svg("g", attrs));
}

function text(attrs) {
  return arena.svg("text", { "text-anchor": "middle", "pointer-events": "none", ...attrs });
}

function put(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

function write(node, words) {
  if (node.textContent !== words) node.textContent = words;
}

function show(node, seen) {
  put(node, "display", seen ? "inline" : "none");
}

function makeCell(ground, labels, at, type) {
  const here = `translate(${at.x} ${at.y})`;
  const g = ground.appendChild(arena.svg("g", { transform: here }));
  const cell = {
    g,
    title: arena.svg("title"),
    hex: arena.svg("path", { d: hexagon(S), stroke: "var(--line)", "stroke-width": 0.7 }),
    tint: arena.svg("path", { d: hexagon(S), "pointer-events": "none" }),
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

/** Nodes that are used again: `take(i)` makes what is missing, `rest(n)` hides those from n on. */
function pool(parent, make) {
  const nodes = [];
  return {
    take(i) {
      if (!nodes[i]) nodes[i] = make(parent);
      show(nodes[i].g, true);
      return nodes[i];
    },
    rest(count) {
      nodes.slice(count).forEach((one) => show(one.g, false));
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

/** @param {HTMLElement} stage @param {object} match */
function make(stage, match) {
  const { cells, neighbors } = match.first.board;
  const middles = cells.map(middle);
  const edges = commonEdges(cells, middles);
  const box = viewBox(middles);
  const svg = arena.svg("svg", { viewBox: box.join(" "), width: "100%", height: "100%" });
  stage.append(svg);
  const ground = layer(svg, {});
  const borders = layer(svg, { "pointer-events": "none" }).appendChild(
    arena.svg("path", {
      fill: "none",
      stroke: "var(--ink)",
      "stroke-width": 2.4,
      "stroke-linecap": "round",
    }),
  );
  const autos = pool(layer(svg, { "pointer-events": "none", opacity: 0.8 }), makeAuto);
  const arrowLayer = layer(svg, {});
  const arrows = pool(arrowLayer, makeArrow);
  const labels = layer(svg, { "pointer-events": "none" });
  const tokens = pool(layer(svg, { "pointer-events": "none" }), makeToken);
  const bursts = pool(layer(svg, {}), makeBurst);
  const notices = pool(layer(svg, {}), makeNotice);
  const drawings = layer(svg, {});
  const nodes = cells.map((cell, id) => makeCell(ground, labels, middles[id], cell[2]));
  const names = match.seats.map((seat) => seat.label);
  let last = null;
  let scale = 1;

  function nameOf(owner) {
    return owner === null ? "not seen" : owner < 0 ? "neutral" : names[owner];
  }

  function colour(owner) {
    if (owner === null) return "var(--unseen)";
    return owner < 0 ? "var(--neutral)" : `var(--seat-${owner})`;
  }

  function ink(owner) {
    if (owner === null) return "var(--on-unseen)";
    return owner < 0 ? "var(--on-neutral)" : `var(--on-seat-${owner})`;
  }

  function tint(owner) {
    return owner === null || owner < 0 ? "none" : arena.pattern(svg, owner);
  }

  // -- cells --

  function drawCell(node, id, now) {
    const owner = now.owner[id];
    put(node.hex, "fill", colour(owner));
    put(node.tint, "fill", tint(owner));
    put(node.number, "fill", ink(owner));
    put(node.number, "opacity", owner === -1 ? 0.75 : 1);
    write(node.number, now.units[id] === null ? "" : String(now.units[id]));
    put(node.letter, "fill", ink(owner));
    write(node.letter, owner === null || owner < 0 ? "" : match.seats[owner].letter);
    write(node.title, cellText(id, now));
    show(node.number, now.rest || now.settled === 0 || !now.battles.has(id));
  }

  function cellText(id, now) {
    const kind = cells[id][2] === "normal" ? "" : `, ${cells[id][2]}`;
    if (now.owner[id] === null) return `cell ${id}${kind}, not seen`;
    const auto = now.auto[id] >= 0 && now.auto[id] !== null ? `, auto-move to ${now.auto[id]}` : "";
    return `cell ${id}${kind}: ${nameOf(now.owner[id])}, ${counted(now.units[id], "unit")}${auto}${battleText(now.battles.get(id))}`;
  }

  function battleText(sides) {
    return sides
      ? `; battle: ${sides.map(([seat, units]) => `${nameOf(seat)} ${units}`).join(" against ")}`
      : "";
  }

  function counted(count, noun) {
    return `${count} ${noun}${count === 1 ? "" : "s"}`;
  }

  function drawBorders(owner) {
    const thick = edges.filter(([one, other]) => owner[one] !== owner[other]);
    put(borders, "d", thick.map(([, , path]) => path).join("") || "M0 0");
  }

  /** Texts grow on a small screen until they can be read, and go when no cell has room for them. */
  function setSizes() {
    const least = SMALLEST / scale;
    const number = Math.max(0.62 * S, least);
    const small = Math.max(0.42 * S, least);
    const both = number + small < 1.5 * S;
    put(labels, "display", number < 0.95 * S ? "inline" : "none");
    nodes.forEach((node) => {
      put(node.number, "font-size", round(number));
      put(node.number, "y", round((both ? 0.28 : 0.35) * number));
      put(node.letter, "font-size", round(small));
      put(node.letter, "y", round(0.26 * number + 0.86 * small));
      show(node.letter, both);
    });
  }

  // -- moves --

  function drawAutos(auto) {
    let count = 0;
    auto.forEach((target, source) => {
      if (target === null || target < 0) return;
      const { line, head } = autos.take(count++);
      const paths = autoPath(middles[source], middles[target]);
      put(line, "d", paths.line);
      put(head, "d", paths.head);
    });
    autos.rest(count);
  }

  function drawArrows(frame, before, now) {
    frame.moves.slice(0, now.done).forEach((move, i) => {
      const [seat, source, target, units] = move;
      const node = arrows.take(i);
      const path = arrowPath(middles[source], middles[target], arrowWidth(units));
      put(node.halo, "d", path);
      put(node.shape, "d", path);
      put(node.shape, "fill", colour(seat));
      put(
        node.g,
        "opacity",
        !now.rest ? 0.9 : before && before.owner[target] === seat ? 0.55 : 0.95,
      );
      write(node.title, `${nameOf(seat)}: ${counted(units, "unit")} from ${source} to ${target}`);
    });
    arrows.rest(now.done);
  }

  /** Units on their way: all during a round, only the last of them when stepping. */
  function drawTokens(frame, now, step) {
    const stepping = step !== null && step < frame.moves.length;
    const moving = now.settled >= 1 ? [] : frame.moves.slice(0, now.done);
    moving.forEach((move, i) => {
      const token = tokens.take(i);
      drawToken(token, move, stepping && i < now.done - 1 ? 1 : now.along);
      put(token.g, "opacity", round(1 - now.settled));
    });
    tokens.rest(moving.length);
  }

  function drawToken(node, [seat, source, target, units], along) {
    const [from, to] = [middles[source], middles[target]];
    const part = 0.7 * arena.ease(along); // they wait around the cell for the battle
    const size = Math.max(0.52 * S, SMALLEST / scale);
    const radius = Math.max(0.46 * S, 0.36 * size * (1 + String(units).length * 0.42));
    const at = `translate(${round(arena.lerp(from.x, to.x, part))} ${round(arena.lerp(from.y, to.y, part))})`;
    put(node.g, "transform", at);
    put(node.disc, "r", round(radius));
    put(node.disc, "fill", colour(seat));
    put(node.number, "font-size", round(size));
    put(node.number, "y", round(0.35 * size));
    put(node.number, "fill", ink(seat));
    write(node.number, String(units));
  }

  // -- what came of them --

  function drawBursts(now) {
    const found = now.settled > 0 ? [...now.battles] : [];
    found.forEach(([cell, sides], i) => drawBurst(bursts.take(i), middles[cell], sides, now));
    bursts.rest(found.length);
  }

  /** While it is fought the strengths of the sides, at rest only the outline. */
  function drawBurst({ g, rays, halo, shape, words }, { x, y }, sides, now) {
    const size = Math.max(0.5 * S, SMALLEST / scale);
    put(g, "transform", `translate(${x} ${y})`);
    put(rays, "transform", `scale(${now.rest ? 1 : round(0.5 + 0.7 * arena.ease(now.settled))})`);
    put(shape, "fill-opacity", now.rest ? 0 : 0.92);
    put(halo, "opacity", now.rest ? 0.55 : 1);
    put(words, "font-size", round(size));
    put(words, "y", round(0.35 * size));
    write(
      words,
      now.rest
        ? ""
        : sides
            .slice(0, 2)
            .map(([, units]) => units)
            .join(":"),
    );
  }

  /** Who went out in this round, where it last stood. */
  function drawNotices(frame, before, now) {
    const out =
      now.settled < 1 || !before || frame.owner[0] === null
        ? []
        : names
            .map((name, seat) => seat)
            .filter((seat) => before.fate[seat] === "survived" && frame.fate[seat] !== "survived");
    const shown = out
      .map((seat) => [seat, before.owner.indexOf(seat)])
      .filter(([, cell]) => cell >= 0);
    shown.forEach(([seat, cell], i) =>
      drawNotice(notices.take(i), `${names[seat]} is out`, middles[cell]),
    );
    notices.rest(shown.length);
  }

  function drawNotice(node, words, at) {
    const size = Math.max(0.55 * S, SMALLEST / scale);
    const width = words.length * size * 0.58 + size;
    const x = arena.clamp(at.x, box[0] + width / 2, box[0] + box[2] - width / 2);
    put(node.g, "transform", `translate(${round(x)} ${round(at.y - 0.95 * S)})`);
    for (const [name, value] of [
      ["x", -width / 2],
      ["y", -0.85 * size],
      ["width", width],
      ["height", 1.7 * size],
    ]) {
      put(node.plate, name, round(value));
    }
    put(node.words, "font-size", round(size));
    put(node.words, "y", round(0.35 * size));
    write(node.words, words);
  }

  // -- picking --

  function setPickable(pickable) {
    if (pickable === (stage.getAttribute("role") === "group")) return;
    put(stage, "role", pickable ? "group" : "img");
    put(arrowLayer, "pointer-events", pickable ? "none" : "auto");
    nodes.forEach(({ g }) => {
      if (pickable) {
        g.setAttribute("tabindex", "0");
        g.setAttribute("role", "button");
      } else {
        g.removeAttribute("tabindex");
        g.removeAttribute("role");
      }
      g.setAttribute("cursor", pickable ? "pointer" : "default");
    });
  }

  function pick(event) {
    const id = nodes.findIndex(({ g }) => g.contains(event.target));
    if (id >= 0 && board.onpick) board.onpick(String(id));
  }

  function pickByKey(event) {
    if (event.key !== "Enter") return;
    pick(event);
  }

  // -- what the page calls --

  function draw(view) {
    const { frame, before, step, marks } = view;
    last = view;
    const now = { ...moment(view), battles: battles(frame, before) };
    setPickable(Boolean(board.onpick));
    nodes.forEach((node, id) => drawCell(node, id, now));
    drawBorders(now.owner);
    drawAutos(now.auto);
    drawBursts(now);
    drawArrows(frame, before, now);
    drawTokens(frame, now, step);
    drawNotices(frame, before, now);
    arena.marks(drawings, marks, place, WIDTH);
  }

  function standing(frame, seat) {
    const own = frame.owner.map((owner, id) => (owner === seat ? id : -1)).filter((id) => id >= 0);
    if (!own.length)
      return `${names[seat]} ${frame.fate[seat] === "survived" ? "has no cell" : "is out"}`;
    const units = own.reduce((sum, id) => sum + frame.units[id], 0);
    return `${names[seat]} has ${counted(own.length, "cell")} and ${counted(units, "unit")}`;
  }

  function describe(frame) {
    if (frame.owner[0] === null) return `Round ${frame.round}: this player is told no more.`;
    const moves = frame.moves.length
      ? ` ${counted(frame.moves.length, "move")} in this round.`
      : "";
    return `Round ${frame.round} of ${frame.rounds}: ${names.map((_, seat) => standing(frame, seat)).join("; ")}.${moves}`;
  }

  function table(frame) {
    const rows = cells.map(([q, r, type], id) => [
      id,
      `${q}, ${r}`,
      type,
      nameOf(frame.owner[id]),
      frame.units[id] ?? "not seen",
      frame.auto[id] === null ? "not seen" : frame.auto[id] < 0 ? "" : frame.auto[id],
      neighbors[id].join(" "),
    ]);
    return { head: ["Cell", "q, r", "Type", "Owner", "Units", "Auto-move to", "Neighbours"], rows };
  }

  function place(name) {
    const player = /^player([1-9])$/.exec(name);
    const id = player
      ? match.first.owner.indexOf(player[1] - 1)
      : /^\d+$/.test(name)
        ? Number(name)
        : -1;
    return middles[id] || byCoordinates(name);
  }

  function byCoordinates(name) {
    const id = cells.findIndex(([q, r]) => `${q},${r}` === name);
    return middles[id] || null;
  }

  const observer = new ResizeObserver(
    ([
      {
        contentRect: { width, height },
      },
    ]) => {
      if (!width || !height) return;
      scale = Math.min(width / box[2], height / box[3]);
      setSizes();
      if (last) draw(last);
    },
  );
  observer.observe(svg);
  svg.addEventListener("click", pick);
  svg.addEventListener("keydown", pickByKey);

  const board = {
    steps: (frame) => frame.moves.length,
    draw,
    describe,
    table,
    place,
    legend: () => legend(match),
    onpick: null,
  };
  setSizes();
  return board;
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

arena.boards.hextrategic = { make };
