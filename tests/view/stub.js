// Runs the boards of a page without a browser: `node stub.js < JOB`, with `{scripts, matches}`; each
// match is `{game, frames, settings, seats}`. Prints for each match how many orders each frame steps
// through, after it has drawn all of them in every way.
"use strict";
const { scripts, matches } = JSON.parse(require("fs").readFileSync(0, "utf8"));

/** Anything: it can be called, read and written. */
const anything = new Proxy(function () {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 0 : anything),
  apply: () => anything,
  construct: () => anything,
  set: () => true,
});

class Node {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, children: [], style: anything, dataset: {} });
    Object.assign(this, {
      textContent: "",
      classList: anything,
      clientWidth: 600,
      clientHeight: 600,
    });
    return new Proxy(this, { get: (node, name) => (name in node ? node[name] : anything) });
  }
  setAttribute(name, value) {
    if (/NaN|undefined|Infinity/.test(value)) throw new Error(`${this.tag} ${name}="${value}"`);
    this.attributes[name] = String(value);
  }
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  removeAttribute(name) {
    delete this.attributes[name];
  }
  append(...nodes) {
    this.children.push(...nodes);
  }
  appendChild(node) {
    this.children.push(node);
    return node;
  }
  querySelector() {
    return null;
  }
  querySelectorAll() {
    return [];
  }
  contains() {
    return false;
  }
  getBoundingClientRect() {
    return { left: 0, top: 0, width: 600, height: 600 };
  }
}

const document = {
  createElement: (tag) => new Node(tag),
  createElementNS: (_, tag) => new Node(tag),
  createTextNode: (text) => text,
  documentElement: new Node("html"),
};
const Resized = class {
  constructor(callback) {
    this.callback = callback;
  }
  observe(target) {
    this.callback([{ target, contentRect: { width: 600, height: 600 } }]);
  }
};
const world = { document, window: anything, ResizeObserver: Resized, Path2D: anything };
const globals = { ...world, getComputedStyle: () => anything, requestAnimationFrame: () => 0 };
const source = `const arena = { boards: {} };\n${scripts.map((one) => `{${one}}`).join("\n")}\nreturn arena;`;
const arena = new Function(...Object.keys(globals), source)(...Object.values(globals));

/** Draw a round at rest, on its way and after each order, for a seat or for all. */
function drawRound(board, { frame, before, index, seat }) {
  const count = board.steps(frame);
  const moments = [[0], [0.5], [0.9], [1]].map(([fraction]) => ({ fraction, step: null }));
  for (let step = 0; step <= count; step += Math.max(1, Math.floor(count / 3))) {
    moments.push({ fraction: 0.5, step });
  }
  for (const moment of moments) {
    board.draw({ frame, before, index, ...moment, seat, marks: [] });
  }
  return count;
}

const report = matches.map(({ game, frames, views, settings, seats }) => {
  const frame = (index, seat) => (seat === null ? frames : views[seat])[index] || null;
  const match = { game, settings, seats, first: frames[0], frame };
  const board = arena.boards[game].make(document.createElement("div"), match);
  board.legend();
  const seen = (seat) =>
    frames.map((_, index) => {
      const view = { frame: frame(index, seat), before: frame(index - 1, seat), index, seat };
      const words = board.describe(view.frame) + JSON.stringify(board.table(view.frame));
      if (/NaN|undefined/.test(words)) throw new Error(words);
      return drawRound(board, view);
    });
  return { all: [null, ...views.keys()].map(seen), heads: board.table(frames[0]).head };
});
console.log(JSON.stringify(report));
