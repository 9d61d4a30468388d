import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Hextrategic as typed state: extend it, and call {@link #play}. The fields are all that you were told.
 *
 * <p>You need not change this file. Lines that it does not know are ignored: a later arena may send more.
 */
abstract class Hextrategic {
    private static final List<String> KINDS = List.of("normal", "bronze", "silver", "gold");

    /** A hexagon of the board. Nothing is hidden: {@code owner} and {@code units} are exact. */
    static final class Cell {
        final int id, q, r;
        /** normal, bronze, silver or gold. */
        final String kind;
        final List<Cell> neighbours = new ArrayList<>();
        String owner = "neutral";
        int units;
        /** Where your standing order sends all units of this cell, or null. */
        Cell auto;

        Cell(int id, int q, int r, String kind) {
            this.id = id;
            this.q = q;
            this.r = r;
            this.kind = kind;
        }
    }

    /** What another player's units did in the last round. */
    record Move(String player, Cell source, Cell target, int units) {}

    /** An order of your last answer that was dropped: its number, from 1, and why. */
    record Dropped(int number, String why) {}

    /** Every setting by its name, as it came. */
    final Map<String, String> settings = new HashMap<>();
    String me = "player1";
    List<String> players = List.of();
    /** The units that a cell earns in a round, by its kind. */
    final Map<String, Integer> income = new HashMap<>();
    /** From 1. */
    int round;
    /** Your time bank for this request, in milliseconds. */
    int timeBank;
    /** All cells, by their number. */
    final List<Cell> cells = new ArrayList<>();
    final List<Move> opponentMoves = new ArrayList<>();
    final List<Dropped> dropped = new ArrayList<>();
    /** Your position, once the match is over for you. */
    int rank;
    private final List<String> orders = new ArrayList<>();

    /** Give the orders of this round: by {@link #move}, {@link #auto}, {@link #stop}. */
    abstract void act();

    /** Send units to a neighbour, in this round. */
    void move(Cell source, Cell target, int units) {
        orders.add("move " + source.id + " " + target.id + " " + units);
    }

    /** From now on, send what is left in a cell to a neighbour in every round. */
    void auto(Cell source, Cell target) {
        source.auto = target;
        orders.add("auto " + source.id + " " + target.id);
    }

    /** End the standing order of a cell. */
    void stop(Cell source) {
        source.auto = null;
        orders.add("stop " + source.id);
    }

    /** Leave the match. */
    void surrender() {
        orders.add("surrender");
    }

    /** Your cells, ascending. */
    List<Cell> mine() {
        return cells.stream().filter(cell -> cell.owner.equals(me)).toList();
    }

    /** The neighbours of a cell that are not yours. */
    List<Cell> foreign(Cell cell) {
        return cell.neighbours.stream().filter(other -> !other.owner.equals(me)).toList();
    }

    /** Play one match, until the input ends. */
    void play() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            List<String> words = List.of(line.trim().split(" +"));
            if (words.get(0).equals("go")) {
                timeBank = Integer.parseInt(words.get(2));
                orders.clear();
                act();
                dropped.clear();
                System.out.println(orders.isEmpty() ? "No moves" : String.join(", ", orders));
            } else {
                hear(words.get(0), words.subList(1, words.size()));
            }
        }
    }

    private void hear(String kind, List<String> words) {
        switch (kind) {
            case "settings" -> set(words.get(0), words.subList(1, words.size()));
            case "setup_map" -> setUp(words.get(0), words.subList(1, words.size()));
            case "round" -> round = Integer.parseInt(words.get(0));
            case "update_map" -> see(words);
            case "opponent_moves" -> remember(words);
            case "result" -> dropped.add(new Dropped(Integer.parseInt(words.get(0)), words.get(2)));
            case "game_over" -> rank = Integer.parseInt(words.get(0));
            default -> { }
        }
    }

    private void set(String key, List<String> values) {
        settings.put(key, String.join(" ", values));
        switch (key) {
            case "your_bot" -> me = values.get(0);
            case "players" -> players = values;
            case "income" -> KINDS.forEach(kind -> income.put(kind, Integer.parseInt(values.get(KINDS.indexOf(kind)))));
            default -> { }
        }
    }

    private void setUp(String what, List<String> words) {
        if (what.equals("cells")) {
            for (int i = 0; i + 3 < words.size(); i += 4) {
                int q = Integer.parseInt(words.get(i + 1));
                int r = Integer.parseInt(words.get(i + 2));
                cells.add(new Cell(Integer.parseInt(words.get(i)), q, r, words.get(i + 3)));
            }
        } else if (what.equals("neighbors")) {
            for (int i = 0; i + 1 < words.size(); i += 2) {
                for (String other : words.get(i + 1).split(",")) { // each link is told once
                    cell(words.get(i)).neighbours.add(cell(other));
                    cell(other).neighbours.add(cell(words.get(i)));
                }
            }
        }
    }

    private void see(List<String> words) {
        for (int i = 0; i + 2 < words.size(); i += 3) {
            Cell cell = cell(words.get(i));
            cell.owner = words.get(i + 1);
            cell.units = Integer.parseInt(words.get(i + 2));
            if (!cell.owner.equals(me)) {
                cell.auto = null; // a standing order ends with the loss of its cell
            }
        }
    }

    private void remember(List<String> words) {
        opponentMoves.clear();
        for (int i = 0; i + 4 < words.size(); i += 5) {
            int units = Integer.parseInt(words.get(i + 4));
            opponentMoves.add(new Move(words.get(i), cell(words.get(i + 2)), cell(words.get(i + 3)), units));
        }
    }

    private Cell cell(String id) {
        return cells.get(Integer.parseInt(id));
    }
}
