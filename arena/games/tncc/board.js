// TNCC: a row for each country, what it has over time, and beside the rows who deals with whom.
// Lengths are pixels of the screen.

const RESOURCES = ["gold", "food", "population", "military", "land"];
const HEADS = {
  gold: ["gold", "gold"],
  food: ["food", "food"],
  population: ["citizens", "cit."],
  military: ["soldiers", "sold."],
  land: ["land", "land"],
};
const HEAD = 26; // the height of the line above
const WAR = 290; // the least width of a war's panel
const SIDES = ["left", "middle", "right"]; // flanks
const GAP = 6; // between a bar of a war and its number
const SHORTEST = 12; // the longest bar of a war, where its numbers are long

// -- the state of a moment -------------------------------------------------------------------

const add = (values, seat, number) => {
  if (values[seat] !== null && number !== null) values[seat] += number;
};
const total = (parts) => (parts.includes(null) ? null : parts.reduce((sum, n) => sum + n, 0));

/** Carry out a move as far as it is known. */
function apply(state, [kind, seat, ...rest], settings) {
  if (kind === "recruit") {
    add(state.population, seat, -rest[0]);
    add(state.military, seat, rest[0]);
  } else if (kind === "trade" && rest[5]) {
    const [partner, give, amount, take, price] = rest;
    add(state[give], seat, -amount);
    add(state[give], partner, amount);
    add(state[take], partner, -price);
    add(state[take], seat, price);
  } else if (kind === "war") fight(state, seat, rest, settings);
}

/** The fee, the dead, the loot. */
function fight(state, seat, [target, attack, defence, victor, survivors], settings) {
  add(state.gold, seat, -Math.trunc(settings.gold_for_war));
  add(state.military, seat, attack.includes(null) ? null : -total(attack));
  add(state.military, target, defence.includes(null) ? null : -total(defence));
  if (victor === "tie") return;
  const [winner, loser] = victor === "attacker" ? [seat, target] : [target, seat];
  RESOURCES.forEach((name, i) => {
    const loot = Math.min(Math.trunc(survivors * settings.steal[i]), state[name][loser]);
    add(state[name], loser, -loot);
    add(state[name], winner, loot);
  });
  add(state.military, winner, survivors);
}

/** What all have at a moment, and how far each move has come. */
function moment({ frame, before, fraction, step }, settings) {
  const { moves } = frame;
  const still = step === null && (fraction >= 1 || !before);
  const done = moves.map((_, i) => {
    if (still) return 1;
    if (step !== null) return i < step ? 1 : 0;
    return arena.progress(arena.span(i, moves.length, 0, 0.9), fraction);
  });
  if (still || (step !== null && step >= moves.length)) return { state: frame, done, still };
  const state = { ...before };
  for (const name of RESOURCES) state[name] = [...before[name]];
  moves.forEach((move, i) => done[i] >= 1 && apply(state, move, settings));
  return { state, done, still };
}

/** Both waves of a war: who is left of each flank after the first, and of all after the second. */
function waves([, , , attack, defence, victor, survivors], settings) {
  const strength = Number(settings.wave1_advantage);
  const left = (a, d) => Math.max(0, Math.floor(Number((a - strength * d).toFixed(6))));
  const back = (a, d) =>
    settings.wave_rule === "source"
      ? arena.clamp(Math.trunc(Number((strength * d - a).toFixed(6))), 0, d)
      : Math.max(0, d - a);
  const attackers = attack.map((a, i) => left(a, defence[i]));
  const defenders = attack.map((a, i) => back(a, defence[i]));
  return {
    attackers,
    defenders,
    ends: [victor === "attacker" ? survivors : 0, victor === "defender" ? survivors : 0],
  };
}

// -- drawing ---------------------------------------------------------------------------------

