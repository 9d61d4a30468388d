import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A first Warlight bot: change it until it wins. It strengthens its borders in turn, and attacks where
 * it is three times as strong.
 */
class MyBot extends Warlight {
    /** The first one on the list. (Would one in a small super region be better?) */
    @Override
    Region pick(List<Region> choices) {
        return choices.get(0);
    }

    /** All new armies go to one region that has a foreign neighbour, another one each round. */
    @Override
    List<Placement> place() {
        List<Region> border = mine().stream().filter(region -> !foreign(region).isEmpty()).toList();
        if (border.isEmpty()) {
            return List.of();
        }
        return List.of(new Placement(border.get(round % border.size()), newArmies));
    }

    /** Each region sends three armies for each army of its weakest foreign neighbour. */
    @Override
    List<Move> move() {
        Comparator<Region> weaker = Comparator.comparingInt((Region one) -> one.armies).thenComparing(one -> one.id);
        List<Move> moves = new ArrayList<>();
        for (Region region : mine()) {
            foreign(region).stream().min(weaker).filter(weakest -> 3 * weakest.armies < region.armies)
                .ifPresent(weakest -> moves.add(new Move(region, weakest, 3 * weakest.armies))); // one stays
        }
        return moves;
    }

    public static void main(String[] args) throws IOException {
        new MyBot().play();
    }
}
