import java.io.IOException;

/**
 * A first bot for Trade and War: change it until it wins. It keeps one soldier for every ten citizens,
 * never trades, and begins no war.
 */
class MyBot implements Bot {
    /** Recruit when there are too few soldiers. (What could the gold buy?) */
    @Override
    public Action act(GameWrapper game) {
        PlayerData mine = game.getMyData();
        if (mine.military() < mine.population() / 10) {
            return new RecruitAction(mine.population() / 20);
        }
        return new WaitAction();
    }

    /** Accept presents. */
    @Override
    public boolean acceptTrade(GameWrapper game, TradeAction offer) {
        return offer.price() == 0;
    }

    /** All soldiers, a third on each flank. */
    @Override
    public int[] defend(GameWrapper game, String attacker, int soldiers) {
        int mine = game.getMyData().military();
        return new int[] {mine / 3, (mine + 1) / 3, (mine + 2) / 3};
    }

    public static void main(String[] args) throws IOException {
        Protocol.play(new MyBot());
    }
}
