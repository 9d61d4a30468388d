// What boards of SVG share: nodes that are reused from one drawing to the next, and the time in
// which a move is animated.

const written = new WeakMap();

/** Give a node attributes, and write only those that changed; null takes one away.
 *  @returns {Element} the node */
arena.put = (node, attributes) => {
  if (!written.has(node)) written.set(node, {});
  const last = written.get(node);
  for (const [name, value] of Object.entries(attributes)) {
    if (last[name] === value) continue;
    last[name] = value;
    if (name === "text") node.textContent = value;
    else if (value === null) node.removeAttribute(name);
    else node.setAttribute(name, value);
  }
  return node;
};

/** Nodes of one kind: as many as a drawing asks for with `next` are shown, `end` hides the rest. */
arena.Pool = class {
  /** @param {Element} parent where they stand
   *  @param {() => Element} make makes one more */
  constructor(parent, make) {
    this.parent = parent;
    this.make = make;
    this.nodes = [];
    this.used = 0;
  }

  next() {
    if (this.used === this.nodes.length) {
      this.nodes.push(this.make());
      this.parent.append(this.nodes[this.used]);
    }
    return arena.put(this.nodes[this.used++], { display: null });
  }

  end() {
    for (const node of this.nodes.slice(this.used)) arena.put(node, { display: "none" });
    this.used = 0;
  }
};

/** When move `index` of `count` runs, of a time from `start` to `end`: they begin one after the
 *  other and overlap.
 *  @returns {[number, number]} its start and its end */
arena.span = (index, count, start, end) => {
  const whole = end - start;
  const length = whole * Math.min(1, Math.max(0.2, 2 / count));
  const from = count > 1 ? start + ((whole - length) * index) / (count - 1) : start;
  return [from, from + length];
};

/** How far a move has come at a moment, 0 … 1. */
arena.progress = ([start, end], moment) => arena.clamp((moment - start) / (end - start), 0, 1);

/** The outline of an arrow along a bent line, as an SVG path.
 *  @param {{x: number, y: number}} from  @param {{x: number, y: number}} to
 *  @param {number} wanted the width of its shaft; a short arrow is slimmer  @param {number} bend how far its middle is off the line */
arena.arrow = (from, to, wanted, bend) => {
  const long = Math.hypot(to.x - from.x, to.y - from.y) + Math.abs(bend);
  const width = Math.min(wanted, 0.24 * long);
  const mid = arena.bent(from, to, bend, 0.5);
  const control = { x: 2 * mid.x - (from.x + to.x) / 2, y: 2 * mid.y - (from.y + to.y) / 2 };
  const head = direction(control, to);
  const tail = direction(from, control);
  const length = Math.min(width * 2.2, long / 2);
  const neck = { x: to.x - head.x * length, y: to.y - head.y * length };
  const side = (point, way, by) => `${near(point.x - way.y * by)} ${near(point.y + way.x * by)}`;
  return [
    `M${side(from, tail, width / 4)}Q${side(control, head, width / 2)} ${side(neck, head, width / 2)}`,
    `L${side(neck, head, width * 1.25)}L${near(to.x)} ${near(to.y)}`,
    `L${side(neck, head, -width * 1.25)}L${side(neck, head, -width / 2)}`,
    `Q${side(control, head, -width / 2)} ${side(from, tail, -width / 4)}Z`,
  ].join("");
};

/** The point of a bent line at a fraction of the way. */
arena.bent = (from, to, bend, fraction) => {
  const way = direction(from, to);
  const off = 4 * bend * fraction * (1 - fraction);
  return {
    x: arena.lerp(from.x, to.x, fraction) - way.y * off,
    y: arena.lerp(from.y, to.y, fraction) + way.x * off,
  };
};

let fogs = 0;

/** A fill that is laid over what is unseen: thin lines, in tiles of so many board units. */
arena.fog = (svg, tile) => {
  const id = `fog-${fogs++}`;
  const shape = { width: tile, height: tile, patternUnits: "userSpaceOnUse" };
  const scale = `scale(${tile / 8})`;
  const d = "M0 8L8 0M-2 2L2 -2M6 10L10 6";
  const line = arena.svg("path", { d, transform: scale, stroke: "var(--paper)", opacity: 0.45 });
  svg.prepend(arena.svg("defs", {}, arena.svg("pattern", { id, ...shape }, line)));
  return `url(#${id})`;
};

function direction(from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
}

function near(value) {
  return Math.round(value * 1000) / 1000;
}

/** What makes a place of a board a button where a person may pick it: while the board has `onpick`,
 *  and the place is among those `offered` (a Set of names), if there are such. */
arena.pickable = ({ onpick, offered }, name) => {
  const may = Boolean(onpick) && (!offered || offered.has(name));
  return { tabindex: may ? 0 : null, role: may ? "button" : null };
};
