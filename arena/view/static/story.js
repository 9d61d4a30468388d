// The match that a page shows: its data, unpacked.

/** The content of a block of data of the page, once it is unpacked. */
arena.unpack = (name) => arena.block(name).json();

/** Wait until the browser has drawn what is there. */
const painted = () =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));

const ENDS = new Set(["crashed", "ended"]); // marks that are no faults

/** A match, as the page maker wrote it: `arena/view/story.py` says what is in it. */
arena.Story = class {
  /** @param number which match of the page it is */
  constructor(data, number) {
    Object.assign(this, data);
    this.number = number;
    this.seats.forEach((seat) => (seat.name = arena.safe(seat.name)));
    this.cache = new Map();
    this.loading = null;
    this.count();
  }

  /** Add up the faults of all seats. */
  count() {
    this.counts = faultCounts(this);
  }

  /** How many frames there are. */
  get length() {
    return this.frames.length;
  }

  /** Whether a bot drew on the board. */
  get hasShapes() {
    return Object.keys(this.drawings.shapes).length > 0;
  }

  /** What standings count, in the singular or the plural that the number needs. */
  unitOf(count) {
    return count === 1 ? this.unit : this.units;
  }

  /** The number of the round of a frame. */
  round(index) {
    return this.rounds[index];
  }

  /** A frame as spectators see it. */
  whole(index) {
    return unpackedAt(this.frames, index);
  }

  /** What is said of a round, as far as a seat knows of it; null: all. (arena/view/story.py) */
  account(index, seat) {
    const all = { orders: this.orders[index] || [], events: this.events[index] || [],
      standing: this.standing[index] || [] };
    if (seat === null || !this.seen) return all;
    const [orders, events, standing] = this.told[seat][index];
    const known = (list, from) => list.map((one) => (typeof one === "number" ? from[one] : one));
    return { orders: known(orders, all.orders), events: known(events, all.events),
      standing: patched(all.standing, standing) };
  }

  /** The frame at an index, as a seat sees it; null: as spectators see it. */
  frame(index, seat) {
    if (index < 0) return null;
    if (seat === null || !this.seen) return this.whole(index);
    const key = index * this.seats.length + seat;
    if (!this.cache.has(key)) {
      this.cache.set(key, patched(this.whole(index), unpackedAt(this.seen[seat], index)));
    }
    return this.cache.get(key);
  }

  /** The index of the frame of a round, or of the last one before it. */
  indexOf(round) {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.round(middle) <= round) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** How programs ended in a round, or in all rounds (null), as far as a seat knows; null: all. */
  ends(index, view) {
    return this.marks
      .filter(([at, seat, code]) => ENDS.has(code) && (index ?? at) === at && (view ?? seat) === seat)
      .map(([at, seat, code, detail]) => ({ seat, text: this.endText(at, seat, code, arena.safe(detail)) }));
  }

  endText(index, seat, code, detail) {
    const label = this.seats[seat].label;
    if (code === "ended") return `${label}: ${detail} in round ${this.round(index)}`;
    return `${label} crashed in round ${this.round(index)}${detail && `: ${detail}`}`;
  }

  /** How many faults a seat had up to a frame. */
  faults(index, seat) {
    return this.counts[seat][index];
  }

  /** What the inspector shows, unpacked when it is first asked for, but behind the first picture:
   *  it is most of the page. */
  texts() {
    if (!this.loading) this.loading = painted().then(() => arena.unpack(`texts-${this.number}`));
    return this.loading;
  }
};

/** A value of a list whose values may be packed: JSON in a text. */
function unpackedAt(list, index) {
  if (typeof list[index] === "string") list[index] = JSON.parse(list[index]);
  return list[index];
}

/** A value with a patch (arena/view/story.py) applied; what it does not name is shared. */
function patched(value, patch) {
  if (!patch) return value;
  if (Array.isArray(patch)) return patch[0];
  const copy = Array.isArray(value) ? value.slice() : { ...value };
  for (const [key, part] of Object.entries(patch)) copy[key] = patched(value[key], part);
  return copy;
}

/** By seat and frame: the sum of faults so far. */
function faultCounts({ seats, frames, marks }) {
  const counts = seats.map(() => new Array(frames.length).fill(0));
  for (const [index, seat, , , count] of marks) {
    if (counts[seat]) counts[seat][index] += count;
  }
  for (const row of counts) row.forEach((count, i) => i && (row[i] = count + row[i - 1]));
  return counts;
}