class Board {
  constructor(stage, match) {
    this.stage = stage;
    this.match = match;
    this.seats = match.seats.map((_, seat) => seat);
    this.last = null;
    this.svg = arena.svg("svg", { class: "board" });
    stage.append(this.svg);
    this.heads = RESOURCES.map(() => this.text("head"));
    this.rows = this.seats.map((seat) => this.row(seat));
    this.flows = new arena.Pool(this.layer("flows"), () => arena.svg("path", {}));
    this.notes = new arena.Pool(this.layer("notes"), () => arena.svg("text", {}));
    this.wars = this.seats.map(() => new War(this.layer("war")));
    this.peace = new Peace(this.layer("war none"), match.seats);
    this.marks = this.layer("marks");
    new ResizeObserver(() => this.resize()).observe(stage);
    this.resize();
    this.onpick = null;
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

  text(name, parent = this.svg) {
    const node = arena.svg("text", { class: name });
    parent.append(node);
    return node;
  }

  row(seat) {
    const group = this.layer("row");
    const colour = `var(--seat-${seat})`;
    const band = arena.svg("rect", { class: "band", rx: 8 });
    const flag = arena.svg("rect", { fill: colour, rx: 4, class: "flag" });
    group.append(band, flag);
    const letter = this.text("letter", arena.svg("g", { fill: `var(--on-seat-${seat})` }));
    arena.put(letter, { text: this.match.seats[seat].letter });
    group.append(letter.parentNode);
    const name = this.text("name", group);
    const deed = this.text("deed", group);
    const cells = RESOURCES.map(() => this.cell(group, colour));
    const onclick = () => this.onpick && this.onpick(`player${seat + 1}`);
    group.addEventListener("click", onclick);
    group.addEventListener("keydown", (event) => arena.picksPlace(event) && onclick());
    return { group, band, flag, letter, name, deed, cells };
  }

  cell(group, colour) {
    const bar = arena.svg("rect", { class: "level", fill: colour });
    const area = arena.svg("path", { class: "area", fill: colour });
    const line = arena.svg("path", { class: "line" });
    const dot = arena.svg("circle", { class: "dot", r: 3.2, fill: colour });
    group.append(bar, area, line, dot);
    return { bar, area, line, dot, number: this.text("number", group) };
  }

  /** Where everything stands in the room there is. */
  resize() {
    const width = Math.max(240, this.stage.clientWidth);
    const height = Math.max(300, this.stage.clientHeight);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const narrow = width < 640;
    const panel = arena.clamp(height * 0.24, 118, 260);
    const left = narrow ? 30 : 150;
    const gutter = narrow ? 62 : arena.clamp(width * 0.15, 120, 260);
    this.room = { width, height, narrow, panel, left, gutter };
    this.room.tall = Math.min(300, (height - HEAD - panel - 8) / this.seats.length);
    this.room.wide = (width - left - gutter) / RESOURCES.length;
    this.arrange();
    if (this.last) this.draw(this.last);
  }

  top(seat) {
    return HEAD + seat * this.room.tall;
  }

  arrange() {
    const { narrow, left, wide, tall, width, height, panel, gutter } = this.room;
    this.svg.classList.toggle("narrow", narrow);
    this.svg.classList.toggle("large", width > 1500);
    this.heads.forEach((head, i) =>
      arena.put(head, {
        x: left + wide * (i + 0.5),
        y: HEAD / 2 + 2,
        text: HEADS[RESOURCES[i]][wide < 74 ? 1 : 0],
      }),
    );
    this.rows.forEach(({ band, flag, letter, name, deed }, seat) => {
      const y = this.top(seat);
      const off = Math.min(10, (tall - 6) / 4); // two lines in the band
      arena.put(band, { x: 2, y: y + 2, width: width - gutter - 2, height: tall - 4 });
      arena.put(flag, { x: 2, y: y + 2, width: 24, height: tall - 4 });
      arena.put(letter, { x: 14, y: y + tall / 2 });
      arena.put(name, {
        x: 34,
        y: y + tall / 2 - off,
        text: narrow ? "" : this.match.seats[seat].label,
      });
      arena.put(deed, { x: 34, y: y + tall / 2 + off });
    });
    this.lower = {
      y: Math.min(height - panel, this.top(this.seats.length) + 8),
      height: panel - 6,
      columns: arena.clamp(Math.floor(width / WAR), 1, this.wars.length),
    };
  }

  draw(args) {
    this.last = args;
    const { frame, seat, index } = args;
    const now = moment(args, this.match.settings);
    const past = this.past(index ?? frame.round, seat, frame);
    const tops = RESOURCES.map((name) => Math.max(1, ...past.flatMap((each) => each[name])));
    this.rows.forEach((row, i) => this.drawRow(row, i, frame, now, past, tops));
    frame.moves.forEach((move, i) => this.drawMove(move, now.done[i], now.still));
    this.flows.end();
    this.notes.end();
    this.drawWars(past, now);
    arena.marks(this.marks, args.marks, (name) => this.place(name), 40, 1);
  }

  /** All frames up to now. */
  past(index, seat, frame) {
    const found = [];
    for (let i = 0; i < index; i++) found.push(this.match.frame(i, seat));
    return [...found, frame];
  }

  drawRow({ group, deed, cells }, seat, frame, { state, done, still }, past, tops) {
    const dead = state.alive[seat] === false;
    const focus = arena.pickable(this, `player${seat + 1}`);
    arena.put(group, {
      class: dead ? "row dead" : state.alive[seat] === null ? "row unseen" : "row",
      ...focus,
    });
    const own = frame.moves.findLast((move, i) => move[1] === seat && (still || done[i] > 0));
    const text = dead && !own ? "dead" : own ? this.deed(own) : "";
    arena.put(deed, { text: this.room.narrow ? "" : text });
    const all = [...past.slice(0, -1), state]; // lines end where the numbers are
    cells.forEach((cell, i) =>
      this.drawCell(
        cell,
        i,
        seat,
        state[RESOURCES[i]][seat],
        all.map((each) => each[RESOURCES[i]][seat]),
        tops[i],
        frame,
      ),
    );
  }

  /** What a country did, in two words. */
  deed([kind, , ...rest]) {
    if (kind === "recruit") return rest[0] < 0 ? `${-rest[0]} ${rest[0] === -1 ? "goes" : "go"} home` : `recruits ${rest[0]}`;
    if (kind === "trade") return `offers ${this.letter(rest[0])} a trade`;
    return kind === "war" ? `attacks ${this.letter(rest[0])}` : "waits";
  }

  letter(seat) {
    return this.match.seats[seat].letter;
  }

  drawCell({ bar, area, line, dot, number }, i, seat, value, values, most, frame) {
    const { left, wide, tall } = this.room;
    const x = left + wide * i + 6;
    const y = this.top(seat);
    const [across, base, up] = [wide - 22, y + tall - 8, Math.max(4, tall - 34)];
    const rounds = Math.max(1, Math.min(frame.rounds, 20), values.length - 1);
    const points = values
      .map((v, k) => ({ x: x + (across * k) / rounds, y: base - (up * (v || 0)) / most, v }))
      .filter(({ v }) => v !== null);
    const end = points[points.length - 1] || { x, y: base };
    const flat = points.length ? arena.line(points) : "";
    const tip = base - (up * (value || 0)) / most;
    arena.put(line, { d: flat || null });
    arena.put(area, { d: flat ? `${flat}L${end.x} ${base}L${points[0].x} ${base}Z` : null });
    arena.put(dot, { cx: end.x, cy: tip, display: value === null ? "none" : null });
    arena.put(bar, { x: x + across + 6, width: 6, y: tip, height: Math.max(0, base - tip) });
    arena.put(number, {
      x: x + across / 2 + 5,
      y: y + 14,
      text: value === null ? "?" : short(value, wide - 6),
    });
  }

  /** A deal or a war: a line from one row to another, in the gutter. */
  drawMove([kind, seat, other, ...rest], done, still) {
    if (done <= 0 || (kind !== "trade" && kind !== "war")) return;
    const eased = arena.ease(done);
    const refused = kind === "trade" && !rest[4] && done >= 1;
    const { from, to, bend } = this.flow(seat, other);
    const tip = arena.bent(from, to, bend, Math.max(0.1, eased));
    arena.put(this.flows.next(), {
      d: arena.arrow(from, tip, kind === "war" ? 9 : 5, bend * eased),
      fill: `var(--seat-${seat})`,
      class: `flow ${kind}${still ? " quiet" : ""}${refused ? " refused" : ""}`,
    });
    const middle = arena.bent(from, to, bend, 0.5);
    if (kind === "war") this.note(middle, done < 1 ? "war" : warText(rest), "war");
    else this.drawDeal(middle, rest, done, other > seat ? "↓↑" : "↑↓");
  }

  /** What is given, above what is taken; `ways`: the signs of where each goes. */
  drawDeal({ x, y }, [give, amount, take, price, agreed], done, ways) {
    const { narrow } = this.room;
    const name = (resource) => (narrow ? HEADS[resource][1].slice(0, 2) : HEADS[resource][0]);
    const said = done < 1 ? "" : agreed ? " ✓" : " ✕";
    this.note({ x, y: y - 8 }, `${amount} ${name(give)} ${ways[0]}`, "");
    this.note(
      { x, y: y + 8 },
      `${price} ${name(take)} ${ways[1]}${said}`,
      agreed || done < 1 ? "" : "refused",
    );
  }

  note({ x, y }, text, kind) {
    const half = 4.2 * text.length;
    const inside = arena.clamp(x, this.room.width - this.room.gutter, this.room.width - half - 4);
    arena.put(this.notes.next(), { x: inside, y, text, class: `note ${kind}` });
  }

  /** The way from one row to another; far rows need a wider bow. Both ways lie apart. */
  flow(seat, other) {
    const { width, gutter, tall } = this.room;
    const x = width - gutter + 4;
    const down = other > seat ? 1 : -1;
    const shift = tall * 0.14 * down;
    const apart = (tall * 0.5 * (seat - (this.seats.length - 1) / 2)) / this.seats.length;
    const from = { x, y: this.top(seat) + tall / 2 + shift };
    const to = { x, y: this.top(other) + tall / 2 - shift + apart };
    const most = gutter * 0.62;
    const share = Math.abs(other - seat) / Math.max(1, this.seats.length - 1);
    return { from, to, bend: -down * most * (0.4 + 0.6 * share) };
  }

  /** The wars of the moment, or of the last cycle that had one, as many as have room. */
  drawWars(past, { state, done }) {
    const { round, moves } = past[past.length - 1];
    const now = moves.map((move, i) => ({ move, done: done[i], when: `cycle ${round}` }));
    const last = past.slice(0, -1).findLast((frame) => frame.moves.some(isWar));
    const old = last ? last.moves.map((move) => ({ move, done: 1, when: `last: cycle ${last.round}` })) : [];
    const begun = now.filter((one) => isWar(one.move) && one.done > 0);
    const wars = begun.length ? begun : old.filter((one) => isWar(one.move));
    const count = wars.length > this.lower.columns;
    const shown = wars.map((one, i) => count ? { ...one, when: `${one.when}, war ${i + 1} of ${wars.length}` } : one);
    this.drawPanels(shown.slice(-this.lower.columns));
    this.peace.draw(shown.length ? null : state, { ...this.lower, x: 4, width: this.room.width - 8 });
  }

  drawPanels(shown) {
    const { y, height } = this.lower;
    const count = shown.length;
    const wide = (this.room.width - 8) / count;
    this.wars.forEach((war, i) => {
      war.show(i < count);
      if (i >= count) return;
      const width = wide - (i < count - 1 ? 8 : 0);
      war.arrange({ x: 4 + i * wide, y, width, height, letter: this.room.width > 1500 ? 10.4 : 8.4 });
      war.draw(shown[i].move, shown[i].done, shown[i].when, this.match);
    });
  }

  // -- what people ask ------------------------------------------------------------------------

  place(name) {
    const player = /^(?:player)?(\d+)$/.exec(name);
    const seat = player ? player[1] - 1 : -1;
    if (!this.rows[seat]) return null;
    const x = this.room.narrow ? 28 : this.room.left - 18; // beside the numbers
    return { x, y: this.top(seat) + this.room.tall / 2 };
  }

  describe(frame) {
    const texts = this.match.seats.map(({ label }, seat) => {
      if (frame.alive[seat] === null) return `${label} unseen`;
      if (!frame.alive[seat]) return `${label} dead`;
      const people = [arena.counted(frame.population[seat], "citizen"), arena.counted(frame.military[seat], "soldier")];
      return `${label} ${people.join(", ")}, ${frame.gold[seat]} gold`;
    });
    return `${texts.join("; ")}.`;
  }

  table(frame) {
    return {
      head: ["country", ...RESOURCES.map((name) => HEADS[name][0]), "alive"],
      rows: this.match.seats.map(({ label }, seat) => [
        label,
        ...RESOURCES.map((name) => frame[name][seat]),
        { true: "yes", false: "no", null: null }[frame.alive[seat]],
      ]),
    };
  }

  legend() {
    const seats = this.match.seats.map(({ label, letter }, seat) =>
      arena.el(
        "li",
        {},
        arena.el("span", { class: "sign", style: { backgroundColor: `var(--seat-${seat})` } }),
        ` ${letter} ${label}`,
      ),
    );
    return arena.el(
      "ul",
      { class: "legend-tncc" },
      ...seats,
      arena.el("li", {}, "lines and bars: each resource over time and now, all countries on one scale"),
      arena.el(
        "li",
        {},
        "slim arrows: trades, the gift above the price (✓ agreed, ✕ refused)",
      ),
      arena.el("li", {}, "thick arrows: wars, below as three flanks and two waves"),
    );
  }
}

/** The panel of a war. */
class War {
  constructor(layer) {
    this.layer = layer;
    const add = (tag, name) => {
      const node = arena.svg(tag, { class: name });
      layer.append(node);
      return node;
    };
    this.back = add("rect", "back");
    this.title = add("text", "title");
    this.ending = add("text", "ending");
    this.duels = [0, 1, 2, 3].map(() => ({
      name: add("text", "side"),
      sent: [add("rect", "sent"), add("rect", "sent")],
      left: [add("rect", "left"), add("rect", "left")],
      numbers: [add("text", "count"), add("text", "count")],
    }));
  }

