// The page itself: it puts the parts together.

async function open() {
  const root = document.getElementById("page");
  const story = new arena.Story(await arena.unpack("story-0"));
  arena.paintSeats(story.seats);
  arena.onTheme(() => arena.paintSeats(story.seats));
  const pane = new arena.Pane(story);
  let seat = null;
  const head = arena.el("p", { class: "headline" });
  root.append(head, pane.element);
  const draw = () => {
    const { index } = playback;
    head.textContent = `round ${story.frames[index].round} · ${story.headlines[index]}`;
    pane.draw(playback.shown, seat);
  };
  const playback = new arena.Playback(story.length, draw);
  const nextView = () => {
    seat = story.views[(story.views.indexOf(seat) + 1) % story.views.length];
    draw();
  };
  const steps = (index) => pane.board.steps(story.frame(index, seat));
  arena.listen({
    " ": () => playback.toggle(),
    ArrowRight: () => playback.move(1),
    ArrowLeft: () => playback.move(-1),
    "Shift+ArrowRight": () => playback.move(10),
    "Shift+ArrowLeft": () => playback.move(-10),
    Home: () => playback.move(-story.length),
    End: () => playback.move(story.length),
    "+": () => playback.faster(1),
    "-": () => playback.faster(-1),
    t: () => playback.order(1, steps),
    T: () => playback.order(-1, steps),
    v: nextView,
  });
  arena.onTheme(draw);
  playback.seek(0);
}

open();
