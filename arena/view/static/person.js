// The page of a person who plays: the board as the seat sees it, and beside it what is asked, what
// can be picked, the orders that are held, and the button that gives them.

const CALLS = [30, 10, 5]; // seconds left at which the clock is announced
const LISTED = 300; // orders held that are shown one by one
const AFTER = "You saw what your seat sees. A record (--replay) shows everything: arena view.";
const AFTER_BACK = "You saw what your seat sees. The page of the match has a replay that shows everything.";
const WIDE = window.matchMedia("(min-width: 900px)");

/** Two buttons that stay in view while the person thinks whether that is meant. */
function question(text, yes, act) {
  const close = () => dialog.remove();
  const agree = () => {
    close();
    act();
  };
  const dialog = arena.el("dialog", { class: "help ask", "aria-label": text, onclose: close },
    arena.el("p", {}, text),
    arena.el("div", { class: "person-row" },
      arena.el("button", { type: "button", class: "plain", onclick: agree }, yes),
      arena.el("button", { type: "button", class: "plain", onclick: close }, "Go on playing")));
  document.body.append(dialog);
  dialog.showModal();
}

/** What is asked, in a word or two: of `go place_armies 10000`, "place armies". */
function asked(request) {
  return request.replace(/^go /, "").split(" ")[0].replace(/_/g, " ");
}

