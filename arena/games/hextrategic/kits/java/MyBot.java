import java.io.IOException;
import java.util.Comparator;

/**
 * A first Hextrategic bot: change it until it wins. A cell attacks its weakest foreign neighbour with
 * all its units, if it is stronger.
 */
class MyBot extends Hextrategic {
    /** One move for each cell that can win. (What could the cells inside do for the border?) */
    @Override
    void act() {
        Comparator<Cell> weaker = Comparator.comparingInt((Cell one) -> one.units).thenComparing(one -> one.id);
        for (Cell cell : mine()) {
            foreign(cell).stream().min(weaker).filter(weakest -> cell.units > weakest.units)
                .ifPresent(weakest -> move(cell, weakest, cell.units));
        }
    }

    public static void main(String[] args) throws IOException {
        new MyBot().play();
    }
}
