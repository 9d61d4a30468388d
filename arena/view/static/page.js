// The page itself: one match, a list of matches, or two matches side by side.

async function load(number) {
  return new arena.Story(await arena.unpack(`story-${number}`), number);
}

/** The matches of the page as a list; a click opens one. */
function listPage(root, matches, open) {
  const rows = matches.map((match, number) =>
    arena.el("li", {},
      arena.el("button", { type: "button", class: "match", onclick: () => open(number) },
        arena.el("span", { class: "match-title" }, match.title, arena.el("span", { class: "sub" },
          ` seed ${arena.safe(match.seed)}`)),
        arena.el("bdi", { class: "match-players" }, match.players.map(arena.safe).join(" – ")),
        arena.el("span", { class: "match-ending" }, `${arena.counted(match.rounds, "round")}. ${match.ending}`),
        arena.el("span", { class: "sub" }, arena.safe(match.file)))));
  root.replaceChildren(arena.el("div", { class: "matches" },
    arena.el("h1", {}, `${matches.length} matches`), arena.el("ol", {}, rows)));
}

async function start() {
  const root = document.getElementById("page");
  const { mode, matches, differences, feed, back } = await arena.unpack("index");
  if (mode === "live") {
    new arena.Live(root, feed, back);
    return;
  }
  if (mode === "play") {
    new arena.Person(root, feed, back);
    return;
  }
  if (mode === "compare") {
    const stories = await Promise.all([load(0), load(1)]);
    new arena.Viewer(root, stories, { differences });
    return;
  }
  if (matches.length === 1) {
    new arena.Viewer(root, [await load(0)]);
    return;
  }
  new Matches(root, matches).follow();
}

/** A page of several matches: their list, or one of them. */
class Matches {
  constructor(root, matches) {
    Object.assign(this, { root, matches, viewer: null, shown: null });
    window.addEventListener("hashchange", () => this.follow());
  }

  /** Go where the address says. */
  follow() {
    const { match } = arena.readAddress();
    const known = match !== null && Boolean(this.matches[match - 1]);
    if (known && match - 1 !== this.shown) this.open(match - 1);
    if (!known && this.shown === null) this.list();
  }

  list() {
    listPage(this.root, this.matches, (number) => this.open(number));
  }

  async open(number) {
    const address = { ...arena.readAddress(), match: number + 1 };
    this.close(); // at once: it would write its own moment into the address
    this.shown = number;
    const story = await load(number);
    if (this.shown !== number) return;
    arena.writeAddress(address);
    this.viewer = new arena.Viewer(this.root, [story], { several: true, leave: () => this.leave() });
  }

  /** Back to the list, with the focus on the match that was shown. */
  leave() {
    const number = this.shown;
    this.close();
    arena.writeAddress({ match: null, round: null, seat: null });
    this.list();
    this.root.querySelectorAll(".match")[number].focus();
  }

  close() {
    if (this.viewer) this.viewer.close();
    this.viewer = this.shown = null;
  }
}

start().catch((error) => {
  const text = `This page cannot be shown: ${error.message}`;
  document.getElementById("page").replaceChildren(arena.el("p", { class: "problem" }, text));
  throw error;
});
