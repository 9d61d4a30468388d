import java.io.IOException;

/**
 * A first Toroid Wars bot: change it until it wins. A country that has gathered eight units attacks a
 * foreign neighbour; the others build.
 */
class MyBot extends Toroid {
    /** What a country does. (Would a look at the neighbour first, by scout, be better?) */
    @Override
    String act(Country country) {
        if (country.units >= 8) {
            int force = Math.min(country.units - 1, maxAttackUnits); // one stays at home
            if (!left(country).owner.equals(me)) {
                return attack(Side.left, force);
            }
            if (!right(country).owner.equals(me)) {
                return attack(Side.right, force);
            }
        }
        return country.units < maxResidentUnits ? build() : pass();
    }

    public static void main(String[] args) throws IOException {
        new MyBot().play();
    }
}