  /** `letter`: pixels of one at most. */
  arrange({ x, y, width, height, letter }) {
    this.room = { x, y, width, height, letter };
    arena.put(this.back, { x, y, width, height, rx: 8 });
    arena.put(this.title, { x: x + 10, y: y + 16 });
    arena.put(this.ending, { x: x + 10, y: y + height - 14 });
  }

  show(shown) {
    arena.put(this.layer, { display: shown ? null : "none" });
  }

  draw(move, done, when, { seats, settings }) {
    const [, seat, target, attack, defence, victor, survivors] = move;
    arena.put(this.layer, { class: when.startsWith("last") ? "war past" : "war" });
    const [one, other] = ["label", "letter"].map((name) => [seats[seat][name], seats[target][name]]);
    this.line(this.title, [one, other].map(([by, on]) => `${by} attacks ${on} · ${when}`));
    this.line(this.ending, done < 1 ? [""] : [one, other].flatMap((names) => endings(names, victor, survivors)));
    const fought = waves(move, settings);
    const both = [seat, target];
    const flanks = SIDES.map((name, i) =>
      ({ name, seats: both, sent: [attack[i], defence[i]], left: [fought.attackers[i], fought.defenders[i]] }));
    const unknown = [...attack, ...defence].includes(null);
    const sums = unknown ? [null, null] : [total(fought.attackers), total(fought.defenders)];
    this.drawFlanks(flanks, done > 0.4);
    this.drawWave({ name: "wave two", seats: both, sent: sums, left: fought.ends }, done > 0.8);
  }

