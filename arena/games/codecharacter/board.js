// The board of Code Character, on a canvas. The land changes with the towers alone and is kept on a
// canvas that is not shown; the units are drawn upon it each time. (A browser copies each canvas that
// is shown with each frame, also one that has not changed: two more took 6 ms of CPU time a frame.)

const UNIT = 1000; // places in frames are in thousandths of a unit
const SMALLEST = 12; // px of a text on the screen
const NEAR = 0.3; // of a tile: soldiers that are nearer to each other are one crowd
const DEAD = "dead";

/** Fields of a soldier and of a tower in a frame. */
function soldierOf([id, seat, x, y, hp, state, immune, dead, order]) {
  return { id, seat, x: x / UNIT, y: y / UNIT, hp, state, immune, dead, order };
}

function towerOf([id, seat, x, y, hp, level, base]) {
  return { id, seat, x, y, hp, level, base: Boolean(base) };
}

// -- orders ---------------------------------------------------------------------------------

/** The steps of a round: soldiers of one seat that do the same, in the order of their first.
 *  `orders` in view.py says them in words. */
function groups(frame) {
  const found = new Map();
  for (const soldier of frame.soldiers) {
    const [id, seat, , , , state, , , order] = soldier;
    if (state === "idle" || state === DEAD) continue;
    const key = JSON.stringify([seat, state, order]);
    found.set(key, [...(found.get(key) || []), id]);
  }
  return [...found.values()];
}

/** How far each soldier is on its way, by id: 0 … 1. */
function progress({ frame, before, fraction, step }) {
  if (!before) return () => 1;
  if (step === null) return () => fraction;
  const all = groups(frame);
  if (step >= all.length) return () => 1;
  const done = new Map(all.slice(0, step).flatMap((ids, i) => ids.map((id) => [id, i])));
  return (id) => (!done.has(id) ? 0 : done.get(id) < step - 1 ? 1 : fraction);
}

/** Whether the round is not over yet when stepping: hp and deaths are those of the frame before. */
function unsettled({ frame, before, step }) {
  return Boolean(before) && step !== null && step < groups(frame).length;
}

// -- who is where ---------------------------------------------------------------------------

/** Each soldier as it is at a moment: where, in which state, with which hp. */
function actors(view) {
  const { frame, before } = view;
  const along = progress(view);
  const early = unsettled(view);
  return frame.soldiers.map((one, i) => {
    const now = soldierOf(one);
    const was = before ? soldierOf(before.soldiers[i]) : now;
    return actor(was, now, along(now.id), early);
  });
}

function actor(was, now, along, early) {
  const { seat, id } = now;
  const returned = was.state === DEAD && now.state !== DEAD;
  const [from, to] = returned ? [now, now] : [was, now];
  const state = early || (now.state === DEAD && along < 1) ? was : now;
  return {
    id,
    seat,
    x: arena.lerp(from.x, to.x, along),
    y: arena.lerp(from.y, to.y, along),
    hp: state.hp,
    dead: early ? was.state === DEAD : now.state === DEAD && (along >= 1 || was.state === DEAD),
    hides: returned && along < 0.5,
    arrives: returned ? along : 1,
    died: was.state !== DEAD && now.state === DEAD,
    immune: state.immune > 0,
    target: along > 0 && now.state === "attack" && now.order ? now.order[1] : null,
  };
}

