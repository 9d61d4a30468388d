// Everything that one seat went through in a round: lines, requests, answers, times, faults, stderr.

const FOUND = 500; // places that a search lists at most
const SIGNS = { told: "›", asked: "?", wrong: "!", wrote: "…" };

/** The words of an entry that a search looks through. */
const words = ([kind, ...rest]) =>
  kind === "asked" ? `${rest[1]}\n${rest[2] === null ? rest[3] : rest[2]}` : rest.slice(0, 2).join("\n");

/** A button that says for a while whether its text is on the clipboard. */
arena.copyButton = (label, title, copy) => {
  const node = arena.el("button", { type: "button", class: "plain", title }, label);
  node.addEventListener("click", async () => {
    node.textContent = (await copy()) ? "Copied" : "Not allowed";
    setTimeout(() => (node.textContent = label), 1500);
  });
  return node;
};

arena.Inspector = class {
  /** @param go is called with the index of a frame to show */
  constructor(story, go) {
    this.story = story;
    this.go = go;
    this.seat = 0;
    this.index = -1;
    this.hits = [];
    this.hit = -1;
    this.list = arena.el("ol", { class: "entries", tabindex: 0, "aria-label": "Lines" });
    this.element = arena.el("div", { class: "inspector" }, this.head(), this.searchRow(), this.list);
  }

  head() {
    this.select = arena.el("select", {
      "aria-label": "Player whose lines are shown", onchange: () => this.choose(Number(this.select.value)),
    },
      this.story.seats.map((seat, i) =>
        arena.el("option", { value: i }, `${seat.letter} · ${seat.label} · ${seat.name}`)));
    this.input = arena.copyButton("Copy input", "All lines that its program read up to here",
      () => this.copyInput());
    this.rerun = arena.copyButton("Copy rerun", "The command that replays this round to a bot",
      () => arena.copy(this.command()));
    this.rerun.classList.add("copy-rerun");
    this.cut = arena.copyButton("Copy cut", "The command that makes a position of this very round",
      () => arena.copy(this.cutCommand()));
    this.cut.classList.add("copy-rerun");
    const copies = [this.input, this.rerun, this.cut];
    return arena.el("div", { class: "inspector-head" }, this.select, ...copies);
  }

  searchRow() {
    this.query = arena.el("input", {
      type: "search", placeholder: "Search all rounds", "aria-label": "Search the lines of all rounds",
      oninput: () => this.search(),
      onkeydown: (event) => {
        if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
        if (event.key === "Escape") this.query.blur();
      },
    });
    this.count = arena.el("output", { class: "count" });
    return arena.el("div", { class: "search" }, this.query, this.count,
      arena.iconButton("up", "Found before", "Shift Enter", () => this.next(-1)),
      arena.iconButton("down", "Found next", "Enter", () => this.next(1)));
  }

  /** The entries of the seat in each round. */
  async rounds() {
    return (await this.story.texts())[this.seat];
  }

  choose(seat) {
    this.seat = seat;
    this.select.value = seat;
    this.hits = [];
    this.render();
    if (this.query.value) this.search();
  }

  show(index) {
    if (index === this.index) return;
    this.index = index;
    this.render();
  }

  async render() {
    const { index, seat } = this;
    if (index < 0) return;
    const entries = (await this.rounds())[index] || [];
    if (index !== this.index || seat !== this.seat) return;
    const query = this.query.value.toLowerCase();
    this.list.replaceChildren(...entries.map((entry) => this.entry(entry, query)));
    if (!entries.length) {
      this.list.append(arena.el("li", { class: "empty" }, "Nothing was sent to this bot in this round."));
    }
    const mark = this.list.querySelector(".found");
    if (mark) mark.scrollIntoView({ block: "nearest" });
    else this.list.scrollTop = 0;
  }

  entry(entry, query) {
    const [kind, ...rest] = entry;
    const found = query && words(entry).toLowerCase().includes(query) ? " found" : "";
    const sign = arena.el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind]);
    const body = arena.el("div", { class: "entry-body" }, DRAW[kind](...rest));
    return arena.el("li", { class: `entry ${kind}${found}` }, sign, body);
  }

  // -- search ----------------------------------------------------------------------------

  async search() {
    const query = this.query.value.toLowerCase();
    const rounds = await this.rounds();
    if (query !== this.query.value.toLowerCase()) return;
    this.hits = [];
    rounds.forEach((entries, index) => {
      if (!query || this.hits.length >= FOUND) return;
      if (entries.some((entry) => words(entry).toLowerCase().includes(query))) this.hits.push(index);
    });
    this.hit = this.hits.findIndex((index) => index >= this.index) - 1;
    this.tell();
    this.render();
  }

  tell() {
    const { hits, hit } = this;
    const found = hits.length >= FOUND ? `${FOUND}+ rounds` : arena.counted(hits.length, "round");
    const where = hit >= 0 ? `${hit + 1} of ` : "";
    this.count.textContent = this.query.value ? where + found : "";
  }

  next(by) {
    if (!this.hits.length) return;
    const fresh = this.hit < 0 && by < 0;
    this.hit = fresh ? this.hits.length - 1 : (this.hit + by + this.hits.length) % this.hits.length;
    this.tell();
    this.go(this.hits[this.hit]);
  }

  // -- what is copied --------------------------------------------------------------------

  async copyInput() {
    const rounds = (await this.rounds()).slice(0, this.index + 1);
    const lines = rounds.flat().flatMap(([kind, ...rest]) =>
      kind === "told" ? [rest[0]] : kind === "asked" ? [rest[1]] : []);
    return arena.copy(lines.map((line) => `${line}\n`).join(""));
  }

  command() {
    const { file } = this.story;
    return `arena rerun ${file} --player ${this.seat + 1} --round ${this.story.round(this.index)} BOT`;
  }

  cutCommand() {
    const { file } = this.story;
    return `arena cut ${file} --player ${this.seat + 1} --round ${this.story.round(this.index)} -o POS`;
  }
};