  /** The first of these texts that has room in one line. */
  line(node, texts) {
    arena.put(node, { text: fitting(texts, this.room.width - 20, this.room.letter) });
  }

  /** The names of the flanks, and to the right of them their duels on one scale. */
  drawFlanks(flanks, fought) {
    const { x, y, width, height, letter } = this.room;
    const narrow = width < 500;
    const tall = (height - 56) / 3;
    const before = 10 + letter * (narrow ? 2 : 7); // the longest name and a gap
    const area = { x: x + before, width: width * 0.6 - before, thick: Math.min(30, tall - 5) };
    flanks.forEach((flank, i) => {
      const middle = y + 32 + tall * (i + 0.5);
      const text = narrow ? flank.name[0] : flank.name;
      arena.put(this.duels[i].name, { text, x: x + 10, y: middle, class: "side" });
      this.duel(this.duels[i], flank, { ...area, y: middle, ...this.scale(flanks, area, fought) }, fought);
    });
  }

  /** The second wave, right of the first. */
  drawWave(wave, fought) {
    const { x, y, width, height } = this.room;
    const tall = (height - 56) / 3;
    const area = { x: x + width * 0.6, width: width * 0.4, thick: Math.min(30, tall - 5) * 1.3 };
    const centre = area.x + area.width / 2;
    arena.put(this.duels[3].name, { text: wave.name, x: centre, y: y + 32 + tall * 0.6, class: "side middle" });
    this.duel(this.duels[3], wave, { ...area, y: y + 32 + tall * 1.7, ...this.scale([wave], area, fought) }, fought);
  }