arena.Person = class extends arena.Live {
  /** @param back address of the page of the match, on a site that has one */
  constructor(root, feed, back) {
    super(root, feed);
    this.back = back;
    this.turn = null;
    this.absent = [];
    this.waits = [];
    this.sure = false; // whether an answer without orders was warned of
  }

  // -- what the arena says -----------------------------------------------------------------

  hear(message) {
    for (const [name, value] of Object.entries(message)) {
      if (HEAR[name]) HEAR[name](this, value, message);
    }
  }

  wait(absent) {
    this.absent = absent;
    if (!this.viewer) {
      this.note(this.root, absent.length ? `Waiting for ${absent.map(arena.safe).join(", ")}.`
        : "The match begins.");
    }
    this.show();
  }

  add(part) {
    this.story.add(part);
    if (this.viewer) this.grow();
    else this.open();
    const told = part.texts[this.seat].some(([kind, text]) => kind === "told" && text.startsWith("game_over"));
    if (told) this.out = true;
  }

  /** The board of this moment. */
  pend(part) {
    this.story.pend(part);
    if (!this.story.length) return;
    if (!this.viewer) this.open();
    else if (this.follow() && !this.viewer.playback.playing) this.viewer.playback.jump(this.last - 1);
  }

  /** A round is over: show how it went, unless the person looks at an older one. */
  grow() {
    if (!this.follow()) return;
    const { playback } = this.viewer;
    playback.seek(Math.max(0, this.last - 2));
    playback.play();
  }

  /** Take over the new length of the story. Returns whether the person looks at its end. */
  follow() {
    const { playback } = this.viewer;
    const follows = playback.playing || playback.index >= this.last - 1;
    this.last = this.story.length;
    playback.index = Math.min(playback.index, this.last - 1);
    this.viewer.refresh();
    this.viewer.extend();
    return follows;
  }

  open() {
    this.last = this.story.length;
    this.viewer = new arena.Viewer(this.root, [this.story], { own: this.seat, keys: this.keys() });
    this.viewer.playback.jump(this.last - 1);
    this.board = this.viewer.panes[0].board;
    this.board.onlook = (text) => (this.heard.textContent = text);
    this.viewer.panes[0].stage.setAttribute("role", "group");
    this.build();
    this.settle();
    WIDE.addEventListener("change", () => this.settle());
    this.show();
  }

  ask(turn) {
    const missed = this.turn && this.turn.seconds !== null && !this.gave && !this.over;
    this.turn = turn;
    this.gave = false;
    this.sure = false;
    clearInterval(this.ticking);
    this.clock.hidden = true;
    this.problems.replaceChildren();
    this.line.line = "";
    if (turn) {
      this.news.replaceChildren(...turn.lines.map((text) => arena.foreign("li", {}, text)));
      this.picker.begin(turn.number, turn.held);
      this.line.line = turn.held;
      if (turn.seconds !== null) this.runClock(turn.seconds, turn.whole);
    } else this.picker.end();
    if (missed) this.refuse(["Your time was over: the orders that you held were sent, if they were legal."]);
    this.show();
  }

  // -- the parts ---------------------------------------------------------------------------

  build() {
    const send = (message) => this.socket.send(JSON.stringify(message));
    this.picker = new arena.Picker(this.seat, send, (...added) => this.changed(...added));
    this.line = new arena.OrderLine({
      write: (line) => this.written(line),
      complete: (typed) => this.turn && send({ do: "complete", turn: this.turn.number, typed }),
      give: () => this.give(),
      help: () => this.help(),
    });
    this.state = arena.el("p", { class: "person-state", role: "status" });
    this.heard = arena.el("p", { class: "off-screen", "aria-live": "polite" });
    const leaving = this.back ? arena.el("a", { class: "person-back", href: this.back }, "The page of this match") : null;
    this.clock = arena.el("div", { class: "person-clock", hidden: true }, arena.el("span", {}), arena.el("b", {}));
    this.prompt = arena.el("p", { class: "person-prompt", "aria-live": "polite" });
    this.choice = arena.el("div", { class: "person-choice" });
    this.orders = arena.el("ol", { class: "person-orders", "aria-label": "Orders held" });
    this.problems = arena.el("ul", { class: "person-problems", role: "alert" });
    this.news = arena.el("ol", { class: "entries person-news" });
    this.button = arena.el("button", { type: "button", class: "plain person-give", onclick: () => this.give() });
    this.undo = arena.el("button", { type: "button", class: "plain", title: "u", onclick: () => this.picker.undo() }, "Undo");
    this.leave = arena.el("button", { type: "button", class: "plain", onclick: () => this.giveUp() });
    const ask = arena.el("button", { type: "button", class: "plain", "aria-label": "Help with orders",
      title: "Help with orders", onclick: () => this.help() }, "?");
    this.desk = arena.el("section", { class: "person", "aria-label": "Your turn", tabindex: -1 },
      arena.el("div", { class: "person-head" }, arena.badge(this.story.seats[this.seat], this.seat), this.state),
      this.clock, this.prompt, this.choice, this.orders,
      arena.el("div", { class: "person-row" }, this.line.element, ask),
      this.problems,
      arena.el("div", { class: "person-row" }, this.button, this.undo, this.leave),
      leaving,
      arena.el("details", { class: "person-told" }, arena.el("summary", {}, "Lines that you got"), this.news),
      this.heard);
  }

  /** Beside the board where there is room, else below it. */
  settle() {
    const { element, boards } = this.viewer;
    if (WIDE.matches) element.querySelector("aside").prepend(this.desk);
    else boards.after(this.desk);
  }

  keys() {
    return [["Your turn", [
      [["o"], "type an answer", () => this.line.field.focus()],
      [["u"], "undo the last pick or order", () => this.picker.undo()],
      [["x"], "pick anew", () => this.picker.drop()],
      [["Shift+Enter"], "send the answer", () => this.give()],
      [["h"], "help with orders", () => this.help()],
    ]]];
  }

  // -- what the person does ----------------------------------------------------------------

  pick(name) {
    const { playback } = this.viewer;
    if (playback.index < this.story.length - 1) playback.jump(this.story.length - 1);
    this.origin = document.activeElement;
    this.picker.line = this.line.field.value; // the last keys may not have been told yet
    this.byBoard = true;
    this.picker.pick(name);
  }

  written(line) {
    this.sure = this.byBoard = false;
    this.picker.write(line);
  }

  give() {
    if (!this.turn) return;
    const line = this.line.field.value.trim();
    if (!line && !this.sure) {
      this.sure = true;
      this.refuse([`You have no orders. Press ${this.button.textContent} again to do nothing.`]);
      return;
    }
    this.socket.send(JSON.stringify({ do: "give", turn: this.turn.number, line: line || "No moves" }));
  }

  giveUp() {
    const { surrender, number } = this.turn;
    const text = surrender ? "Surrender? You will be out of the match."
      : "Leave the match? You stop answering, and it goes on without you.";
    const act = () => this.turn && this.socket.send(JSON.stringify({ do: "leave", turn: number }));
    question(text, surrender ? "Surrender" : "Leave", act);
  }

  help() {
    if (this.turn) this.socket.send(JSON.stringify({ do: "help", turn: this.turn.number }));
  }

  showHelp(examples) {
    const close = () => dialog.remove();
    const take = (text) => {
      close();
      this.line.line = text;
      this.written(text);
      this.line.field.focus();
    };
    const rows = examples.map((text) => arena.el("li", {},
      arena.el("button", { type: "button", class: "plain example", onclick: () => take(text) }, text)));
    const dialog = arena.el("dialog", { class: "help", "aria-label": "Help with orders", onclose: close },
      arena.el("div", { class: "help-body" },
        arena.el("header", {}, arena.el("h2", {}, "Your answer"), arena.iconButton("close", "Close", "Esc", close)),
        arena.el("p", {}, "Pick a place with a ring on the board, or type an answer as a bot would write it. The request is:"),
        arena.foreign("p", {}, this.turn ? this.turn.request : ""),
        arena.el("p", {}, "Examples of legal answers:"),
        arena.el("ul", { class: "examples" }, rows),
        arena.el("p", {}, "To do nothing, type: No moves. An order that the rules refuse is explained and not sent.")));
    document.body.append(dialog);
    dialog.showModal();
  }

  // -- what is shown -----------------------------------------------------------------------

  refuse(problems) {
    this.problems.replaceChildren(...problems.map((text) => arena.el("li", {}, arena.safe(text))));
  }

  /** The picks or the orders have changed; an order was added, or none (null). */
  changed(order, alone) {
    this.sure = false;
    this.problems.replaceChildren();
    if (order) this.heard.textContent = `Held: ${order}`;
    if (document.activeElement !== this.line.field || this.byBoard || order) this.line.line = this.picker.line;
    this.show();
    this.focus(order, alone);
  }

  /** Where the next key belongs: to a number that is asked for, to the button when the answer is
   *  whole, or back to the board. */
  focus(order, alone) {
    const number = this.choice.querySelector("input[type=number]");
    const isAsked = number && !order; // beside a new order stands what was asked for it
    if (isAsked && (this.byBoard || document.activeElement !== this.line.field)) {
      number.focus();
      number.select();
    } else if (order && alone) this.button.focus();
    else if (document.activeElement === document.body) (this.origin && this.origin.isConnected ? this.origin : this.desk).focus();
  }

  show() {
    if (!this.desk) return;
    const { turn, picker, board } = this;
    const names = this.waits.filter((seat) => seat !== this.seat).map((seat) => this.story.seats[seat].label);
    const waiting = names.length ? `Waiting for ${names.join(", ")}` : "Waiting";
    const away = this.absent.length ? ` No page is open for ${this.absent.map(arena.safe).join(", ")}.` : "";
    const what = turn ? asked(turn.request) : "";
    this.desk.classList.toggle("is-asked", Boolean(turn));
    this.state.textContent = this.ended || (turn ? `Your turn: ${what}` : this.out ? "You are out; the match goes on." : `${waiting}.${away}`);
    const verb = picker.offer && picker.offer.alone ? "Submit" : "End turn";
    this.button.textContent = turn ? `${verb}: ${what}` : waiting;
    this.desk.classList.toggle("is-over", Boolean(this.ended));
    this.prompt.textContent = this.ended ? (this.back ? AFTER_BACK : AFTER) : this.said();
    for (const one of [this.button, this.undo, this.leave, this.line.field]) one.disabled = !turn;
    this.leave.textContent = turn && turn.surrender ? "Surrender" : "Leave";
    document.title = turn ? `● Your turn · ${this.story.title}` : this.story.title;
    this.showOrders();
    this.showChoice();
    board.onpick = turn && picker.offer ? (name) => this.pick(name) : null;
    board.offered = picker.places;
    this.viewer.signs = picker.marks;
    this.viewer.update();
  }

  /** What to pick, and what could not be picked. */
  said() {
    const { offer, wrong } = this.picker;
    return offer ? [wrong, offer.text].filter(Boolean).join(" ") : "";
  }

  showOrders() {
    const { line } = this.picker;
    if (line === this.shownLine) return;
    this.shownLine = line;
    const { orders } = this.picker;
    const rest = orders.length - LISTED;
    this.orders.replaceChildren(...orders.slice(0, LISTED).map((text, i) =>
      arena.el("li", {}, arena.el("span", {}, arena.safe(text)),
        arena.el("button", { type: "button", class: "order-drop", "aria-label": `Take back ${arena.safe(text)}`,
          onclick: () => this.picker.remove(i) }, "×"))),
      ...(rest > 0 ? [arena.el("li", {}, `and ${rest} more`)] : []));
  }

  showChoice() {
    const { offer, picks } = this.picker;
    if (offer === this.shownOffer) return;
    this.shownOffer = offer;
    const { words = [], number = null } = offer || {};
    const back = picks.length
      ? [arena.el("button", { type: "button", class: "plain", onclick: () => this.picker.drop() }, "Pick anew")] : [];
    this.choice.replaceChildren(
      ...(number ? [this.numberRow(number)] : []),
      ...words.map(([pick, label]) =>
        arena.el("button", { type: "button", class: "plain", onclick: () => this.pick(pick) }, label)),
      ...back);
  }

  /** A number between two others: by keys, by a slider, or the most there is at once. */
  numberRow([least, most, preset]) {
    const attributes = { min: least, max: most, step: 1, value: preset };
    const both = (from, to) => () => (to.value = from.value);
    const field = arena.el("input", { type: "number", ...attributes, "aria-label": this.picker.offer.text });
    const slider = arena.el("input", { type: "range", ...attributes, "aria-label": "The same number as a slider" });
    field.addEventListener("input", () => both(field, slider)());
    slider.addEventListener("input", () => both(slider, field)());
    const done = (event) => {
      event.preventDefault();
      this.picker.pick(`${Number(field.value)}`);
    };
    return arena.el("form", { class: "person-number", onsubmit: done, novalidate: true }, field,
      most > least ? slider : null,
      arena.el("button", { type: "submit", class: "plain" }, "OK"));
  }

  /** @param seconds that are left
   *  @param whole seconds of the request, of which a page that was opened anew missed some */
  runClock(seconds, whole) {
    const end = performance.now() + seconds * 1000;
    const [bar, text] = this.clock.children;
    let before = Infinity;
    const tick = () => {
      const left = Math.max(0, (end - performance.now()) / 1000);
      bar.style.width = `${(100 * left) / whole}%`;
      text.textContent = arena.time(Math.ceil(left) * 1000);
      const call = CALLS.find((at) => left <= at && before > at);
      if (call && before !== Infinity) this.heard.textContent = `${call} seconds left`;
      before = left;
    };
    this.clock.hidden = false;
    tick();
    this.ticking = setInterval(tick, 250);
  }

  end(outcome) {
    this.over = true;
    this.finish(outcome ? outcome.sentence : "The match has ended.");
  }

  gone(text) {
    this.finish(this.back ? "The connection has ended. The page of the match says whether it goes on." : text);
  }

  finish(text) {
    this.ended = text;
    if (this.viewer) {
      this.ask(null);
      return;
    }
    this.note(this.root, text);
    if (this.back) this.root.append(arena.el("a", { href: this.back }, "The page of this match"));
  }
};

const HEAR = {
  absent: (page, names) => page.wait(names),
  story: (page, head, { seat }) => {
    page.seat = seat;
    page.story = new arena.LiveStory(head);
  },
  part: (page, part) => page.add(part),
  asked: (page, seats) => {
    page.waits = seats;
    page.show();
  },
  turn: (page, turn) => {
    if (turn) page.pend(turn.now);
    if (page.viewer) page.ask(turn);
  },
  offer: (page, _, message) => page.picker.hear(message),
  words: (page, _, message) => page.line.hear(message),
  examples: (page, examples) => page.showHelp(examples),
  refused: (page, problems) => page.refuse([...problems, "Nothing was sent: change it, or press ? for help."]),
  late: () => {},
  given: (page) => (page.gave = true),
  over: (page, _, { outcome }) => page.end(outcome),
};
