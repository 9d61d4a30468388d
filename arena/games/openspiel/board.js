// The games of OpenSpiel: the board as text, and drawings of tic-tac-toe, connect four, chess and go.

const CELL = 40;

/** The squares of a text of rows, as {column, row, sign}. */
const squares = (rows) =>
  rows.flatMap((row, y) => [...row].map((sign, x) => ({ column: x, row: y, sign })));

/** The rows of a position in Forsyth-Edwards notation: digits stand for so many empty squares. */
const unpacked = (fen) =>
  fen.split(" ")[0].split("/").map((row) => row.replace(/\d/g, (count) => ".".repeat(Number(count))));

/** How a game is drawn: the rows of its text; the shape of a sign as [seat, sign]; whether squares
 *  alternate, or lines cross; and which action, of those offered, a square stands for. */
const DRAWINGS = {
  tic_tac_toe: {
    rows: (text) => text.split("\n").slice(0, 3),
    piece: (sign) => ({ x: [0, "×"], o: [1, "○"] })[sign],
    action: ({ row, column }, names) => names.find((name) => name.endsWith(`(${row},${column})`)),
  },
  connect_four: {
    rows: (text) => text.split("\n").filter(Boolean),
    piece: (sign) => ({ x: [0, "●"], o: [1, "●"] })[sign],
    action: ({ column }, names) => names.find((name) => name.slice(1) === String(column)),
  },
  chess: {
    rows: unpacked,
    piece: (sign) => {
      const at = "kqrbnp".indexOf(sign.toLowerCase());
      return at < 0 ? null : [sign === sign.toLowerCase() ? 0 : 1, "♚♛♜♝♞♟"[at]]; // player2 is white
    },
    chequered: true,
    files: true,
  },
  go: {
    rows: (text) =>
      text.split("\n").flatMap((line) => {
        const found = /^\s*\d+ ([+XO]+)$/.exec(line);
        return found ? [found[1]] : [];
      }),
    piece: (sign) => ({ X: [0, "●"], O: [1, "●"] })[sign],
    action: ({ row, column }, names, { length }) => {
      const point = "abcdefghjklmnopqrst"[column] + String(length - row);
      return names.find((name) => name.toLowerCase().endsWith(`_${point}`));
    },
    crossed: true,
    files: true,
  },
};

class Board {
  constructor(stage, match) {
    this.match = match;
    this.drawing = DRAWINGS[match.game.split(":")[1]];
    this.onpick = null;
    this.rows = this.drawing ? this.drawing.rows(match.first.text) : [];
    if (this.rows.length) this.grid(stage);
    else {
      this.text = arena.el("pre", { class: "picture" });
      stage.append(this.text);
    }
  }

  /** An empty board of squares. */
  grid(stage) {
    const [wide, high] = [this.rows[0].length * CELL, this.rows.length * CELL];
    const edge = this.drawing.files ? CELL / 2 : 4;
    const box = `${-edge} ${-edge} ${wide + 2 * edge} ${high + 2 * edge}`;
    const shape = this.drawing.crossed ? "grid crossed" : "grid";
    this.svg = arena.svg("svg", { class: shape, viewBox: box });
    stage.append(this.svg);
    this.cells = squares(this.rows).map((square) => this.cell(square));
    if (this.drawing.files) this.edges(edge);
    this.marks = arena.svg("g", { class: "marks" });
    this.svg.append(this.marks);
  }

  cell({ column, row }) {
    const [x, y] = [column * CELL, row * CELL];
    const odd = this.drawing.chequered && (column + row) % 2 === 1;
    const field = arena.svg("rect", { x, y, width: CELL, height: CELL, class: odd ? "field odd" : "field" });
    const title = arena.svg("title", {});
    const sign = arena.svg("text", { x: x + CELL / 2, y: y + CELL / 2, class: "piece" });
    const lines = this.drawing.crossed ? [this.cross(column, row)] : [];
    const node = arena.svg("g", { class: "square" }, title, field, ...lines, sign);
    const pick = () => this.pick({ column, row });
    node.addEventListener("click", pick);
    node.addEventListener("keydown", (event) => arena.picksPlace(event) && pick());
    this.svg.append(node);
    return { column, row, node, title, sign };
  }