const DRAW = {
  told: (text) => arena.foreign("code", {}, text),
  wrong: (code, detail, count, fault) => [
    arena.el("strong", {}, fault ? "fault" : "remark", ` ${code}`, count > 1 ? ` × ${count}` : ""),
    " ",
    arena.foreign("span", {}, detail),
  ],
  wrote: (text) => [
    arena.el("span", { class: "note" }, "stderr"),
    arena.foreign("pre", {}, text),
  ],
  asked: (number, request, answer, silence, bank, ...times) => [
    arena.el("span", { class: "off-screen" }, "asked: "),
    arena.foreign("code", { class: "request" }, request),
    arena.el("span", { class: "off-screen" }, "answered: "),
    answer === null
      ? arena.el("strong", { class: "silence" }, `no answer: ${silence}`)
      : arena.foreign("code", { class: "answer" }, answer || "(a blank line)"),
    arena.el("span", { class: "note" }, timesText(number, bank, ...times)),
  ],
};

function timesText(number, bank, charged, wall, cpu, delay, held, instructions) {
  const parts = [
    `request ${number}`,
    `bank ${arena.time(bank)}`,
    `charged ${arena.time(charged)}`,
    ...(typeof wall === "number" && wall !== charged ? [`wall ${arena.time(wall)}`] : []),
    ...(typeof cpu === "number" ? [`CPU ${arena.time(cpu)}`] : []),
    ...(typeof delay === "number" ? [`machine's delay ${arena.time(delay)}`] : []),
    ...(typeof held === "number" ? [`arena held up ${arena.time(held)}`] : []),
    ...(typeof instructions === "number" ? [`${arena.number(instructions)} instructions`] : []),
  ];
  return parts.join(" · ");
}
