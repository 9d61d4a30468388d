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
        arena.el("span", { class: "match-ending" }, `${match.rounds} rounds. ${match.ending}`),
        arena.el("span", { class: "sub" }, arena.safe(match.file)))));
  root.replaceChildren(arena.el("div", { class: "matches" },
    arena.el("h1", {}, `${matches.length} matches`), arena.el("ol", {}, rows)));
}

async function start() {
  const root = document.getElementById("page");
  const { mode, matches, differences, feed } = await arena.unpack("index");
  if (mode === "live") {
    new arena.Live(root, feed);
    return;
  }
  if (mode === "play") {
    new arena.Person(root, feed);
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
  let viewer = null;
  const leave = () => {
    if (viewer) viewer.close();
    viewer = null;
    arena.writeAddress({ match: null, round: null, seat: null });
    listPage(root, matches, open);
  };
  const open = async (number) => {
    const story = await load(number);
    arena.writeAddress({ ...arena.readAddress(), match: number + 1 });
    viewer = new arena.Viewer(root, [story], { several: true, leave });
  };
  const { match } = arena.readAddress();
  if (match !== null && matches[match - 1]) await open(match - 1);
  else listPage(root, matches, open);
}

start().catch((error) => {
  const text = `This page cannot be shown: ${error.message}`;
  document.getElementById("page").replaceChildren(arena.el("p", { class: "problem" }, text));
  throw error;
});
