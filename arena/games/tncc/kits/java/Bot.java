/** The functions of a bot. */
interface Bot {
    /** Your action of this cycle. */
    Action act(GameWrapper game);

    /** Whether you take the offer of another country: you get what it gives. */
    boolean acceptTrade(GameWrapper game, TradeAction offer);

    /** Your soldiers on the left, middle and right flank, when {@code attacker} comes with so many. */
    int[] defend(GameWrapper game, String attacker, int soldiers);
}
