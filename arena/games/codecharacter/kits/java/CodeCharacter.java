import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Code Character as typed state: extend it, and call {@link #play}. The fields are all that you were
 * told. You see your own base in the upper left, whichever player you are.
 *
 * <p>You need not change this file. Lines that it does not know are ignored: a later arena may send more.
 */
abstract class CodeCharacter {
    /** What a soldier or a tower is: at {@code x}, {@code y}, in units from the upper left corner. */
    interface Piece {
        int id();

        String owner();

        double x();

        double y();

        /** The square of the distance: enough to find what is nearest. */
        default double distance2(Piece other) {
            return (x() - other.x()) * (x() - other.x()) + (y() - other.y()) * (y() - other.y());
        }
    }

    /** A soldier; {@code state} is idle, move, pursuit, attack or dead. */
    record Soldier(int id, String owner, double x, double y, int hp, String state, boolean immune)
        implements Piece {
        /** Whether it can be ordered and attacked. */
        boolean alive() {
            return !state.equals("dead");
        }
    }

    /** A tower. The base is one, and cannot be attacked. */
    record Tower(int id, String owner, double x, double y, int hp, int level, boolean base)
        implements Piece {}

    /** A tile of the map. */
    record Tile(int x, int y) {}

    /** An order of your last answer that did not count: its number, from 1, and why. */
    record Refused(int number, String why) {}

    /** Every setting by its name, as it came. */
    final Map<String, String> settings = new HashMap<>();
    String me = "player1";
    /** The turn, from 1, and the milliseconds that you have for the present request. */
    int round, timeBank;
    long money;
    int tileSize = 50, maxTowers = 15, maxLevel = 3;
    /** What a tower costs, and each further level. */
    List<Integer> towerCosts = List.of();
    /** All soldiers and towers, your own first. */
    final List<Soldier> soldiers = new ArrayList<>();
    final List<Tower> towers = new ArrayList<>();
    /** Rows, from above: {@code .} no player's tile, {@code m} yours, {@code e} the enemy's, {@code b} of both. */
    List<String> territory = List.of();
    final List<Refused> refused = new ArrayList<>();
    /** Your rank, once the match is over. */
    int rank;
    private final List<String> orders = new ArrayList<>();

    /** Give the orders of this turn. Soldiers without a new order go on with their old one. */
    abstract void update();

    /** Walk to a place. */
    void move(Soldier soldier, double x, double y) {
        orders.add("move " + soldier.id + " " + decimal(x) + " " + decimal(y));
    }

    /** Follow an enemy and attack it, also in the turns to come. */
    void attack(Soldier soldier, Piece target) {
        orders.add("attack " + soldier.id + " " + target.id());
    }

    /** A new tower on a tile. */
    void build(Tile tile) {
        orders.add("build " + tile.x + " " + tile.y);
    }

    /** The next level of a tower. */
    void upgrade(Tower tower) {
        orders.add("upgrade " + tower.id);
    }

    /** Give a tower up, for a part of its price. */
    void suicide(Tower tower) {
        orders.add("suicide " + tower.id);
    }

    /** Your living soldiers. */
    List<Soldier> mySoldiers() {
        return soldiers.stream().filter(one -> one.owner.equals(me) && one.alive()).toList();
    }

    /** The enemy's living soldiers. */
    List<Soldier> enemies() {
        return soldiers.stream().filter(one -> !one.owner.equals(me) && one.alive()).toList();
    }

    /** Your towers, the base among them. */
    List<Tower> myTowers() {
        return towers.stream().filter(one -> one.owner.equals(me)).toList();
    }

    /** The tiles on which you may build, row by row: yours alone, without a tower. */
    List<Tile> freeTiles() {
        Set<Tile> taken = new HashSet<>();
        myTowers().forEach(tower -> taken.add(new Tile((int) tower.x / tileSize, (int) tower.y / tileSize)));
        List<Tile> found = new ArrayList<>();
        for (int y = 0; y < territory.size(); y++) {
            for (int x = 0; x < territory.get(y).length(); x++) {
                if (territory.get(y).charAt(x) == 'm' && !taken.contains(new Tile(x, y))) {
                    found.add(new Tile(x, y));
                }
            }
        }
        return found;
    }

    /** Play one match, until the input ends. */
    void play() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            List<String> words = List.of(line.trim().split(" +"));
            if (words.get(0).equals("go")) {
                timeBank = Integer.parseInt(words.get(2));
                orders.clear();
                update();
                refused.clear();
                System.out.println(orders.isEmpty() ? "No moves" : String.join(", ", orders));
            } else {
                hear(words.get(0), words.get(1), words.subList(2, words.size()));
            }
        }
    }

    private void hear(String kind, String what, List<String> words) {
        switch (kind) {
            case "settings" -> set(what, words);
            case "round" -> round = Integer.parseInt(what);
            case "result" -> refused.add(new Refused(Integer.parseInt(what), words.get(1)));
            case "game_over" -> rank = Integer.parseInt(what);
            case "update_map" -> see(what, words);
            default -> { }
        }
    }

    private void set(String key, List<String> values) {
        settings.put(key, String.join(" ", values));
        switch (key) {
            case "your_bot" -> me = values.get(0);
            case "money" -> money = Long.parseLong(values.get(0));
            case "tile_size" -> tileSize = Integer.parseInt(values.get(0));
            case "max_towers" -> maxTowers = Integer.parseInt(values.get(0));
            case "max_level" -> maxLevel = Integer.parseInt(values.get(0));
            case "tower_costs" -> towerCosts = values.stream().map(Integer::parseInt).toList();
            default -> { }
        }
    }

    private void see(String what, List<String> words) {
        switch (what) {
            case "soldiers" -> soldiers.clear();
            case "towers" -> towers.clear();
            default -> territory = words;
        }
        for (int i = 0; !what.equals("territory") && i + 6 < words.size(); i += 7) {
            int id = Integer.parseInt(words.get(i)), hp = Integer.parseInt(words.get(i + 4));
            double x = Double.parseDouble(words.get(i + 2)), y = Double.parseDouble(words.get(i + 3));
            String owner = words.get(i + 1), fifth = words.get(i + 5);
            boolean last = words.get(i + 6).equals("1");
            if (what.equals("soldiers")) {
                soldiers.add(new Soldier(id, owner, x, y, hp, fifth, last));
            } else {
                towers.add(new Tower(id, owner, x, y, hp, Integer.parseInt(fifth), last));
            }
        }
    }

    private static String decimal(double number) {
        return BigDecimal.valueOf(number).setScale(3, RoundingMode.HALF_UP).stripTrailingZeros().toPlainString();
    }
}