  /** Pixels of a soldier, so that the longest bar leaves room for its number. */
  scale(duels, { width }, fought) {
    const { letter } = this.room;
    const texts = duels.flatMap(({ sent, left }) => sent.map((count, k) => counts(count, fought ? left[k] : count)[0]));
    const longest = Math.max(...texts.map(lengthOf)) * letter;
    const bar = Math.max(SHORTEST, width / 2 - longest - 2 * GAP);
    return { soldier: bar / Math.max(1, ...duels.flatMap(({ sent }) => sent)) };
  }

  /** Attackers to the left, defenders to the right of a line; the solid part is what is left. */
  duel(nodes, { seats, sent, left }, { x, y, width, thick, soldier }, fought) {
    const centre = x + width / 2;
    [-1, 1].forEach((way, k) => {
      const bar = (count) => {
        const wide = soldier * (count || 0);
        return { x: way < 0 ? centre - 1 - wide : centre + 1, y: y - thick / 2, width: wide, height: thick };
      };
      const now = fought ? left[k] : sent[k];
      const fill = `var(--seat-${seats[k]})`;
      arena.put(nodes.sent[k], { ...bar(sent[k]), fill });
      arena.put(nodes.left[k], { ...bar(sent[k] === null ? 0 : now), fill });
      const beside = soldier * (sent[k] || 0) + GAP;
      arena.put(nodes.numbers[k], {
        text: fitting(counts(sent[k], now), width / 2 - beside - 1, this.room.letter),
        x: centre + way * beside,
        y,
        class: `count ${way < 0 ? "end" : "start"}`,
      });
    });
  }
}

/** How a war ended, in more or fewer words. */
function endings([one, other], victor, survivors) {
  const end = { attacker: `${one} wins`, defender: `${other} wins` }[victor];
  if (!end) return ["No one is left"];
  return [`${end}: ${survivors} ${survivors === 1 ? "comes" : "come"} home with the loot`, `${end}: ${survivors} left`];
}

/** What stands beside a bar, the longest first: how many were sent and how many are left of them. */
function counts(sent, left) {
  if (sent === null) return ["?"];
  const each = sent === left ? [[sent]] : [[sent, left], [left]];
  return each.flatMap((numbers) => [numbers.join("→"), numbers.map((one) => (one < 1e4 ? one : thousands(one))).join("→")]);
}

/** How many letters wide a text is. */
const lengthOf = (text) => text.length + (text.includes("→") ? 0.4 : 0);

/** The first of these texts that has room in so many pixels, or else the last. */
function fitting(texts, room, letter) {
  return texts.find((text) => lengthOf(text) * letter <= room) ?? texts[texts.length - 1];
}

/** What stands there before the first war: how the countries stand, and who could fight. */
class Peace {
  constructor(layer, seats) {
    this.layer = layer;
    this.seats = seats;
    const add = (tag, attributes) => {
      const node = arena.svg(tag, attributes);
      layer.append(node);
      return node;
    };
    this.back = add("rect", { class: "back", rx: 8 });
    this.title = add("text", { class: "title" });
    this.rows = seats.map((_, seat) => ({
      name: add("text", { class: "side" }),
      people: add("rect", { class: "sent", fill: `var(--seat-${seat})` }),
      soldiers: add("rect", { class: "left", fill: `var(--seat-${seat})` }),
      count: add("text", { class: "count start" }),
    }));
  }

