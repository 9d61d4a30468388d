// A match that is being played: its story grows, and the page follows it.

const BEHIND = 3; // rounds that the page may lag behind before it skips some

/** A story that grows. Its lines for the inspector come with its frames. */
arena.LiveStory = class extends arena.Story {
  constructor(head) {
    super(head, 0);
    this.entries = this.seats.map(() => []);
    this.pending = false;
  }

  async texts() {
    return this.entries;
  }

  /** The board of this moment, until its round has ended; null: it is as it was. */
  pend(part) {
    this.drop();
    if (part) this.push(part);
    this.pending = Boolean(part);
  }

  drop() {
    if (!this.pending) return;
    this.pending = false;
    const lists = [this.frames, this.rounds, this.headlines, this.pictures, this.standing, this.events, this.orders,
      this.banks, ...this.entries];
    lists.forEach((list) => list && list.pop());
  }

  add(part) {
    this.drop();
    this.push(part);
  }

  push(part) {
    this.frames.push(part.frame);
    this.rounds.push(part.frame.round);
    this.headlines.push(part.headline);
    if (this.seen) part.seen.forEach((patch, seat) => this.seen[seat].push(patch));
    part.told.forEach((sentences, seat) => this.told[seat].push(sentences));
    if (this.pictures) this.pictures.push(part.picture);
    if (this.unit) this.standing.push(part.standing);
    this.events.push(part.events);
    this.orders.push(part.orders);
    this.marks.push(...part.marks);
    this.banks.push(part.banks);
    part.texts.forEach((entries, seat) => this.entries[seat].push(entries));
    this.count();
  }
};

/** Follows the match at the address of a WebSocket, or of server-sent events, by which nobody can pause
 *  it. When the match is over, the page is loaded again and is that of the whole match. */
arena.Live = class {
  constructor(root, feed, back) {
    this.root = root;
    this.back = back;
    this.story = null;
    this.viewer = null;
    this.paused = false;
    this.note(root, "Waiting for the match.");
    if (feed.startsWith("http")) this.listen(feed);
    else this.connect(feed);
  }

  connect(feed) {
    this.socket = new WebSocket(feed);
    this.socket.addEventListener("message", (event) => this.hear(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => this.lost());
  }

  /** The browser connects again by itself, and says what it has heard last. */
  listen(feed) {
    this.events = new EventSource(feed);
    this.events.addEventListener("message", (event) => this.hear(JSON.parse(event.data)));
    this.events.addEventListener("error", () => {
      if (this.events.readyState === EventSource.CLOSED) this.gone("The site does not answer. Load this page again.");
    });
  }

  note(root, text) {
    root.replaceChildren(arena.el("p", { class: "problem", role: "status" }, text));
  }

  link() {
    return arena.el("a", { class: "plain live-back", href: this.back }, "The page of this match");
  }

  hear({ story, part, over, ended }) {
    if (story) this.story = new arena.LiveStory(story);
    if (part) this.add(part);
    if ((over || ended) && this.events) this.events.close();
    if (ended) this.gone(ended);
    if (over) {
      this.over = true;
      location.reload();
    }
  }

  add(part) {
    this.story.add(part);
    if (!this.viewer) {
      this.viewer = new arena.Viewer(this.root, [this.story]);
      const tools = this.viewer.element.querySelector(".tools");
      if (this.socket) tools.prepend(this.button());
      else if (this.back) tools.prepend(this.link());
      return;
    }
    const { playback } = this.viewer;
    const follows = playback.playing || playback.index >= this.story.length - 2;
    this.viewer.extend();
    if (!follows) return;
    if (this.story.length - 1 - playback.index > BEHIND) playback.seek(this.story.length - 2);
    if (!playback.playing) playback.play();
  }

  button() {
    this.toggle = arena.el("button", { type: "button", class: "plain live-pause",
      title: "The match waits before the next round, and no clock runs",
      onclick: () => this.pause(!this.paused) }, "Pause the match");
    return this.toggle;
  }

  pause(paused) {
    this.paused = paused;
    this.toggle.textContent = paused ? "Resume the match" : "Pause the match";
    this.socket.send(paused ? "pause" : "go on");
  }

  /** The arena has ended, or the connection alone: then the page begins anew. */
  lost() {
    if (this.over) return;
    const again = new WebSocket(this.socket.url);
    again.addEventListener("open", () => location.reload());
    again.addEventListener("error", () => this.gone("The arena has ended. This page keeps what it has shown."));
  }

  gone(text) {
    if (!this.viewer) {
      this.note(this.root, text);
      if (this.back) this.root.append(this.link());
    } else this.viewer.element.querySelector(".top").append(arena.el("p", { class: "warning", role: "status" }, text));
  }
};
