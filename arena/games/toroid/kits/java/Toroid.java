import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Toroid Wars as typed state: extend it, and call {@link #play}. The fields are all that you were told.
 *
 * <p>You need not change this file. Lines that it does not know are ignored: a later arena may send more.
 */
abstract class Toroid {
    /** The units of a country that you do not see. */
    static final int UNKNOWN = -1;

    /** A country of the ring. {@code owner} and {@code units} are as last told; "" means never told. */
    static final class Country {
        final int id;
        String owner = "";
        int units = UNKNOWN;
        boolean visible;

        Country(int id) {
            this.id = id;
        }
    }

    /**
     * What an opponent did to one of your countries: {@code kind} is attack or transfer; {@code
     * outcome}, of an attack, is conquer, victory or defeat.
     */
    record Deed(String player, String kind, Country source, Country target, int units, String outcome) {}

    /** The side of a neighbour. */
    enum Side { left, right }

    /** Every setting by its name, as it came. */
    final Map<String, String> settings = new HashMap<>();
    String me = "player1";
    List<String> players = List.of();
    List<String> turnOrder = List.of();
    int maxGameTurns = 40;
    int maxAttackUnits = 10;
    int maxTransferUnits = 10;
    int maxResidentUnits = 20;
    /** The game turn, from 1. */
    int round;
    /** Your time bank for this request, in milliseconds. */
    int timeBank;
    /** All countries, by their number; the last and the first are neighbours. */
    final List<Country> ring = new ArrayList<>();
    /** What was done to your countries since your last turn. */
    final List<Deed> opponentsDid = new ArrayList<>();
    /** The words of the last answer's result: "2", "illegal", "few_units". */
    List<String> result = List.of();
    /** Your rank, once the match is over. */
    int rank;

    /**
     * What {@code country}, which is yours, does: made by {@link #attack}, {@link #scout}, {@link
     * #transfer}, {@link #build} or {@link #pass}. After an illegal answer it is asked once more.
     */
    abstract String act(Country country);

    /** Attack a neighbour. One unit must stay at home. */
    static String attack(Side side, int units) {
        return "attack " + side + " " + units;
    }

    /** Learn whose a neighbour is, and how many units it has. */
    static String scout(Side side) {
        return "scout " + side;
    }

    /** Send units to your own neighbour. */
    static String transfer(Side side, int units) {
        return "transfer " + side + " " + units;
    }

    /** One more unit at the end of your turn. */
    static String build() {
        return "build";
    }

    /** Do nothing. */
    static String pass() {
        return "No moves";
    }

    /** The neighbour with the next lower number. */
    Country left(Country country) {
        return ring.get((country.id + ring.size() - 1) % ring.size());
    }

    /** The neighbour with the next higher number. */
    Country right(Country country) {
        return ring.get((country.id + 1) % ring.size());
    }

    /** Your countries, ascending. */
    List<Country> mine() {
        return ring.stream().filter(country -> country.owner.equals(me)).toList();
    }

    /** Play one match, until the input ends. */
    void play() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            List<String> words = List.of(line.trim().split(" +"));
            if (words.get(0).equals("go")) {
                timeBank = Integer.parseInt(words.get(2));
                System.out.println(act(ring.get(Integer.parseInt(words.get(3)))));
            } else {
                hear(words.get(0), words.subList(1, words.size()));
            }
        }
    }

    private void hear(String kind, List<String> words) {
        switch (kind) {
            case "settings" -> set(words.get(0), words.subList(1, words.size()));
            case "setup_map" -> words.stream().skip(1).forEach(id -> ring.add(new Country(Integer.parseInt(id))));
            case "round" -> round = Integer.parseInt(words.get(0));
            case "update_map" -> see(words);
            case "opponent_moves" -> remember(words);
            case "result" -> learn(words);
            case "game_over" -> rank = Integer.parseInt(words.get(0));
            default -> { }
        }
    }

    private void set(String key, List<String> values) {
        settings.put(key, String.join(" ", values));
        switch (key) {
            case "your_bot" -> me = values.get(0);
            case "players" -> players = values;
            case "turn_order" -> turnOrder = values;
            case "max_game_turns" -> maxGameTurns = Integer.parseInt(values.get(0));
            case "max_attack_units" -> maxAttackUnits = Integer.parseInt(values.get(0));
            case "max_transfer_units" -> maxTransferUnits = Integer.parseInt(values.get(0));
            case "max_resident_units" -> maxResidentUnits = Integer.parseInt(values.get(0));
            default -> { }
        }
    }

    private void see(List<String> words) {
        for (Country country : ring) {
            country.visible = false;
            if (country.owner.equals(me)) {
                country.owner = ""; // unless it is told now, it was lost
            }
        }
        for (int i = 0; i + 2 < words.size(); i += 3) {
            Country country = ring.get(Integer.parseInt(words.get(i)));
            country.owner = words.get(i + 1);
            country.units = Integer.parseInt(words.get(i + 2));
            country.visible = true;
        }
    }

    private void remember(List<String> words) {
        opponentsDid.clear();
        for (int i = 0; i + 4 < words.size(); i += 5) {
            boolean attack = words.get(i + 1).equals("attack");
            Country source = ring.get(Integer.parseInt(words.get(i + 2)));
            Country target = ring.get(Integer.parseInt(words.get(i + 3)));
            int units = Integer.parseInt(words.get(i + 4));
            String outcome = attack ? words.get(i + 5) : "";
            opponentsDid.add(new Deed(words.get(i), words.get(i + 1), source, target, units, outcome));
            i += attack ? 1 : 0; // it has six words
        }
    }

    private void learn(List<String> words) {
        result = words;
        if (words.get(1).equals("scout")) {
            ring.get(Integer.parseInt(words.get(3))).units = Integer.parseInt(words.get(4));
        }
    }
}