  /** The countries by their people, the most first, in one column or two; null: a war is shown. */
  draw(state, room) {
    arena.put(this.layer, { display: state ? null : "none" });
    if (!state) return;
    const { x, y, width, height } = room;
    arena.put(this.back, { x, y, width, height });
    const bars = width < 500 ? "People · soldiers" : "The people of each country (soldiers: solid)";
    arena.put(this.title, { x: x + 10, y: y + 16, text: `No war so far. ${bars}:` });
    const people = this.seats.map((_, seat) => total([state.population[seat], state.military[seat]]));
    const order = [...people.keys()].sort((one, other) => (people[other] ?? -1) - (people[one] ?? -1));
    const columns = (height - 36) / this.seats.length < 20 ? 2 : 1;
    const lines = Math.ceil(this.seats.length / columns);
    const [wide, tall] = [width / columns, (height - 36) / lines];
    const most = Math.max(1, ...people);
    order.forEach((seat, i) => this.row(this.rows[seat], seat, state, people[seat] / most, {
      x: x + wide * Math.floor(i / lines), y: y + 30 + tall * (i % lines), width: wide, height: tall,
    }));
  }

  /** `share`: the length of its bar. */
  row({ name, people, soldiers, count }, seat, { population, military }, share, room) {
    const narrow = room.width < 330;
    const { label, letter } = this.seats[seat];
    const left = room.x + (narrow ? 30 : 120);
    const wide = Math.max(0, (room.x + room.width - left - (narrow ? 76 : 190)) * share);
    const thick = Math.min(26, room.height - 4);
    const bar = { x: left, y: room.y + (room.height - thick) / 2, height: thick };
    const all = total([population[seat], military[seat]]);
    const middle = room.y + room.height / 2;
    arena.put(name, { x: room.x + 10, y: middle, text: narrow ? letter : label });
    arena.put(people, { ...bar, width: wide });
    arena.put(soldiers, { ...bar, width: all ? (wide * military[seat]) / all : 0 });
    const known = narrow ? `${all} · ${military[seat]}`
      : `${arena.counted(all, "person", "people")}, ${arena.counted(military[seat], "soldier")}`;
    arena.put(count, { x: left + wide + 8, y: middle, text: all === null ? "?" : known });
  }
}

const isWar = ([kind]) => kind === "war";

function warText([, , victor]) {
  return { attacker: "won", defender: "lost", tie: "tie" }[victor];
}

/** A number in so many pixels: 12500 may become 13k. */
function short(value, room) {
  const text = String(value);
  return text.length * 8 <= room ? text : thousands(value);
}

function thousands(value) {
  return value < 1e6 ? `${Math.round(value / 1000)}k` : `${Math.round(value / 1e6)}M`;
}

arena.boards.tncc = {
  /** The board of a match on an empty stage.
   *  @param {HTMLElement} stage  @param {object} match */
  make: (stage, match) => new Board(stage, match),
};
