// One board of a page, with what screen readers are told of it.

/** A board without a script of its own: the picture that `arena play --watch` prints. */
function textBoard(stage, story) {
  const text = arena.el("pre", { class: "picture" });
  stage.append(text);
  return {
    steps: () => 0,
    draw: ({ frame }) => {
      text.textContent = story.pictures ? story.pictures[story.frames.indexOf(frame)] : "";
    },
    describe: () => "",
    table: () => ({ head: [], rows: [] }),
    place: () => null,
    legend: () => arena.el("div"),
    onpick: null,
  };
}

/** The board of a story in an element of its own. */
arena.Pane = class {
  constructor(story) {
    this.story = story;
    this.stage = arena.el("div", { class: `stage board-${story.game}`, role: "img" });
    this.element = arena.el("section", { class: "pane" }, this.stage);
    const make = arena.boards[story.game];
    this.board = make
      ? make.make(this.stage, {
          game: story.game,
          seats: story.seats,
          first: story.frames[0],
          settings: story.settings,
        })
      : textBoard(this.stage, story);
  }

  /** Draw a moment, as a seat sees it (null: spectators). */
  draw({ index, fraction, step }, seat) {
    const frame = this.story.frame(index, seat);
    const before = this.story.frame(index - 1, seat);
    this.board.draw({ frame, before, fraction, step, seat, marks: [] });
    this.stage.setAttribute("aria-label", this.board.describe(frame));
  }
};
