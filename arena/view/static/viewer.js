// One match on the page, or two side by side: boards, time line, players, inspector.

const BUSY = 250; // ms between two updates of the lists while it plays
const SIDES = ["one", "other"];
const NONE = [];
const SETTLED = 200; // ms after which a moment stands in the address
const SAID = 5; // events of a round that screen readers say

arena.Viewer = class {
  /** @param options {several: whether the page has a list; differences: of a comparison; own: the
   *  seat whose story it is, where it is told to that seat alone; keys: more of them} */
  constructor(root, stories, options = {}) {
    const { several = false, differences = [], leave = null, own = null, keys = [] } = options;
    Object.assign(this, { root, stories, several, differences, leave, own, moreKeys: keys });
    this.story = stories[0];
    this.longest = stories.reduce((one, other) => (other.length > one.length ? other : one));
    this.seat = own;
    this.signs = NONE; // over the newest board: what a person is about to order
    this.drawings = "all";
    this.shownIndex = -1;
    this.updated = 0;
    this.toWrite = 0; // the timer of the address
    this.stop = new AbortController();
    arena.paintSeats(this.story.seats);
    this.playback = new arena.Playback(this.longest.length, () => this.update(), this.stop.signal);
    this.build();
    this.listen();
    this.follow();
  }

  // -- the parts -------------------------------------------------------------------------

  build() {
    this.panes = this.stories.map((one) => new arena.Pane(one));
    this.charts = this.stories.map((one) => new arena.Chart(one, (i) => this.playback.jump(i), this.stories));
    this.controls = new arena.Controls(this.playback, {
      round: {
        number: (index) => this.longest.round(index),
        index: (number) => this.longest.indexOf(number),
        last: this.longest.round(this.longest.length - 1),
      },
      order: (by) => this.order(by),
    });
    this.seats = this.stories.map((one) => new arena.SeatList(one, (i) => this.choose(i, true)));
    this.logs = this.stories.map((one) => new arena.RoundLog(one, (step) => this.toStep(step)));
    this.notes = this.stories.map((one) => new arena.DrawingNotes(one));
    this.turns = this.stories.map((one) => new arena.Turns(one, (i, seat) => this.toTurn(one, i, seat)));
    this.inspectors = this.stories.map((one) => new arena.Inspector(one, (i) => this.jumpTo(one, i)));
    this.live = arena.el("p", { class: "off-screen", "aria-live": "polite" });
    this.headline = arena.el("span");
    this.tables = this.stories.map(() => arena.el("div", { class: "table-box", tabindex: 0,
      role: "region", "aria-label": "Board as a table" }));
    this.help = arena.helpDialog(this.keys());
    const kind = this.stories.length > 1 ? " compare" : this.own === null ? "" : " own";
    this.element = arena.el("div", { class: `viewer${kind}` },
      arena.el("div", { class: "first" }, this.header(), this.main()), this.side(), this.live);
    this.root.replaceChildren(this.element);
    this.panes.forEach((pane) => pane.explain());
  }

  /** What was shown may be another now. */
  refresh() {
    this.shownIndex = -1;
    [...this.logs, ...this.inspectors].forEach((one) => (one.index = -1));
  }

  /** The stories have grown. */
  extend() {
    this.playback.length = this.longest.length;
    this.controls.extend(this.longest.round(this.longest.length - 1));
    this.charts.forEach((chart) => chart.extend());
    this.update();
  }

  header() {
    const { title, seed, outcome } = this.story;
    const notesShown = [...new Set(this.stories.flatMap((one) => one.notes))];
    const back = this.several
      ? arena.el("button", { type: "button", class: "plain", onclick: this.leave }, "All matches")
      : null;
    const alone = this.stories.length === 1 && this.own === null;
    const ending = !alone ? null : outcome ? outcome.sentence : "not finished";
    const ends = alone ? this.story.ends(null, null).map(({ text }) => text) : [];
    return arena.el("header", { class: "top" },
      arena.el("div", { class: "title" },
        arena.el("h1", {}, title),
        arena.el("p", { class: "sub" }, [seed && `seed ${arena.safe(seed)}`, ending, ...ends]
          .filter(Boolean).join(" · "))),
      arena.el("div", { class: "tools" }, back,
        arena.iconButton("full", "Full screen", "f", () => this.fullScreen()),
        arena.el("button", { type: "button", class: "plain", title: "Keys (?)", "aria-label": "Keys",
          onclick: () => this.help.showModal() }, "?")),
      ...notesShown.map((text) => arena.el("p", { class: "warning" }, text)),
      this.differenceRow());
  }

  differenceRow() {
    if (this.stories.length < 2) return null;
    const items = this.differences.map((one) =>
      arena.el("button", { type: "button", class: "plain",
        onclick: () => this.toDifference(one) }, `round ${one.round}: ${one.text}`));
    return arena.el("div", { class: "differences" },
      items.length ? items : arena.el("p", {}, "The matches do not differ."));
  }

  main() {
    this.views = arena.el("div", { class: "views", role: "group", "aria-label": "View" },
      [null, ...this.story.seats.keys()].map((seat) => this.viewButton(seat)));
    this.drawn = arena.el("span");
    this.drawButton = arena.el("button", { type: "button", class: "plain", title: "Drawings of bots (b)",
      onclick: () => this.nextDrawings() },
      arena.icon("pencil"), arena.el("span", { class: "word" }, "Drawings:"), this.drawn);
    const drawn = this.stories.some((one) => one.hasShapes);
    const boards = this.panes.map((pane, i) => arena.el("div", { class: `half ${SIDES[i]}` },
      this.stories.length > 1 ? this.halfHead(i) : null, pane.element));
    this.boards = arena.el("div", { class: "boards" }, boards);
    const lines = this.charts.map((chart) => chart.element);
    return arena.el("section", { class: "main", "aria-label": "Match" },
      arena.el("div", { class: "bar-top" }, this.own === null ? this.views : null,
        drawn ? this.drawButton : null, arena.el("p", { class: "headline" }, this.headline)),
      this.boards,
      arena.el("div", { class: "timeline" }, lines, this.controls.range, this.controls.element));
  }

  halfHead(i) {
    const { file, outcome, seats } = this.stories[i];
    const names = seats.map((seat) => seat.name).join(" – ");
    return arena.el("p", { class: "half-head" }, arena.el("b", {}, arena.safe(file)), ` ${names}. `,
      outcome ? outcome.sentence : "not finished");
  }

  viewButton(seat) {
    const label = seat === null ? "Spectators" : this.story.seats[seat].label;
    const key = seat === null ? "0" : `${seat + 1}`;
    return arena.el("button", { type: "button", class: "view", "aria-pressed": "false",
      title: `${label} (${key})`, onclick: () => this.choose(seat) },
      seat === null ? null : arena.badge(this.story.seats[seat], seat),
      arena.el("span", {}, label));
  }

  side() {
    const { stories } = this;
    const wide = innerWidth >= 900;
    const each = (make) => stories.map(make);
    return arena.el("aside", { class: "side", "aria-label": "Details" },
      each((story, i) => [
        stories.length > 1 ? arena.el("h2", { class: "half-title" }, arena.safe(story.file)) : null,
        this.seats[i].element]).flat(),
      each((_, i) => this.tab("Round", i, this.logs[i].element, true)),
      each((_, i) => this.tab("Drawings", i, this.notes[i].element, true)),
      each((_, i) => this.tab("Chances", i, this.turns[i].element, false)),
      each((_, i) => this.tab("Inspector", i, this.inspectors[i].element, wide)),
      each((_, i) => this.tab("Legend", i, this.legend(i), false)),
      each((_, i) => this.tab("Board as a table", i, this.tables[i], false)));
  }

  legend(i) {
    this.panes[i].legendBox = arena.el("div", { class: "legend-box" });
    return this.panes[i].legendBox;
  }

  /** A part of the details, of one story; of two, its file stands beside the title. */
  tab(title, i, content, open) {
    const whose = this.stories.length > 1
      ? arena.el("span", { class: "sub" }, ` ${arena.safe(this.stories[i].file)}`) : null;
    return arena.el("details", { class: `tab tab-${title.toLowerCase().split(" ")[0]}`, open,
      ontoggle: () => this.fillLists() },
      arena.el("summary", {}, title, whose), content);
  }

  // -- keys ------------------------------------------------------------------------------

  keys() {
    const { playback } = this;
    const views = this.story.seats.map((_, i) => `${i + 1}`).slice(0, 9);
    const seats = [
      [["v", "Shift+v"], "next or previous view", (name) => this.nextView(name === "v" ? 1 : -1)],
      [["0"], "what spectators see", () => this.choose(null)],
      [views, "what a player sees", (name) => this.choose(Number(name) - 1)],
    ];
    return [
      ...this.moreKeys,
      ["Time", [
        [[" ", "k"], "play, pause", () => playback.toggle()],
        [["ArrowRight", "ArrowLeft"], "one round forward or back",
          (name) => playback.move(name === "ArrowRight" ? 1 : -1)],
        [["Shift+ArrowRight", "Shift+ArrowLeft"], "ten rounds forward or back",
          (name) => playback.move(name.endsWith("Right") ? 10 : -10)],
        [["PageDown", "PageUp"], "ten rounds forward or back",
          (name) => playback.move(name === "PageDown" ? 10 : -10)],
        [["Home", "End"], "first or last round",
          (name) => playback.move(name === "End" ? playback.length : -playback.length)],
        [["t", "Shift+t"], "one order forward or back", (name) => this.order(name === "t" ? 1 : -1)],
        [["e", "q"], "next or previous event", (name) => this.event(name === "e" ? 1 : -1)],
        [["+", "-"], "faster, slower", (name) => playback.faster(name === "+" ? 1 : -1)],
        [["=", "ArrowUp"], "", () => playback.faster(1)],
        [["_", "ArrowDown"], "", () => playback.faster(-1)],
        [["g"], "go to a round", () => this.controls.ask()],
        ...(this.stories.length > 1
          ? [[["n"], "go to the first difference", () => this.firstDifference()]] : []),
      ]],
      ["View", [
        ...(this.own === null ? seats : []),
        [["b"], "drawings of bots: off, one, all", () => this.nextDrawings()],
        [["z", "Shift+z"], "magnify, shrink", (name) => this.zoom(name === "z" ? 1.5 : 1 / 1.5)],
        [["w", "a", "s", "d"], "move a magnified board", (name) => this.pan(name)],
        [["r"], "show the whole board", () => this.zoom(0)],
        [["f"], "full screen", () => this.fullScreen()],
      ]],
      ["Page", [
        [["l"], "open or close the inspector", () => this.toggleInspector()],
        [["/"], "search the lines of a player", () => this.openSearch()],
        [["?"], "this list", () => (this.help.open ? this.help.close() : this.help.showModal())],
        [["Escape"], "close this list, or a card on the board", () => this.dismiss()],
      ]],
    ];
  }

  listen() {
    arena.listen(this.keys(), this.stop.signal);
    arena.onTheme(() => {
      if (this.stop.signal.aborted) return;
      arena.paintSeats(this.story.seats);
      this.update();
    });
    window.addEventListener("hashchange", () => this.follow(), { signal: this.stop.signal });
    window.addEventListener("resize", () => this.update(), { signal: this.stop.signal });
  }

  /** Close what boards have open. */
  dismiss() {
    this.panes.forEach(({ board }) => board.dismiss && board.dismiss());
  }

  /** Take it off the page. */
  close() {
    this.playback.pause();
    this.stop.abort();
    clearTimeout(this.toWrite);
    this.help.remove();
  }

  // -- what keys and buttons do ----------------------------------------------------------

  /** Show what a seat sees; null: spectators. `again`: back to spectators if it is shown. */
  choose(seat, again = false) {
    if (this.own !== null || (seat !== null && !this.story.seats[seat])) return;
    this.seat = again && seat === this.seat ? null : seat;
    if (seat !== null) this.inspectors.forEach((one) => one.story.seats[seat] && one.choose(seat));
    this.shownIndex = -1;
    this.update();
  }

  nextView(by) {
    const count = this.story.seats.length + 1;
    const now = this.seat === null ? 0 : this.seat + 1;
    const next = (now + by + count) % count;
    this.choose(next === 0 ? null : next - 1);
  }

  nextDrawings() {
    const kinds = ["off", "one", "all"];
    this.drawings = kinds[(kinds.indexOf(this.drawings) + 1) % 3];
    this.update();
  }

  order(by) {
    this.playback.order(by, (index) => this.panes[0].steps(this.indexIn(0, index), this.seat));
  }

  toStep(step) {
    this.playback.pause();
    this.playback.step = step;
    this.update();
  }

  event(by) {
    const at = this.playback.index;
    const marks = this.charts.flatMap((chart, i) =>
      chart.marks.map((mark) => this.longest.indexOf(this.stories[i].round(mark.index))));
    const found = by > 0 ? marks.filter((one) => one > at) : marks.filter((one) => one < at);
    if (found.length) this.playback.jump(by > 0 ? Math.min(...found) : Math.max(...found));
  }

  /** Show a turning point, and the lines of its seat. */
  toTurn(story, index, seat) {
    this.jumpTo(story, index);
    this.inspectors.forEach((one) => one.story === story && one.choose(seat));
  }

  jumpTo(story, index) {
    this.playback.jump(this.longest.indexOf(story.round(index)));
  }

  zoom(factor) {
    this.panes.forEach((pane) => pane.zoom(factor));
  }

  pan(name) {
    const [x, y] = { w: [0, -1], s: [0, 1], a: [-1, 0], d: [1, 0] }[name];
    this.panes.forEach((pane) => pane.pan(x, y));
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (document.documentElement.requestFullscreen) {
      document.documentElement.requestFullscreen().catch(() => {});
    }
  }

  toggleInspector() {
    const tabs = [...this.element.querySelectorAll(".tab-inspector")];
    const open = !tabs[0].open;
    tabs.forEach((tab) => (tab.open = open));
    if (open) tabs[0].scrollIntoView({ block: "nearest" });
  }

  openSearch() {
    this.element.querySelector(".tab-inspector").open = true;
    this.inspectors[0].query.focus();
  }

  toDifference({ round, seat }) {
    this.playback.jump(this.longest.indexOf(round));
    if (seat !== null) this.inspectors.forEach((one) => one.choose(seat));
  }

  firstDifference() {
    if (this.differences.length) this.toDifference(this.differences[0]);
  }

  // -- drawing ---------------------------------------------------------------------------

  /** The index in one story of what the page shows. */
  indexIn(i, index) {
    const story = this.stories[i];
    return story === this.longest ? index : story.indexOf(this.longest.round(index));
  }

  update() {
    const { playback } = this;
    const shown = playback.shown;
    this.panes.forEach((pane, i) => {
      const index = this.indexIn(i, shown.index);
      const still = this.stories[i] !== this.longest && index === this.stories[i].length - 1;
      pane.draw({ ...shown, index, fraction: still ? 1 : shown.fraction }, this.seat,
        this.marksAt(i, index));
    });
    this.charts.forEach((chart) => {
      chart.look(this.logged);
      chart.show(playback.position);
    });
    this.controls.show();
    this.updateLists(shown);
  }

  updateLists({ index, step }) {
    const now = performance.now();
    const busy = this.playback.playing && now - this.updated < BUSY;
    if (index !== this.shownIndex && !busy) {
      this.updated = now;
      this.shownIndex = index;
      this.fillLists();
    }
    if (step !== this.shownStep) {
      this.shownStep = step;
      this.logs.forEach((log, i) => log.show(this.indexIn(i, index), step, this.logged));
    }
    if (!this.playback.playing) this.rest();
  }

  fillLists() {
    const index = this.shownIndex;
    if (index < 0) return;
    this.headline.textContent = this.headline.title = this.saying(this.indexIn(0, index));
    this.seats.forEach((seats, i) => seats.show(this.indexIn(i, index), this.seat));
    const isOpen = (node) => node.closest("details").open;
    this.stories.forEach((_, i) => {
      const here = this.indexIn(i, index);
      if (isOpen(this.logs[i].element)) this.logs[i].show(here, this.playback.step, this.logged);
      if (isOpen(this.inspectors[i].element)) this.inspectors[i].show(here);
      this.notes[i].element.closest("details").hidden = !this.notes[i].lists(this.seat);
      this.notes[i].show(here, this.seat);
      this.turns[i].element.closest("details").hidden = !this.turns[i].lists(this.seat);
      if (isOpen(this.turns[i].element)) this.turns[i].show(here);
      if (isOpen(this.tables[i])) this.fillTable(i, here);
    });
    [...this.views.children].forEach((button, i) =>
      button.setAttribute("aria-pressed", String(this.seat === (i === 0 ? null : i - 1))));
    this.drawn.textContent = this.drawings;
  }

  /** The board in words: for spectators as the game tells it, for a player what it sees. */
  saying(index) {
    const board = this.seat === null ? this.story.headlines[index] : this.panes[0].words(index, this.seat);
    return [...this.story.ends(index, this.logged).map(({ text }) => text), board].join(" · ");
  }

  fillTable(i, index) {
    const { board } = this.panes[i];
    this.tables[i].replaceChildren(arena.table(board.table(this.stories[i].frame(index, this.seat))));
  }

  /** What is only told when nothing moves: the address, and what screen readers say. */
  rest() {
    const { index } = this.playback;
    const round = this.longest.round(index);
    this.panes.forEach((pane, i) => pane.describe(this.indexIn(i, index), this.seat));
    const text = this.spoken(this.indexIn(0, index));
    if (this.live.textContent !== text) this.live.textContent = text;
    const match = this.several ? this.story.number + 1 : null;
    this.writeAddress({ match, round, seat: this.seat });
  }

  /** Write the moment into the address when it has stayed for a while, unless that was changed
   * meanwhile. Chromium draws its address bar anew each time, 10 of the 45 ms that a key took, and
   * Safari refuses more than a hundred changes in 30 s. */
  writeAddress(moment) {
    const before = location.hash;
    clearTimeout(this.toWrite);
    this.toWrite = setTimeout(() => {
      if (location.hash === before) arena.writeAddress(moment);
    }, SETTLED);
  }

  /** What screen readers say: the order that is shown, or what the round has brought. */
  spoken(index) {
    const { orders, events } = this.story.account(index, this.logged);
    const { step } = this.playback;
    if (step && orders[step - 1]) return `order ${step} of ${orders.length}: ${orders[step - 1]}`;
    const whose = this.logged === null ? "" : `, as ${this.story.seats[this.logged].label} sees it`;
    const said = events.slice(0, SAID).map(({ text }) => text);
    const rest = events.length > SAID ? [arena.counted(events.length - SAID, "more event")] : [];
    return [`round ${this.story.round(index)}${whose}`, ...said, ...rest, this.saying(index)]
      .map((text) => text.replace(/\.?$/, ".")).join(" ");
  }

  /** In whose view the events and orders of rounds are listed; the story of a seat has its own. */
  get logged() {
    return this.own === null ? this.seat : null;
  }

  /** Go where the address says; else two matches are shown where they first differ. */
  follow() {
    const { round, seat } = arena.readAddress();
    this.playback.jump(round === null ? 0 : this.longest.indexOf(round));
    if (round === null) this.firstDifference();
    if (seat !== null || this.seat !== null) this.choose(seat);
  }

  /** The drawings of bots for a frame; in the view of a player its own alone. */
  marksAt(i, index) {
    if (this.own !== null) return index === this.stories[i].length - 1 ? this.signs : NONE;
    const found = this.stories[i].drawings.shapes[index];
    if (!found || this.drawings === "off") return NONE;
    if (this.seat === null && this.drawings === "all") return found;
    const one = this.seat === null ? this.inspectors[i].seat : this.seat;
    return found.filter((mark) => mark.seat === one);
  }
};
