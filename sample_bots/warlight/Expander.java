// Expander.java - a Warlight bot in plain Java 11+: the builder who finishes what he began.
//
// Strategy: one building site at a time. It works on the super region that costs the fewest armies
// for its bonus and stays with it until the last region is taken; armies that stand elsewhere walk
// there. What is finished is guarded before anything else is paid. The opponent is no target, only
// somebody in the way, until nothing neutral is left to build on.

import java.util.*;

public class Expander {
    static final int MOST = 1000; // ids count from 1 and stay below this
    String me = "player1";
    int income = 5, site = 0; // the armies of this turn; the super region that we are building
    final int[] bonus = new int[MOST], home = new int[MOST]; // by super region; region -> its super
    final String[] owner = new String[MOST]; // of a region: player1, player2, neutral or unseen
    final int[] armies = new int[MOST], free = new int[MOST]; // all of them; those that may leave
    final List<List<Integer>> near = new ArrayList<>(); // region -> the regions beside it
    final List<Integer> regions = new ArrayList<>();
    final List<String> placements = new ArrayList<>(), moves = new ArrayList<>();

    public static void main(String[] arguments) {
        Expander bot = new Expander();
        for (Scanner lines = new Scanner(System.in); lines.hasNextLine(); ) {
            String answer = bot.hear(lines.nextLine().trim().split(" "));
            if (answer != null) System.out.println(answer); // println flushes System.out
        }
    }

    /** Reads one line; returns the answer, or null when none is wanted. */
    String hear(String[] word) {
        String line = word.length < 2 || word[0].startsWith("u") ? word[0] : word[0] + " " + word[1];
        if (line.equals("settings your_bot")) me = word[2];
        if (line.equals("settings starting_armies")) income = number(word[2]);
        if (line.equals("setup_map super_regions"))
            for (int i = 2; i < word.length; i += 2) bonus[number(word[i])] = number(word[i + 1]);
        if (line.equals("setup_map regions")) {
            while (near.size() < MOST) near.add(new ArrayList<>());
            for (int i = 2; i < word.length; i += 2) {
                regions.add(number(word[i])); home[number(word[i])] = number(word[i + 1]);
                see(word[i], "unseen", "2");
            }
        }
        if (line.equals("setup_map neighbors"))
            for (int i = 2; i < word.length; i += 2)
                for (String other : word[i + 1].split(",")) {
                    near.get(number(word[i])).add(number(other));
                    near.get(number(other)).add(number(word[i]));
                }
        if (line.equals("setup_map wastelands"))
            for (int i = 2; i < word.length; i++) see(word[i], "unseen", "6");
        if (line.equals("update_map")) {
            for (int r : regions) if (mine(r)) owner[r] = "unseen"; // perhaps we lost it
            for (int i = 1; i < word.length; i += 3) see(word[i], word[i + 1], word[i + 2]);
        }
        if (word[0].equals("pick_starting_region")) {
            String best = word[2];
            for (int i = 3; i < word.length; i++) if (rate(word[i]) < rate(best)) best = word[i];
            return best;
        }
        if (!word[0].equals("go")) return null;
        if (line.equals("go place_armies")) plan();
        List<String> orders = line.equals("go place_armies") ? placements : moves;
        return orders.isEmpty() ? "No moves" : String.join(", ", orders);
    }

    void see(String r, String who, String n) { owner[number(r)] = who; armies[number(r)] = number(n); }
    double rate(String region) { return effort(home[number(region)]); }
    static int number(String word) { return Integer.parseInt(word); }
    boolean mine(int region) { return owner[region].equals(me); }
    boolean foe(int region) { return !mine(region) && owner[region].startsWith("player"); }

    /** How many armies take a region from so many defenders, nearly whatever the dice say. */
    static int enough(int defenders) {
        return defenders < 4 ? Math.max(2, 2 * defenders - 1) : (7 * defenders + 3) / 4;
    }

    /** What a super region costs for its bonus: 0 if finished; the opponent's part counts double. */
    double effort(int id) {
        double price = 0;
        for (int r : regions)
            if (home[r] == id && !mine(r)) price += enough(armies[r]) * (foe(r) ? 2 : 1);
        return price * (price + 4) / (bonus[id] + 0.1);
    }

    /** Our region beside a target with the most armies to spare; 0 if there is none. */
    int base(int target) {
        int best = 0;
        for (int r : near.get(target)) if (mine(r) && (best == 0 || free[r] > free[best])) best = r;
        return best;
    }

    void plan() {
        placements.clear(); moves.clear();
        for (int r : regions) free[r] = mine(r) ? armies[r] - 1 : 0;
        // 1. Guard: a border of finished ground keeps half of what stands on the other side.
        for (int r : regions) {
            int threat = 0;
            for (int other : near.get(r)) if (foe(other)) threat += armies[other];
            if (!mine(r) || threat == 0 || effort(home[r]) > 0) continue;
            place(r, Math.min(income, threat + 2 - armies[r]));
            free[r] = Math.max(0, Math.min(free[r], armies[r] - 1 - threat / 2));
        }
        // 2. Build: first on the site, then wherever there is something to have.
        List<Integer> targets = new ArrayList<>(), wishes = new ArrayList<>();
        for (int r : regions) if (!mine(r) && base(r) > 0) targets.add(r);
        while (!targets.isEmpty()) {
            Integer best = Collections.min(targets, Comparator.comparingDouble(this::urgency));
            if (wishes.isEmpty()) site = home[best];
            targets.remove(best); wishes.add(best);
            attack(best);
        }
        if (wishes.isEmpty()) return;
        // 3. Save the rest beside the first wish; idle armies walk to the site, or to any target.
        place(base(wishes.get(0)), income);
        int[] steps = new int[MOST];
        for (int r : regions) steps[r] = wishes.contains(r) ? (home[r] == site ? 1 : 6) : 99;
        for (int round = 0; round < 20; round++)
            for (int r : regions) for (int other : near.get(r))
                if (mine(r)) steps[r] = Math.min(steps[r], steps[other] + 1);
        for (int r : regions) for (int next : near.get(r))
            if (free[r] > 0 && mine(next) && steps[next] < steps[r]) move(r, next, free[r]);
    }

    /** Low comes first: the site before the rest, neutral before the opponent, cheap before dear. */
    double urgency(int region) {
        return (home[region] == site ? 0 : 2e6) + (foe(region) ? 1e6 : 0) + effort(home[region]);
    }

    void attack(int target) {
        int from = base(target), size = enough(armies[target] + (foe(target) ? 2 : 0));
        if (size > free[from] + income) return;
        place(from, size - free[from]);
        boolean last = near.get(from).stream().allMatch(r -> mine(r) || r == target);
        move(from, target, last ? free[from] : size); // nothing else to take here: everybody goes
    }

    void place(int region, int count) {
        if (count <= 0) return;
        placements.add(me + " place_armies " + region + " " + count);
        armies[region] += count;
        free[region] += count;
        income -= count;
    }

    void move(int from, int to, int count) {
        moves.add(me + " attack/transfer " + from + " " + to + " " + count);
        free[from] -= count;
    }
}
