// The match that a page shows: its data, unpacked.

/** The content of a block of data of the page, once it is unpacked. */
arena.unpack = async (name) => {
  const text = atob(document.getElementById(name).textContent);
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked).json();
};

/** A match, as the page maker wrote it (arena/view/story.py says what is in it). */
arena.Story = class {
  constructor(data) {
    Object.assign(this, data);
    this.views = [null, ...(data.seen || []).keys()];
    this.cache = new Map();
  }

  /** How many frames there are. */
  get length() {
    return this.frames.length;
  }

  /** The frame at an index, as a seat sees it; null: as spectators see it. */
  frame(index, seat) {
    if (index < 0) return null;
    if (seat === null || !this.seen) return this.frames[index];
    const key = index * this.seats.length + seat;
    if (!this.cache.has(key)) {
      this.cache.set(key, { ...this.frames[index], ...this.seen[seat][index] });
    }
    return this.cache.get(key);
  }

  /** The index of the frame of a round, or of the next there is. */
  indexOf(round) {
    const found = this.frames.findIndex((frame) => frame.round >= round);
    return found < 0 ? this.length - 1 : found;
  }
};
