// What bots draw over a board.

const TEXT = 0.3; // of a cell
const LEAST = 40; // pixels: so large as of such a cell are texts and signs of smaller ones, too
const NEEDS_TWO = new Set(["arrow", "order"]);
const SIGNS = {
  good: "M-1 0L-.3 .7L1 -.7",
  bad: "M-.8 -.8L.8 .8M.8 -.8L-.8 .8",
  info: "M-.9 0a.9 .9 0 1 0 1.8 0a.9 .9 0 1 0 -1.8 0",
  plan: "M0 -1L1 0L0 1L-1 0Z",
};

/** Draw marks (arena/view/drawings.py) into a group that lies over the board in its coordinates.
 *  @param place the board's: from a name to {x, y}, or null; `sign` and `words` say where marks and
 *  texts stand, if not beside and below it
 *  @param unit the size of a cell in the coordinates of the board
 *  @param scale pixels of 1 in these coordinates */
arena.marks = (group, marks, place, unit, scale) => {
  const pen = Math.max(unit, LEAST / scale);
  group.replaceChildren(...marks.map((mark) => drawn(mark, place, unit, pen)).filter(Boolean));
};

function drawn(mark, place, unit, pen) {
  const points = mark.places.map((name) => place(name, mark.seat));
  const known = points.filter(Boolean);
  if (!known.length || (NEEDS_TWO.has(mark.kind) && known.length < 2)) return null;
  const shapes = SHAPES[mark.kind](mark, known, unit, pen, points);
  return arena.svg("g", { class: `drawing drawing-${mark.style || "info"}` }, shapes);
}

const path = (d, width, more = {}) => [
  arena.svg("path", { d, class: "halo", "stroke-width": width * 2, ...more }),
  arena.svg("path", { d, class: "pen", "stroke-width": width, ...more }),
];

const SHAPES = {
  text: ({ text }, [at], unit, pen) =>
    arena.svg("text", { ...(at.words || { x: at.x, y: at.y + unit * 0.22 + pen * 0.2 }), "font-size": pen * TEXT,
      "text-anchor": "middle", "stroke-width": pen * 0.06, class: "words" }, arena.safe(text)),
  mark: ({ style }, [at], unit, pen) => {
    const { x, y } = at.sign || { x: at.x + unit * 0.3, y: at.y - unit * 0.3 };
    return path(SIGNS[style], 0.22, { transform: `translate(${x} ${y}) scale(${pen * 0.2})` });
  },
  path: (mark, points, unit, pen) =>
    path(`M${points.map(({ x, y }) => `${x} ${y}`).join("L")}`, pen * 0.07,
      { "stroke-dasharray": `${pen * 0.2} ${pen * 0.12}` }),
  arrow: (mark, [from, to], unit, pen) => {
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    const end = (turn) =>
      `${to.x - Math.cos(angle + turn) * pen * 0.3} ${to.y - Math.sin(angle + turn) * pen * 0.3}`;
    return path(`M${from.x} ${from.y}L${to.x} ${to.y}M${end(0.5)}L${to.x} ${to.y}L${end(-0.5)}`,
      pen * 0.07);
  },
  order: ({ text }, [from, to], unit, pen) => {
    const at = (part) => ({ x: arena.lerp(from.x, to.x, part), y: arena.lerp(from.y, to.y, part) });
    const middle = at(0.5);
    return [
      ...SHAPES.arrow(null, [at(0.24), at(0.74)], unit, pen),
      arena.svg("text", { x: middle.x, y: middle.y + unit * 0.1, "font-size": pen * TEXT,
        "text-anchor": "middle", "stroke-width": pen * 0.1, class: "words" }, arena.safe(text)),
    ];
  },
  offer: (mark, [at], unit, pen) =>
    arena.svg("circle", { cx: at.x, cy: at.y, r: unit * 0.47, "stroke-width": pen * 0.06, class: "pen",
      "stroke-dasharray": `${pen * 0.12} ${pen * 0.1}` }),
  picked: (mark, [at], unit, pen) =>
    arena.svg("circle", { cx: at.x, cy: at.y, r: unit * 0.47, "stroke-width": pen * 0.11, class: "pen" }),
  heat: ({ values }, known, unit, pen, points) =>
    points.flatMap((at, i) => at ? [arena.svg("circle", { cx: at.x, cy: at.y, r: unit * 0.46,
      class: "heat", opacity: 0.1 + 0.36 * values[i] })] : []),
};
