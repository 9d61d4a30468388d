import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Reads the lines of the protocol into a {@link GameWrapper}, and asks a {@link Bot}. You need not change
 * this file. Lines that it does not know are ignored: a later arena may send more.
 */
final class Protocol {
    private static final Set<String> VERBS = Set.of("wait", "recruit", "trade", "war");

    private final GameWrapper game = new GameWrapper();
    private final Bot bot;

    private Protocol(Bot bot) {
        this.bot = bot;
    }

    /** Play one match, until the input ends. */
    static void play(Bot bot) throws IOException {
        Protocol protocol = new Protocol(bot);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            List<String> words = List.of(line.trim().split(" +"));
            if (words.get(0).equals("go")) {
                protocol.game.timeBank = Integer.parseInt(words.get(2));
                System.out.println(protocol.answer(words.get(1), words.subList(3, words.size())));
            } else {
                protocol.hear(words.get(0), words.subList(1, words.size()));
            }
        }
    }

    private String answer(String request, List<String> words) {
        switch (request) {
            case "trade":
                int amount = Integer.parseInt(words.get(2));
                int price = Integer.parseInt(words.get(4));
                TradeAction offer = new TradeAction(words.get(0), words.get(1), amount, words.get(3), price);
                return bot.acceptTrade(game, offer) ? "yes" : "no";
            case "war":
                int[] flanks = bot.defend(game, words.get(0), Integer.parseInt(words.get(1)));
                return flanks[0] + " " + flanks[1] + " " + flanks[2];
            default:
                return bot.act(game).toString();
        }
    }

    private void hear(String kind, List<String> words) {
        switch (kind) {
            case "settings" -> set(words.get(0), words.subList(1, words.size()));
            case "round" -> game.cycle = Integer.parseInt(words.get(0));
            case "update_map" -> see(words);
            case "opponent_moves" -> remember(words);
            case "result" -> game.result = words;
            default -> { }
        }
    }

    private void set(String key, List<String> values) {
        game.constants.put(key, String.join(" ", values));
        if (key.equals("your_bot")) {
            game.me = values.get(0);
        }
    }

    private void see(List<String> words) {
        for (int i = 0; i + 6 < words.size(); i += 7) {
            int[] amounts = words.subList(i + 1, i + 6).stream().mapToInt(Integer::parseInt).toArray();
            boolean alive = words.get(i + 6).equals("alive");
            game.players.put(words.get(i), new PlayerData(
                words.get(i), amounts[0], amounts[1], amounts[2], amounts[3], amounts[4], alive));
        }
    }

    /** Each action begins at a name behind which one of the four verbs stands. */
    private void remember(List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            boolean verb = i + 1 < words.size() && VERBS.contains(words.get(i + 1));
            if (verb && game.players.containsKey(words.get(i))) {
                game.chronicle.add(new GameWrapper.Event(game.cycle, words.get(i), new ArrayList<>()));
            } else {
                game.chronicle.get(game.chronicle.size() - 1).words().add(words.get(i));
            }
        }
    }
}