  /** The lines that cross in a square, shorter at the edges. */
  cross(column, row) {
    const [x, y] = [(column + 0.5) * CELL, (row + 0.5) * CELL];
    const last = { x: this.rows[0].length - 1, y: this.rows.length - 1 };
    const [left, right] = [column ? x - CELL / 2 : x, column < last.x ? x + CELL / 2 : x];
    const [top, bottom] = [row ? y - CELL / 2 : y, row < last.y ? y + CELL / 2 : y];
    return arena.svg("path", { class: "cross", d: `M${left} ${y}H${right}M${x} ${top}V${bottom}` });
  }

  /** The names of columns and rows. */
  edges(edge) {
    const letters = this.drawing.crossed ? "ABCDEFGHJKLMNOPQRST" : "abcdefghijklmnop";
    const high = this.rows.length;
    const text = (x, y, said) => this.svg.append(arena.svg("text", { x, y, class: "edge" }, said));
    this.rows.forEach((_, row) => text(-edge / 2, (row + 0.5) * CELL, String(high - row)));
    [...this.rows[0]].forEach((_, column) =>
      text((column + 0.5) * CELL, high * CELL + edge / 2, letters[column] || ""),
    );
  }

  /** The action that a square stands for, among those that can be picked. */
  action(square) {
    const { action } = this.drawing;
    if (!action || !this.onpick || !this.offered) return null;
    return action(square, [...this.offered], this.rows) || null;
  }

  pick(square) {
    const name = this.action(square);
    if (name) this.onpick(name);
  }

  steps() {
    return 0;
  }

  draw({ frame, marks }) {
    if (this.text) {
      this.text.textContent = frame.text;
      return;
    }
    const signs = squares(this.drawing.rows(frame.text)).map(({ sign }) => this.drawing.piece(sign));
    this.cells.forEach((cell, i) => this.drawCell(cell, signs[i]));
    const scale = this.svg.clientWidth / this.svg.viewBox.baseVal.width || 1;
    arena.marks(this.marks, marks, (name) => this.place(name), CELL, scale);
  }

  drawCell(cell, piece) {
    const [seat, sign] = piece || [0, ""];
    arena.put(cell.sign, { text: sign, fill: `var(--seat-${seat})` });
    const owner = piece ? `${sign} of ${this.match.seats[seat].label}` : "empty";
    arena.put(cell.title, { text: `column ${cell.column + 1}, row ${cell.row + 1}: ${owner}` });
    const name = this.action(cell);
    const focus = name ? arena.pickable(this, name) : { tabindex: null, role: null };
    arena.put(cell.node, { ...focus, class: name ? "square offered" : "square" });
  }

  describe(frame) {
    const moves = frame.moves.map(([seat, action]) => `${this.match.seats[seat].label}: ${action}`);
    return [`Moves so far: ${frame.round}.`, ...moves].join(" ");
  }

  table(frame) {
    return { head: ["board"], rows: frame.text.split("\n").map((row) => [row]) };
  }

  place(name) {
    const found = this.cells && this.cells.find((cell) => `${cell.column},${cell.row}` === name);
    return found ? { x: (found.column + 0.5) * CELL, y: (found.row + 0.5) * CELL } : null;
  }

  legend() {
    const names = this.match.seats.map(({ label, letter }) => arena.el("li", {}, `${letter} ${label}`));
    return arena.el("ul", { class: "legend-openspiel" }, ...names);
  }
}

arena.boards.openspiel = {
  /** The board of a match on an empty stage.
   *  @param {HTMLElement} stage  @param {object} match */
  make: (stage, match) => new Board(stage, match),
};
