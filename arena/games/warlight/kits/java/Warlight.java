import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Warlight as typed state: extend it, and call {@link #play}. The fields are all that you were told.
 *
 * <p>You need not change this file. Lines that it does not know are ignored: a later arena may send more.
 */
abstract class Warlight {
    /** Regions that earn {@code bonus} armies a round for the player that has all of them. */
    static final class SuperRegion {
        int id, bonus;
        final List<Region> regions = new ArrayList<>();
    }

    /** A region. {@code owner} and {@code armies} are as you last saw them; "" means never seen. */
    static final class Region {
        int id;
        SuperRegion superRegion;
        final List<Region> neighbours = new ArrayList<>();
        boolean wasteland, visible;
        String owner = "";
        int armies;
    }

    /** New armies for a region of yours. */
    record Placement(Region region, int armies) {}

    /** Armies that attack a neighbour, or join it when it is yours. One army stays at home. */
    record Move(Region source, Region target, int armies) {}

    /** Every setting by its name, as it came. */
    final Map<String, String> settings = new HashMap<>();
    String me = "player1";
    String opponent = "player2";
    /** The armies that you may place in this round. */
    int newArmies = 5;
    /** From 1; 0 while regions are picked. */
    int round = 0;
    /** Your time bank for this request, in milliseconds. */
    int timeBank;
    final Map<Integer, SuperRegion> superRegions = new TreeMap<>();
    final Map<Integer, Region> regions = new TreeMap<>();
    List<Region> opponentPicks = new ArrayList<>();
    /** What you saw of the opponent's last round. */
    final List<Placement> opponentPlaced = new ArrayList<>();
    final List<Move> opponentMoved = new ArrayList<>();

    /** A region to start from. */
    abstract Region pick(List<Region> choices);

    /** Where the new armies go, {@code newArmies} in all. */
    abstract List<Placement> place();

    /** Attacks and transfers, in the order in which they are to happen. */
    abstract List<Move> move();

    /** Your regions, ascending. */
    List<Region> mine() {
        return regions.values().stream().filter(region -> region.owner.equals(me)).toList();
    }

    /** The neighbours of a region that are not yours. */
    List<Region> foreign(Region region) {
        return region.neighbours.stream().filter(other -> !other.owner.equals(me)).toList();
    }

    /** Play one match, until the input ends. */
    void play() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            List<String> words = List.of(line.trim().split(" +"));
            if (words.get(0).equals("pick_starting_region")) {
                timeBank = Integer.parseInt(words.get(1));
                System.out.println(pick(all(words.subList(2, words.size()))).id);
            } else if (words.get(0).equals("go")) {
                timeBank = Integer.parseInt(words.get(2));
                List<String> orders = words.get(1).equals("place_armies") ? placed() : moved();
                System.out.println(orders.isEmpty() ? "No moves" : String.join(", ", orders));
            } else {
                hear(words.get(0), words.subList(1, words.size()));
            }
        }
    }

    private List<String> placed() {
        List<String> orders = new ArrayList<>();
        for (Placement one : place()) {
            one.region.armies += one.armies; // your move will find them there
            orders.add(me + " place_armies " + one.region.id + " " + one.armies);
        }
        return orders;
    }

    private List<String> moved() {
        String form = me + " attack/transfer %d %d %d";
        return move().stream().map(one -> form.formatted(one.source.id, one.target.id, one.armies)).toList();
    }

    private void hear(String kind, List<String> words) {
        switch (kind) {
            case "settings" -> set(words.get(0), String.join(" ", words.subList(1, words.size())));
            case "setup_map" -> setUp(words.get(0), words.subList(1, words.size()));
            case "update_map" -> see(words);
            case "opponent_moves" -> remember(words);
            default -> { }
        }
    }

    private void set(String key, String value) {
        settings.put(key, value);
        switch (key) {
            case "your_bot" -> me = value;
            case "opponent_bot" -> opponent = value;
            case "starting_armies" -> {
                newArmies = Integer.parseInt(value); // the first line of a round
                round++;
            }
            default -> { }
        }
    }

    private void setUp(String what, List<String> words) {
        switch (what) {
            case "wastelands" -> all(words).forEach(region -> region.wasteland = true);
            case "opponent_starting_regions" -> opponentPicks = all(words);
            case "super_regions", "regions", "neighbors" -> {
                for (int i = 0; i + 1 < words.size(); i += 2) {
                    setUp(what, Integer.parseInt(words.get(i)), words.get(i + 1));
                }
            }
            default -> { }
        }
    }

    private void setUp(String what, int id, String value) {
        if (what.equals("super_regions")) {
            SuperRegion made = superRegions.computeIfAbsent(id, key -> new SuperRegion());
            made.id = id;
            made.bonus = Integer.parseInt(value);
        } else if (what.equals("regions")) {
            Region made = regions.computeIfAbsent(id, key -> new Region());
            made.id = id;
            made.superRegion = superRegions.get(Integer.parseInt(value));
            made.superRegion.regions.add(made);
        } else {
            for (Region other : all(List.of(value.split(",")))) { // each link is told once
                regions.get(id).neighbours.add(other);
                other.neighbours.add(regions.get(id));
            }
        }
    }

    private void see(List<String> words) {
        for (Region region : regions.values()) {
            region.visible = false;
            if (region.owner.equals(me)) {
                region.owner = opponent; // unless it is told now, it was lost
            }
        }
        for (int i = 0; i + 2 < words.size(); i += 3) {
            Region region = regions.get(Integer.parseInt(words.get(i)));
            region.owner = words.get(i + 1);
            region.armies = Integer.parseInt(words.get(i + 2));
            region.visible = true;
        }
    }

    private void remember(List<String> words) {
        opponentPlaced.clear();
        opponentMoved.clear();
        for (int i = 0; i < words.size(); i += 4) {
            Region region = regions.get(Integer.parseInt(words.get(i + 2)));
            int other = Integer.parseInt(words.get(i + 3));
            if (words.get(i + 1).equals("place_armies")) {
                opponentPlaced.add(new Placement(region, other));
            } else {
                opponentMoved.add(new Move(region, regions.get(other), Integer.parseInt(words.get(i + 4))));
                i++; // it has five words
            }
        }
    }

    private List<Region> all(List<String> ids) {
        return ids.stream().map(id -> regions.get(Integer.parseInt(id))).collect(Collectors.toList());
    }
}
