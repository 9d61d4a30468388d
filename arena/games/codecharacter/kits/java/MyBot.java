import java.io.IOException;
import java.util.Comparator;
import java.util.List;

/**
 * A first Code Character bot: change it until it wins. Each soldier attacks the enemy soldier that is
 * nearest to it, and no money is spent.
 */
class MyBot extends CodeCharacter {
    /** The orders of one turn. (What could the money build, on freeTiles()?) */
    @Override
    void update() {
        List<Soldier> enemies = enemies();
        for (Soldier soldier : mySoldiers()) {
            // the enemies are ascending: of two as near, it is the first
            enemies.stream().min(Comparator.comparingDouble(soldier::distance2))
                .ifPresent(nearest -> attack(soldier, nearest));
        }
    }

    public static void main(String[] args) throws IOException {
        new MyBot().play();
    }
}
