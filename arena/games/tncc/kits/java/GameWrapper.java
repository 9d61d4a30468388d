import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Everything that your bot was told so far: constants, the data of all countries, and the chronicle. */
final class GameWrapper {
    /** What a country did in a cycle, in the words of the protocol: "recruit", "100". */
    record Event(int cycle, String player, List<String> words) {}

    String me = "player1";
    int cycle;
    int timeBank;
    List<String> result = List.of();
    final Map<String, String> constants = new HashMap<>();
    final Map<String, PlayerData> players = new LinkedHashMap<>();
    final List<Event> chronicle = new ArrayList<>();

    /** A setting of the match by its name, as a number: {@code getConstant("gold_for_war")}. */
    double getConstant(String name) {
        return Double.parseDouble(constants.get(name));
    }

    /** The data of your country. */
    PlayerData getMyData() {
        return players.get(me);
    }

    /** The data of a country. */
    PlayerData getPlayerData(String name) {
        return players.get(name);
    }

    /** The countries in the order of their turns, dead ones and yours among them. */
    Collection<PlayerData> getPlayers() {
        return players.values();
    }

    /** The countries that still live, but for yours. */
    List<PlayerData> getOthers() {
        return players.values().stream().filter(one -> one.alive() && !one.name().equals(me)).toList();
    }

    /** All that others did, the oldest first. */
    List<Event> getChronicle() {
        return chronicle;
    }

    /** The cycle, from 1. */
    int getCycle() {
        return cycle;
    }

    /** Your time bank for this request, in milliseconds. */
    int getTimeBank() {
        return timeBank;
    }

    /** The words of your last result: "trade", "yes"; or "illegal", "funds". */
    List<String> getResult() {
        return result;
    }
}
