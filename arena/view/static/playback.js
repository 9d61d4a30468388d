// Where the page stands in time, and how it goes on. It draws nothing.

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
const CUT = 8; // rounds a second above which nothing glides any more
const WHOLE = 60; // seconds that a match takes at the speed 1, if its pace allows
const SLOWEST = 0.8;
const FASTEST = 8;

/** A moment is {index, fraction, step}: the frame; how far the way to it is animated (1: at rest);
 *  how many of its orders are carried out, or null.
 *  `changed(moment)` is called whenever there is another one. */
arena.Playback = class {
  constructor(length, changed, signal) {
    this.length = length;
    this.changed = changed;
    this.index = 0;
    this.fraction = 1;
    this.step = null;
    this.playing = false;
    this.speed = 1;
    this.last = 0;
    const hide = () => document.hidden && this.pause();
    document.addEventListener("visibilitychange", hide, { signal });
  }

  /** Rounds a second at the speed 1: what suits the length of the match. */
  get pace() {
    return arena.clamp(this.length / WHOLE, SLOWEST, FASTEST);
  }

  get rate() {
    return this.pace * this.speed;
  }

  get atEnd() {
    return this.index >= this.length - 1 && this.fraction >= 1;
  }

  /** Rest at a frame. */
  seek(index) {
    this.index = arena.clamp(index, 0, this.length - 1);
    this.fraction = 1;
    this.step = null;
    this.changed();
  }

  /** Rest at a frame; playing stops. */
  jump(index) {
    this.playing = false;
    this.seek(index);
  }

  /** So many rounds on, or back; playing stops. */
  move(rounds) {
    this.jump(this.index + rounds);
  }

  /** One order on or back (by: 1 or -1); `steps(index)` says how many a round has. */
  order(by, steps) {
    this.playing = false;
    let { index, step } = this;
    if (step === null) {
      if (by > 0 && index >= this.length - 1) return;
      if (by > 0) [index, step] = [index + 1, Math.min(1, steps(index + 1))];
      else step = steps(index) - 1;
    } else step += by;
    if (step < 0) [index, step] = [index - 1, null];
    else if (step >= steps(index)) step = null;
    this.seek(index);
    this.step = step;
    this.changed();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.atEnd) this.seek(0);
    this.step = null;
    this.playing = true;
    this.last = 0;
    requestAnimationFrame((now) => this.tick(now));
    this.changed();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.seek(this.index);
  }

  /** The next speed up (by: 1) or down (-1). */
  faster(by) {
    const at = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[arena.clamp(at, 0, SPEEDS.length - 1)];
    this.changed();
  }

  tick(now) {
    if (!this.playing) return;
    const passed = this.last ? Math.min(250, now - this.last) : 0;
    this.last = now;
    let at = this.index + this.fraction - 1 + (passed / 1000) * this.rate;
    at = Math.min(at, this.length - 1);
    this.index = Math.ceil(at);
    this.fraction = this.index === at ? 1 : at - this.index + 1;
    if (at >= this.length - 1) this.playing = false;
    else requestAnimationFrame((next) => this.tick(next));
    this.changed();
  }

  /** What boards draw: no motion at high speeds, nor where the system asks for none. */
  get shown() {
    const cut = this.rate > CUT || arena.still();
    const fraction = cut ? 1 : this.fraction;
    const index = cut && this.fraction < 1 ? this.index - 1 : this.index;
    return { index, fraction, step: this.step };
  }

  /** Where the picture is, between two frames while it glides. */
  get position() {
    const { index, fraction } = this.shown;
    return Math.max(0, index - 1 + fraction);
  }
};