/** The living as crowds: soldiers of a seat that are as good as in one place and go together. */
function crowds(people, tile) {
  const found = new Map();
  for (const one of people) {
    if (one.dead || one.hides) continue;
    const spot = [one.x, one.y].map((value) => Math.round(value / (NEAR * tile)));
    const key = `${one.seat} ${spot}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(one);
  }
  return [...found.values()].map(crowd);
}

function crowd(members) {
  const sum = (read) => members.reduce((total, one) => total + read(one), 0);
  const count = members.length;
  return {
    seat: members[0].seat,
    members,
    count,
    x: sum((one) => one.x) / count,
    y: sum((one) => one.y) / count,
    hp: sum((one) => one.hp) / count,
    immune: members.some((one) => one.immune),
    arrives: Math.min(...members.map((one) => one.arrives)),
  };
}

/** Two crowds of enemies that overlap make room for each other. */
function pushApart(one, two) {
  const [dx, dy] = [two.left - one.left, two.top - one.top];
  const distance = Math.hypot(dx, dy);
  const lacking = one.radius + two.radius * 1.18 + 4 - distance;
  if (lacking <= 0) return;
  const [ux, uy] = distance > 1 ? [dx / distance, dy / distance] : [Math.SQRT1_2, Math.SQRT1_2];
  one.left -= (ux * lacking) / 2;
  one.top -= (uy * lacking) / 2;
  two.left += (ux * lacking) / 2;
  two.top += (uy * lacking) / 2;
}

/** Whose each tile is: bit 1 for player1, bit 2 for player2. */
function territory(towers, { map_size: size, tower_ranges: ranges }) {
  const tiles = new Uint8Array(size * size);
  const last = size - 1;
  for (const { seat, x, y, level } of towers) {
    const reach = ranges[level - 1];
    for (let row = Math.max(y - reach, 0); row <= Math.min(y + reach, last); row++) {
      for (let column = Math.max(x - reach, 0); column <= Math.min(x + reach, last); column++) {
        tiles[row * size + column] |= 1 << seat;
      }
    }
  }
  return tiles;
}

// -- the board ------------------------------------------------------------------------------

class Board {
  constructor(stage, match) {
    this.match = match;
    this.rules = match.first.board;
    this.size = this.rules.map_size;
    this.names = match.seats.map((seat) => seat.label);
    this.onpick = null;
    this.last = null;
    this.side = 0;
    this.cursor = null;
    this.build(stage);
    arena.onTheme(() => this.forget());
    new ResizeObserver(() => this.resize()).observe(this.field);
  }

  /** How many single orders the round of a frame animates. */
  steps(frame) {
    return groups(frame).length;
  }

  build(stage) {
    this.purses = this.match.seats.map((_, seat) =>
      arena.el("span", { class: `purse seat-${seat}` }),
    );
    this.canvases = [0, 1].map(() => arena.el("canvas", { "aria-hidden": "true" }));
    [this.land, this.units] = this.canvases.map((one) => one.getContext("2d"));
    const edge = this.size * this.rules.tile_size;
    this.drawings = arena.svg("g");
    const overlay = arena.svg("svg", { viewBox: `0 0 ${edge} ${edge}`, "aria-hidden": "true" }, this.drawings);
    this.square = arena.el("div", { class: "square" }, this.canvases[1], overlay);
    this.field = arena.el("div", { class: "field" }, this.square);
    stage.append(arena.el("div", { class: "purses" }, ...this.purses), this.field);
    this.listen();
  }

  listen() {
    this.square.addEventListener("click", (event) => this.pick(this.tileAt(event)));
    this.square.addEventListener("pointermove", (event) => this.hover(this.tileAt(event)));
    this.square.addEventListener("keydown", (event) => this.press(event));
  }

  /** Fit the canvases to their place, one pixel of theirs to one of the screen. */
  resize() {
    const { clientWidth, clientHeight } = this.field;
    const side = Math.floor(Math.min(clientWidth, clientHeight));
    const density = window.devicePixelRatio || 1;
    if (!side || (side === this.side && density === this.density)) return;
    Object.assign(this, { side, density });
    this.square.style.width = this.square.style.height = `${side}px`;
    for (const canvas of this.canvases) canvas.width = canvas.height = Math.round(side * density);
    this.forget();
    if (this.last) this.draw(this.last);
  }

  /** Draw all layers anew next time. */
  forget() {
    this.colours = null;
    this.drawn = null;
  }

  readColours() {
    const seats = [0, 1].map((seat) => arena.colour(`--seat-${seat}`));
    const inks = [0, 1].map((seat) => arena.colour(`--on-seat-${seat}`));
    const names = ["paper", "ink", "line", "neutral", "outline", "good", "bad"];
    const others = names.map((name) => [name, arena.colour(`--${name}`)]);
    return { seats, inks, spark: "#ffe14d", ...Object.fromEntries(others) };
  }

  /** Px of a tile. */
  get tile() {
    return this.side / this.size;
  }

  /** Px of a unit. */
  get scale() {
    return this.tile / this.rules.tile_size;
  }

  draw(view) {
    this.last = view;
    if (!this.side) return this.resize();
    if (!this.colours) this.colours = this.readColours();
    const towers = view.frame.towers.map(towerOf);
    this.drawTerritory(towers);
    this.drawUnits(view, towers);
    this.drawPurses(view.frame);
    const asked = { tabindex: 0, role: "application", "aria-label": "Tiles: arrow keys go over them, Enter picks one" };
    arena.put(this.square, this.onpick ? asked : { tabindex: null, role: null, "aria-label": null });
    arena.marks(this.drawings, view.marks, this.place.bind(this), this.rules.tile_size, this.scale);
  }

  /** An empty layer whose units are px of the page. */
  clear(layer) {
    layer.setTransform(this.density, 0, 0, this.density, 0, 0);
    layer.clearRect(0, 0, this.side, this.side);
  }

  drawGround() {
    const { land, tile, colours } = this;
    land.fillStyle = colours.neutral;
    land.globalAlpha = 0.16;
    land.fillRect(0, 0, this.side, this.side);
    for (let i = 0; i < this.size ** 2; i++) {
      const [x, y] = [i % this.size, Math.floor(i / this.size)];
      if ((x + y) % 2) land.fillRect(x * tile, y * tile, tile, tile);
    }
    land.globalAlpha = 1;
    land.strokeStyle = colours.line;
    land.lineWidth = 1;
    land.strokeRect(0.5, 0.5, this.side - 1, this.side - 1);
  }

  // -- territory --

  drawTerritory(towers) {
    const drawn = towers.map(({ seat, x, y, level }) => [seat, x, y, level]).join(" ");
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.clear(this.land);
    this.drawGround();
    this.tiles = territory(towers, this.rules);
    [0, 1].forEach((seat) => this.tint(seat));
    [0, 1].forEach((seat) => this.frame(seat));
  }

  holds(seat, x, y) {
    const inside = x >= 0 && y >= 0 && x < this.size && y < this.size;
    return inside && Boolean((this.tiles[y * this.size + x] >> seat) & 1);
  }

  /** Each tile of a seat, as x and y. */
  *landOf(seat) {
    for (let i = 0; i < this.tiles.length; i++) {
      if ((this.tiles[i] >> seat) & 1) yield [i % this.size, Math.floor(i / this.size)];
    }
  }

  /** Its colour and its lines: those of the two seats cross where a tile belongs to both. */
  tint(seat) {
    const { land, tile } = this;
    const area = new Path2D();
    for (const [x, y] of this.landOf(seat)) area.rect(x * tile, y * tile, tile, tile);
    land.save();
    land.clip(area);
    land.globalAlpha = 0.34;
    land.fillStyle = this.colours.seats[seat];
    land.fillRect(0, 0, this.side, this.side);
    land.globalAlpha = 0.4;
    land.strokeStyle = this.colours.seats[seat];
    land.lineWidth = Math.max(1, tile * 0.07);
    land.stroke(this.hatching(seat));
    land.restore();
  }

  hatching(seat) {
    const lines = new Path2D();
    const { side, tile } = this;
    for (let at = -side; at < 2 * side; at += tile / 2) {
      lines.moveTo(at, seat ? 0 : side);
      lines.lineTo(at + side, seat ? side : 0);
    }
    return lines;
  }

  /** A line around the land of a seat, on its own side of the border. */
  frame(seat) {
    const { land, tile } = this;
    const width = Math.max(1.5, tile * 0.1);
    land.fillStyle = this.colours.seats[seat];
    for (const [x, y] of this.landOf(seat)) {
      const [left, top] = [x * tile, y * tile];
      if (!this.holds(seat, x, y - 1)) land.fillRect(left, top, tile, width);
      if (!this.holds(seat, x, y + 1)) land.fillRect(left, top + tile - width, tile, width);
      if (!this.holds(seat, x - 1, y)) land.fillRect(left, top, width, tile);
      if (!this.holds(seat, x + 1, y)) land.fillRect(left + tile - width, top, width, tile);
    }
  }

  // -- units --

  drawUnits(view, towers) {
    const people = actors(view);
    this.clear(this.units);
    const edge = this.units.canvas.width / this.density; // one pixel to one, also where it was rounded
    this.units.drawImage(this.land.canvas, 0, 0, edge, edge);
    const before = unsettled(view) ? view.before.towers.map(towerOf) : towers;
    before.forEach((tower) => this.drawTower(tower));
    people.filter((one) => one.dead).forEach((one) => this.drawDead(one, view.fraction));
    const stands = this.arrange(people);
    const hits = this.hits(view, people);
    this.drawAttacks(hits);
    stands.forEach((one) => this.drawCrowd(one));
    hits.forEach((hit) => this.drawSpark(hit));
    if (this.cursor) this.drawCursor();
  }

  middle({ x, y }) {
    return [(x + 0.5) * this.tile, (y + 0.5) * this.tile];
  }

  drawTower(tower) {
    const { units, tile, colours } = this;
    const [x, y] = this.middle(tower);
    const half = tile * (0.3 + 0.07 * tower.level);
    units.fillStyle = colours.seats[tower.seat];
    units.strokeStyle = colours.outline;
    units.lineWidth = Math.max(1, tile * 0.05);
    units.lineJoin = "round";
    const shape = tower.base ? castle(x, y, tile * 0.62) : rook(x, y, half);
    units.fill(shape);
    units.stroke(shape);
    this.drawLevel(tower, x, y);
    if (!tower.base) this.drawTowerHp(tower, x, y);
  }

  /** As many dots as its level. */
  drawLevel({ seat, level, base }, x, y) {
    const { units, tile } = this;
    const radius = Math.max(1.4, tile * 0.085);
    const row = y + tile * (base ? 0.36 : 0.08);
    units.fillStyle = this.colours.inks[seat];
    for (let i = 0; i < level; i++) {
      dot(units, x + (i - (level - 1) / 2) * 2.7 * radius, row, radius);
    }
  }

  drawTowerHp({ hp, level }, x, y) {
    const share = hp / this.rules.tower_hp[level - 1];
    const { tile } = this;
    if (share < 1) this.drawBar(x, y + tile * 0.42, tile * 0.9, Math.max(3, tile * 0.13), share);
  }

  drawBar(x, y, width, height, share) {
    const { units, colours } = this;
    units.fillStyle = colours.outline;
    units.fillRect(x - width / 2 - 0.5, y - height / 2 - 0.5, width + 1, height + 1);
    units.fillStyle = share > 0.5 ? colours.good : colours.bad;
    units.fillRect(x - width / 2, y - height / 2, width * arena.clamp(share, 0, 1), height);
  }

  /** A cross where it fell, paler as it waits. */
  drawDead({ seat, x, y, died }, fraction) {
    const { units, scale, tile, colours } = this;
    const reach = tile * (died ? 0.16 + 0.12 * fraction : 0.14);
    units.globalAlpha = died ? 1 : 0.5;
    units.strokeStyle = colours.seats[seat];
    units.lineWidth = Math.max(1.5, tile * 0.07);
    units.lineCap = "round";
    units.beginPath();
    for (const side of [-1, 1]) {
      units.moveTo(x * scale - reach, y * scale - side * reach);
      units.lineTo(x * scale + reach, y * scale + side * reach);
    }
    units.stroke();
    units.globalAlpha = 1;
  }

  /** Lines from those who hit to what they hit. */
  /** The crowds with their places in px, those of enemies side by side. */
  arrange(people) {
    const found = crowds(people, this.rules.tile_size);
    for (const one of found) {
      one.radius = this.crowdRadius(one.count) * (0.6 + 0.4 * one.arrives);
      one.left = one.x * this.scale;
      one.top = one.y * this.scale;
    }
    const [ones, twos] = [0, 1].map((seat) => found.filter((one) => one.seat === seat));
    for (const one of ones) for (const two of twos) pushApart(one, two);
    for (const one of found) for (const member of one.members) member.crowd = one;
    return found;
  }

  /** Each blow once: the seat, and from where to where in px. */
  hits(view, people) {
    const known = [...(view.before || view.frame).towers, ...view.frame.towers];
    const towers = new Map(known.map((one) => [one[0], towerOf(one)]));
    const found = new Map();
    for (const one of people) {
      const to = one.target === null || !one.crowd ? null : this.aim(one, people, towers);
      if (!to) continue;
      const from = [one.crowd.left, one.crowd.top];
      found.set(`${from} ${to}`, { seat: one.seat, from, to });
    }
    return [...found.values()];
  }

  /** Where its target is, in px. */
  aim({ target }, people, towers) {
    const tower = towers.get(target);
    if (tower) return this.middle(tower);
    const victim = people[target];
    if (!victim) return null;
    const { crowd: all } = victim;
    return all ? [all.left, all.top] : [victim.x * this.scale, victim.y * this.scale];
  }

  drawAttacks(hits) {
    const { units, colours, tile } = this;
    units.lineCap = "round";
    for (const { seat, from, to } of hits) {
      const line = new Path2D();
      line.moveTo(...from);
      line.lineTo(...to);
      for (const [width, colour] of [
        [2, colours.outline],
        [0, colours.seats[seat]],
      ]) {
        units.lineWidth = Math.max(2, tile * 0.1) + width;
        units.strokeStyle = colour;
        units.stroke(line);
      }
    }
  }

  /** Where a blow meets: between the two. */
  drawSpark({ from, to }) {
    const { units, colours, tile } = this;
    const shape = spark((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, Math.max(6, tile * 0.26));
    units.fillStyle = colours.spark;
    units.strokeStyle = colours.outline;
    units.lineWidth = 1;
    units.fill(shape);
    units.stroke(shape);
  }

  drawCrowd(one) {
    const { units, colours, tile } = this;
    const { left: x, top: y, radius } = one;
    if (one.immune) this.drawShield(x, y, radius);
    units.fillStyle = colours.seats[one.seat];
    units.strokeStyle = colours.outline;
    units.lineWidth = Math.max(1, tile * 0.05);
    const shape = one.seat ? diamond(x, y, radius * 1.18) : disc(x, y, radius);
    units.fill(shape);
    units.stroke(shape);
    if (one.count > 1) this.drawCount(one, x, y, radius);
    const share = one.hp / this.rules.soldier_hp;
    if (share < 1) this.drawBar(x, y - radius - 4, Math.max(10, radius * 1.8), 3, share);
  }

  crowdRadius(count) {
    const alone = Math.max(4, this.tile * 0.24);
    if (count === 1) return alone;
    return Math.max(SMALLEST * 0.75, alone * 1.5, this.tile * (0.3 + 0.01 * Math.min(count, 20)));
  }

  drawCount({ count, seat }, x, y, radius) {
    const { units } = this;
    units.fillStyle = this.colours.inks[seat];
    units.font = `700 ${Math.max(SMALLEST, Math.round(radius))}px system-ui, sans-serif`;
    units.textAlign = "center";
    units.textBaseline = "middle";
    units.fillText(String(count), x, y + 0.5);
  }

  /** Nothing hurts it: a ring around it. */
  drawShield(x, y, radius) {
    const { units, tile } = this;
    units.strokeStyle = this.colours.ink;
    units.lineWidth = Math.max(1.2, tile * 0.06);
    units.setLineDash([3, 3]);
    units.stroke(disc(x, y, radius + Math.max(3, tile * 0.12)));
    units.setLineDash([]);
  }

  drawCursor() {
    const { units, tile, colours, cursor } = this;
    units.strokeStyle = colours.ink;
    units.lineWidth = 3;
    units.strokeRect(cursor.x * tile, cursor.y * tile, tile, tile);
  }

  // -- words --

  drawPurses({ money, tiles }) {
    this.purses.forEach((purse, seat) => {
      const amount = money[seat] === null ? "money hidden" : `${money[seat]} money`;
      const { letter } = this.match.seats[seat];
      const words = `${seat ? "◆" : "●"} ${letter} ${this.names[seat]}: ${arena.counted(tiles[seat], "tile")}, ${amount}`;
      if (purse.textContent !== words) purse.textContent = words;
      purse.classList.toggle("hidden-from-view", money[seat] === null);
    });
  }

  standing(frame, seat) {
    const alive = frame.soldiers.filter((one) => one[1] === seat && one[5] !== DEAD).length;
    const towers = frame.towers.filter((one) => one[1] === seat).length;
    const money = frame.money[seat] === null ? "hidden" : frame.money[seat];
    const counts = [[frame.tiles[seat], "tile"], [towers, "tower"], [alive, "soldier"]];
    const parts = counts.map(([count, noun]) => arena.counted(count, noun));
    return `${this.names[seat]} has ${parts.join(", ")}, money ${money}`;
  }

  describe(frame) {
    const each = this.names.map((_, seat) => this.standing(frame, seat));
    return `Turn ${frame.round} of ${frame.rounds}: ${each.join("; ")}.`;
  }

  table(frame) {
    const towers = frame.towers.map(towerOf).map((one) => this.towerRow(one));
    const soldiers = frame.soldiers.map(soldierOf).map((one) => this.soldierRow(one));
    const head = ["Unit", "Player", "Place", "HP", "State", "Order"];
    return { head, rows: [...towers, ...soldiers] };
  }

  towerRow({ id, seat, x, y, hp, level, base }) {
    const kind = base ? "base" : "tower";
    return [`${kind} ${id}`, this.names[seat], `tile ${x}, ${y}`, hp, `level ${level}`, ""];
  }

  soldierRow({ id, seat, x, y, hp, state, dead, order }) {
    const words = state === DEAD && dead !== null ? `dead, ${dead} more turns` : state;
    const told = order === null ? "not seen" : order.map((v) => v).join(" ");
    return [`soldier ${id}`, this.names[seat], `${x}, ${y}`, hp, words, told];
  }

  // -- places --

  /** Coordinates as a seat gives them: player2 sees the map turned by half. */
  turned({ x, y }, seat, last) {
    return seat === 1 ? { x: last - x, y: last - y } : { x, y };
  }

  /** @returns {{x: number, y: number} | null} in units */
  place(name, seat = 0) {
    const unit = /^#(\d+)$/.exec(name);
    if (unit) return this.unitPlace(Number(unit[1]));
    const player = /^player([12])$/.exec(name);
    if (player) return this.towerPlace(this.bases()[player[1] - 1]);
    const tile = /^(\d+),(\d+)$/.exec(name);
    if (!tile) return null;
    const at = this.turned({ x: Number(tile[1]), y: Number(tile[2]) }, seat, this.size - 1);
    return at.x >= 0 && at.y >= 0 && at.x < this.size && at.y < this.size
      ? this.towerPlace(at)
      : null;
  }

  bases() {
    return this.match.first.towers.map(towerOf).filter((one) => one.base);
  }

  towerPlace({ x, y }) {
    const { tile_size: tile } = this.rules;
    return { x: (x + 0.5) * tile, y: (y + 0.5) * tile };
  }

  unitPlace(id) {
    if (!this.last) return null;
    const soldier = actors(this.last)[id];
    if (soldier) return { x: soldier.x, y: soldier.y };
    const tower = this.last.frame.towers.map(towerOf).find((one) => one.id === id);
    return tower ? this.towerPlace(tower) : null;
  }

  // -- pointing --

  tileAt(event) {
    const { left, top } = this.square.getBoundingClientRect();
    const at = (px) => arena.clamp(Math.floor(px / this.tile), 0, this.size - 1);
    return { x: at(event.clientX - left), y: at(event.clientY - top) };
  }

  pick(tile) {
    if (!this.onpick) return;
    const { x, y } = this.turned(tile, this.last.seat, this.size - 1);
    this.onpick(`${x},${y}`);
  }

  hover(tile) {
    if (this.last) this.square.title = this.tileText(tile, this.last);
  }

  tileText({ x, y }, { frame, seat }) {
    const shown = this.turned({ x, y }, seat, this.size - 1);
    const land = this.names.filter((_, one) => this.holds(one, x, y)).join(" and ") || "nobody";
    const towers = frame.towers.map(towerOf).filter((one) => one.x === x && one.y === y);
    const here = towers.map((one) => `tower ${one.id}, level ${one.level}, ${one.hp} hp`);
    const width = this.rules.tile_size;
    const inside = (value, tile) => Math.min(Math.floor(value / width), this.size - 1) === tile;
    const men = frame.soldiers
      .map(soldierOf)
      .filter((one) => one.state !== DEAD && inside(one.x, x) && inside(one.y, y))
      .map((one) => `soldier ${one.id}, ${one.hp} hp`);
    return [`tile ${shown.x},${shown.y}: land of ${land}`, ...here, ...men.slice(0, 12)].join("\n");
  }

  /** With `onpick`, the arrow keys move a cursor over the tiles, and Enter picks. */
  press(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
      event.key
    ];
    if (!this.onpick || (!way && !arena.picksPlace(event))) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.cursor || this.bases()[this.last.seat || 0];
    if (!way) return this.pick(at);
    const move = (value, by) => arena.clamp(value + by, 0, this.size - 1);
    this.cursor = { x: move(at.x, way[0]), y: move(at.y, way[1]) };
    this.draw(this.last);
    if (this.onlook) this.onlook(this.tileText(this.cursor, this.last));
  }

  legend() {
    return legend(this.match);
  }
}

// -- shapes ---------------------------------------------------------------------------------

function disc(x, y, radius) {
  const path = new Path2D();
  path.arc(x, y, radius, 0, 2 * Math.PI);
  return path;
}

function dot(pen, x, y, radius) {
  pen.fill(disc(x, y, radius));
}

function polygon(points) {
  const path = new Path2D();
  points.forEach(([x, y], i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
  path.closePath();
  return path;
}

function diamond(x, y, radius) {
  return polygon([
    [x, y - radius],
    [x + radius, y],
    [x, y + radius],
    [x - radius, y],
  ]);
}

/** A star of eight rays. */
function spark(x, y, radius) {
  const tips = Array.from({ length: 16 }, (_, i) => {
    const [reach, turn] = [i % 2 ? radius * 0.45 : radius, (i * Math.PI) / 8];
    return [x + reach * Math.cos(turn), y + reach * Math.sin(turn)];
  });
  return polygon(tips);
}

/** A tower: a wall with three merlons. */
function rook(x, y, half) {
  const notch = half * 0.42;
  const steps = [-1, -0.6, -0.6, -0.2, -0.2, 0.2, 0.2, 0.6, 0.6, 1];
  const top = steps.map((at, i) => [
    x + at * half,
    y - half + ([1, 2, 5, 6].includes(i) ? notch : 0),
  ]);
  return polygon([...top, [x + half, y + half], [x - half, y + half]]);
}

/** A base: a large tower with a roof. */
function castle(x, y, half) {
  return polygon([
    [x - half, y - half * 0.5],
    [x - half * 0.5, y - half * 0.5],
    [x, y - half * 1.25],
    [x + half * 0.5, y - half * 0.5],
    [x + half, y - half * 0.5],
    [x + half, y + half],
    [x - half, y + half],
  ]);
}

// -- the legend -----------------------------------------------------------------------------

/** What shapes, colours and lines mean. */
function legend(match) {
  const words = [
    ["●", "soldiers of player1; a number: how many are together"],
    ["◆", "soldiers of player2"],
    ["×", "a dead soldier, which returns at its base"],
    ["▬", "hp, if not full"],
    ["◌", "a dashed ring: still immune"],
    ["▟", "a tower; its dots are its level"],
    ["⌂", "a base, which cannot be lost"],
    ["╱", "land of player1"],
    ["╲", "land of player2; crossed lines: land of both"],
    ["─", "an attack"],
  ];
  const seats = match.seats.map((seat) => `${seat.letter}: ${seat.label}`).join(", ");
  const items = words.map(([sign, text]) =>
    arena.el("li", {}, arena.el("b", {}, sign), ` ${text}`),
  );
  return arena.el("ul", { class: "legend" }, arena.el("li", {}, seats), ...items);
}

arena.boards.codecharacter = {
  /** The board of a match on an empty stage.
   *  @param {HTMLElement} stage  @param {object} match */
  make: (stage, match) => new Board(stage, match),
};
