// The row of buttons that play, step and set the pace, and the scrubber above it.

const LABELS = { 0.25: "¼×", 0.5: "½×" };

arena.Controls = class {
  constructor(playback, { round, order }) {
    this.playback = playback;
    this.round = round;
    this.range = arena.el("input", {
      type: "range", class: "scrubber", min: 0, max: playback.length - 1, step: 1,
      "aria-label": "Round",
      oninput: () => playback.jump(Math.round(this.range.value)),
    });
    this.play = arena.iconButton("play", "Play", "space", () => playback.toggle());
    this.play.classList.add("play");
    this.speed = arena.el("output", { class: "speed", "aria-label": "Speed" });
    this.field = arena.el("input", {
      type: "text", inputmode: "numeric", class: "round-field", "aria-label": "Go to round",
      title: "Go to round (g)",
      onchange: () => this.go(),
      onkeydown: (event) => this.leave(event),
    });
    this.of = arena.el("span", { class: "of" });
    this.element = arena.el("div", { class: "controls", role: "group", "aria-label": "Time" },
      arena.iconButton("first", "First round", "Home", () => playback.move(-playback.length)),
      arena.iconButton("previous", "One round back", "←", () => playback.move(-1)),
      this.play,
      arena.iconButton("next", "One round forward", "→", () => playback.move(1)),
      arena.iconButton("last", "Last round", "End", () => playback.move(playback.length)),
      arena.iconButton("order", "One order forward", "t", () => order(1)),
      arena.el("span", { class: "group" },
        arena.iconButton("minus", "Slower", "-", () => playback.faster(-1)),
        this.speed,
        arena.iconButton("plus", "Faster", "+", () => playback.faster(1))),
      arena.el("span", { class: "group round-box" }, "round ", this.field, this.of));
  }

  /** There are more rounds now. */
  extend(last) {
    this.round.last = last;
    this.range.max = this.playback.length - 1;
  }

  go() {
    const number = Number.parseInt(this.field.value, 10);
    if (Number.isFinite(number)) this.playback.jump(this.round.index(number));
    else this.show();
  }

  leave(event) {
    if (event.key === "Enter" || event.key === "Escape") this.field.blur();
  }

  /** Go to the field for a round. */
  ask() {
    this.playback.pause();
    this.field.focus();
    this.field.select();
  }

  /** Put the knob where the picture is: between two rounds, where there is no step. */
  stand(position) {
    this.range.step = Number.isInteger(position) ? 1 : "any";
    this.range.value = position;
  }

  show() {
    const { playback, round } = this;
    const { playing, speed, rate } = playback;
    const number = round.number(playback.shown.index);
    this.stand(playback.position);
    this.range.setAttribute("aria-valuetext", `round ${number} of ${round.last}`);
    if (document.activeElement !== this.field) this.field.value = number;
    this.of.textContent = ` of ${round.last}`;
    if (this.playing !== playing) {
      this.playing = playing;
      arena.setIcon(this.play, playing ? "pause" : "play");
      this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    }
    this.speed.textContent = LABELS[speed] || `${speed}×`;
    this.speed.title = `${rate.toFixed(1)} rounds a second`;
  }
};
