// The signs on buttons, drawn in a square of 24.

const ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM14 5h4v14h-4z",
  next: "M7 5v14l9-7zM17 5h2.4v14H17z",
  previous: "M17 5v14l-9-7zM4.6 5H7v14H4.6z",
  first: "M12 5v14l-8-7zM21 5v14l-8-7z",
  last: "M12 5v14l8-7zM3 5v14l8-7z",
  order: "M4 11h11.2l-4.6-4.6L12 5l7 7-7 7-1.4-1.4 4.6-4.6H4z",
  minus: "M5 11h14v2H5z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  full: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  search: "M10 4a6 6 0 1 0 3.7 10.7l5 5 1.3-1.3-5-5A6 6 0 0 0 10 4zm0 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",
  pencil: "M4 16.6V20h3.4L17.5 9.9l-3.4-3.4zM15.5 5.1l3.4 3.4 1.6-1.6a1 1 0 0 0 0-1.4l-2-2a1 1 0 0 0-1.4 0z",
  close: "M6.4 5L5 6.4l5.6 5.6L5 17.6 6.4 19l5.6-5.6 5.6 5.6 1.4-1.4-5.6-5.6L19 6.4 17.6 5 12 10.6z",
  up: "M12 7l8 8-1.4 1.4L12 9.8l-6.6 6.6L4 15z",
  down: "M12 17l-8-8 1.4-1.4 6.6 6.6 6.6-6.6L20 9z",
};

/** A sign that screen readers pass over. */
arena.icon = (name) =>
  arena.svg(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
    arena.svg("path", { d: ICONS[name] }),
  );

/** Show another sign on a button. */
arena.setIcon = (button, name) =>
  button.querySelector(".icon path").setAttribute("d", ICONS[name]);

/** A button with a sign; `label` is read out, and shown with its key when the mouse rests on it. */
arena.iconButton = (icon, label, key, action) =>
  arena.el(
    "button",
    {
      type: "button",
      class: "icon-button",
      "aria-label": label,
      title: key ? `${label} (${key})` : label,
      onclick: action,
    },
    arena.icon(icon),
  );

/** The badge of a seat: its colour, its pattern and its letter. */
arena.badge = (seat, index) => {
  const svg = arena.svg("svg", { viewBox: "0 0 24 24", class: "badge", "aria-hidden": "true" });
  const area = { x: 1, y: 1, width: 22, height: 22, rx: 5 };
  svg.append(
    arena.svg("rect", { ...area, fill: `var(${seat.colour})`, stroke: "var(--outline)" }),
    ...(seat.pattern ? [arena.svg("rect", { ...area, fill: arena.pattern(svg, index) })] : []),
    arena.svg(
      "text",
      { x: 12, y: 17, "text-anchor": "middle", fill: `var(--on-seat-${index})`, class: "letter" },
      seat.letter,
    ),
  );
  return svg;
};
