// One board of a page: it can be magnified, and screen readers are told what is on it.

const LARGEST = 8;
const PAN = 80; // pixels

/** A board without a script of its own: the picture that `arena play --watch` prints. */
function textBoard(stage, story) {
  const text = arena.el("pre", { class: "picture" });
  stage.append(text);
  return {
    steps: () => 0,
    draw: ({ index }) => {
      text.textContent = story.pictures ? story.pictures[index] : "";
    },
    describe: () => "",
    table: () => ({ head: [], rows: [] }),
    place: () => null,
    legend: () => arena.el("div"),
    onpick: null,
  };
}

/** The name of a game's board: all games of a library, as openspiel:chess, have one. */
const family = (game) => game.split(":")[0];

/** The board of a story in an element of its own. */
arena.Pane = class {
  constructor(story) {
    this.story = story;
    this.stage = arena.el("div", { class: `stage board-${family(story.game)}`, role: "img" });
    this.frame = arena.el("div", { class: "zoom" }, this.stage);
    this.caption = arena.el("p", { class: "caption" });
    this.problem = arena.el("p", { class: "problem", role: "alert", hidden: true });
    this.element = arena.el("section", { class: "pane" }, this.frame, this.problem);
    this.scale = 1;
    this.past = (index, seat) => story.frame(index, seat);
    this.board = this.make();
    this.listen();
  }

  make() {
    try {
      return this.drawn();
    } catch (error) {
      this.stage.replaceChildren();
      this.problem.hidden = false;
      this.problem.textContent = `The board cannot be drawn: ${error.message}`;
      return textBoard(this.stage, this.story);
    }
  }

  /** The board that the game draws. */
  drawn() {
    const { game, seats, settings } = this.story;
    const make = arena.boards[family(game)];
    return make && !this.story.pictures
      ? make.make(this.stage, { game, seats, first: this.story.whole(0), settings, frame: this.past })
      : textBoard(this.stage, this.story);
  }

  /** Draw a moment, as a seat sees it (null: spectators), with drawings of bots. */
  draw({ index, fraction, step }, seat, marks) {
    const frame = this.story.frame(index, seat);
    const before = this.story.frame(index - 1, seat);
    try {
      this.board.draw({ frame, before, fraction, step, seat, marks, index });
      this.problem.hidden = true;
    } catch (error) {
      this.problem.hidden = false;
      this.problem.textContent = `Round ${frame.round} cannot be drawn: ${error.message}`;
    }
  }

  /** Tell screen readers what is on the board. */
  describe(index, seat) {
    this.stage.setAttribute("aria-label", this.words(index, seat));
  }

  /** What is on the board, in words. */
  words(index, seat) {
    return this.board.describe(this.story.frame(index, seat)) || this.story.headlines[index];
  }

  /** Fill the legend. */
  explain() {
    try {
      this.legendBox.replaceChildren(this.board.legend(), arena.chartLegend());
    } catch (error) {
      this.legendBox.textContent = `There is no legend: ${error.message}`;
    }
  }

  /** How many orders the board animates in the round of a frame. */
  steps(index, seat) {
    return this.board.steps(this.story.frame(index, seat));
  }

  /** Magnify it, or (factor: 0) show all of it. What is in the middle stays there. */
  zoom(factor) {
    const { frame } = this;
    const scale = factor ? arena.clamp(this.scale * factor, 1, LARGEST) : 1;
    const middle = [
      (frame.scrollLeft + frame.clientWidth / 2) / this.scale,
      (frame.scrollTop + frame.clientHeight / 2) / this.scale,
    ];
    this.scale = scale;
    Object.assign(this.stage.style, { width: `${100 * scale}%`, height: `${100 * scale}%` });
    frame.classList.toggle("zoomed", scale > 1);
    frame.scrollLeft = middle[0] * scale - frame.clientWidth / 2;
    frame.scrollTop = middle[1] * scale - frame.clientHeight / 2;
  }

  /** Move a magnified board. */
  pan(x, y) {
    this.frame.scrollBy(x * PAN, y * PAN);
  }

  listen() {
    this.frame.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? 1.25 : 0.8);
      },
      { passive: false },
    );
    this.frame.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "mouse" || event.buttons !== 1 || this.scale === 1) return;
      this.frame.scrollBy(-event.movementX, -event.movementY);
    });
  }
};

/** A board as a real table. */
arena.table = ({ head, rows }) =>
  arena.el(
    "table",
    {},
    arena.el(
      "thead",
      {},
      arena.el(
        "tr",
        {},
        head.map((text) => arena.el("th", { scope: "col" }, `${text}`)),
      ),
    ),
    arena.el(
      "tbody",
      {},
      rows.map((row) =>
        arena.el(
          "tr",
          {},
          row.map((cell) => arena.el("td", {}, cellText(cell))),
        ),
      ),
    ),
  );

function cellText(cell) {
  return cell === null || cell === undefined ? "?" : `${cell}`;
}
