// The players: colour, name, standing, time bank, faults. A click shows what a player sees.

arena.SeatList = class {
  constructor(story, choose) {
    this.story = story;
    this.rows = story.seats.map((seat, index) => this.row(seat, index, choose));
    this.element = arena.el("ol", { class: "seats", "aria-label": "Players" },
      this.rows.map((row) => row.item));
  }

  row(seat, index, choose) {
    const standing = arena.el("span", { class: "standing" });
    const bar = arena.el("span", { class: "bar-fill", style: { background: `var(${seat.colour})` } });
    const bank = arena.el("span", { class: "bank", title: "time bank at its last request" });
    const faults = arena.el("span", { class: "faults" });
    const state = arena.el("span", { class: "state" });
    const name = arena.el("bdi", { class: "name", title: seat.name }, seat.name);
    const button = arena.el("button", {
      type: "button", class: "seat", "aria-pressed": "false",
      title: `What ${seat.label} sees (${index + 1})`, onclick: () => choose(index),
    },
      arena.badge(seat, index),
      arena.el("span", { class: "seat-name" }, name,
        arena.el("span", { class: "label" }, seat.label)),
      standing,
      arena.el("span", { class: "bar" }, bar),
      arena.el("span", { class: "figures" }, state, bank, faults));
    return { item: arena.el("li", {}, button), button, standing, bar, bank, faults, state };
  }

  show(index, view) {
    const { story } = this;
    const last = index === story.length - 1;
    const { standing } = story.account(index, view);
    const most = Math.max(1, ...standing);
    this.rows.forEach((row, seat) => {
      const known = view === null || view === seat; // of the time and the faults of others no line tells
      const value = standing[seat] ?? null;
      row.standing.replaceChildren(...(value === null ? [] : [arena.number(value),
        arena.el("span", { class: "unit" }, ` ${story.unitOf(value)}`)]));
      row.bar.style.width = `${value === null ? 0 : (100 * Math.max(0, value)) / most}%`;
      row.bank.textContent = known ? `bank ${arena.time(story.banks[index][seat])}` : "";
      const count = known ? story.faults(index, seat) : 0;
      row.faults.textContent = count ? arena.counted(count, "fault") : "";
      row.state.textContent = last && known && story.outcome ? this.ending(seat) : "";
      row.button.setAttribute("aria-pressed", String(view === seat));
    });
  }

  ending(seat) {
    const { ranks, points } = this.story.outcome;
    const stopped = this.story.totals[seat] && this.story.totals[seat].stopped;
    const rank = `rank ${ranks[seat]}, ${arena.counted(points[seat], "point")}`;
    return stopped ? `${rank} · ${stopped}` : rank;
  }
};
