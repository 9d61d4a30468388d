// Elements, numbers, colours and patterns: what all other scripts use.

const SVG = "http://www.w3.org/2000/svg";

/** Give an element its attributes: `on…` are listeners, `style` and `dataset` are objects, true
 *  stands alone, false and null are left out. */
function dress(node, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style" || name === "dataset") Object.assign(node[name], value);
    else node.setAttribute(name, value === true ? "" : value);
  }
}

/** An HTML element. Children that are no nodes become text, whatever stands in them.
 *  @returns {HTMLElement} */
arena.el = (tag, attributes, ...children) => {
  const node = document.createElement(tag);
  dress(node, attributes);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
};

/** An SVG element, as `arena.el` makes one. What a picture says is told in words beside it: single
 *  numbers of it mean nothing to who hears them.
 *  @returns {SVGElement} */
arena.svg = (tag, attributes, ...children) => {
  const node = document.createElementNS(SVG, tag);
  if (tag === "text") node.setAttribute("aria-hidden", "true");
  dress(node, attributes);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
};

/** A number with thin spaces between its thousands. */
arena.number = (value) =>
  value === null || value === undefined ? "–" : value.toLocaleString("en").replace(/,/g, "\u2009");

/** So many of something: "1 cell", "2 cells". */
arena.counted = (count, noun, nouns = `${noun}s`) =>
  `${count < 1000 ? count : arena.number(count)} ${count === 1 ? noun : nouns}`;

arena.clamp = (value, low, high) => Math.min(high, Math.max(low, value));
arena.lerp = (from, to, fraction) => from + (to - from) * fraction;
/** Slow at both ends: 0 … 1 to 0 … 1. */
arena.ease = (fraction) => fraction * fraction * (3 - 2 * fraction);

/** The value of a CSS variable of the page, for canvases: `arena.colour("--seat-0")`. */
arena.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const dark = window.matchMedia("(prefers-color-scheme: dark)");
/** Call back whenever the page turns dark or light. */
arena.onTheme = (callback) => dark.addEventListener("change", () => callback());

const still = window.matchMedia("(prefers-reduced-motion: reduce)");
/** Whether the system asks for no motion. */
arena.still = () => still.matches;

// What is drawn on a tile of 8 × 8: so many shapes as there are seats, none like another.
const PATTERNS = [
  ["path", { d: "M0 8L8 0M-2 2L2 -2M6 10L10 6", "stroke-width": 1.4 }],
  ["circle", { cx: 4, cy: 4, r: 1.3, filled: true }],
  ["path", { d: "M0 4H8", "stroke-width": 1.4 }],
  ["path", { d: "M4 0V8", "stroke-width": 1.4 }],
  ["path", { d: "M0 0L8 8M-2 6L2 10M6 -2L10 2", "stroke-width": 1.4 }],
  ["path", { d: "M0 4H8M4 0V8", "stroke-width": 1 }],
  ["circle", { cx: 4, cy: 4, r: 2.2, "stroke-width": 1 }],
  ["path", { d: "M0 2L4 6L8 2", "stroke-width": 1.2 }],
];
const TILE = 8;
let patterns = 0;

/** A fill for areas of a seat in an SVG: lines or dots over nothing, to lay over its colour.
 *  @param {number} [scale] board units of one tile of the pattern
 *  @returns {string} what to give to `fill` */
arena.pattern = (svg, seat, scale = TILE) => {
  let found = svg.querySelector(`pattern[data-seat="${seat}"]`);
  if (!found) {
    const [tag, { filled, ...shape }] = PATTERNS[seat % PATTERNS.length];
    const ink = `var(--on-seat-${seat})`;
    const paint = filled ? { fill: ink } : { stroke: ink, fill: "none" };
    found = arena.svg(
      "pattern",
      {
        id: `pattern-${patterns++}`,
        width: TILE,
        height: TILE,
        patternUnits: "userSpaceOnUse",
        patternTransform: `scale(${scale / TILE})`,
        "data-seat": seat,
      },
      arena.svg(tag, { ...shape, ...paint, opacity: 0.3 }),
    );
    svg.prepend(arena.svg("defs", {}, found));
  }
  return `url(#${found.id})`;
};

/** Red, green and blue of any colour that CSS knows. */
function channels(colour) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

/** The luminance of a colour, 0 … 1, as WCAG defines it. */
function luminance(colour) {
  const linear = channels(colour)
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

const BRIGHT = 0.179; // from here on black has more contrast than white

/** Set the colours of seats that a game gives, and `--on-seat-N`: black or white, whichever is
 *  easier to read on the colour of the seat. */
arena.paintSeats = (seats) => {
  const style = document.documentElement.style;
  seats.forEach(({ colour, fill }, seat) => {
    if (fill) style.setProperty(colour, fill);
    else style.removeProperty(colour);
    const ink = luminance(arena.colour(colour)) > BRIGHT ? "#111417" : "#ffffff";
    style.setProperty(`--on-seat-${seat}`, ink);
  });
};
