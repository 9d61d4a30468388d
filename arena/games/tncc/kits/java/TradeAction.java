/**
 * A trade: {@code amount} of the resource {@code give} for {@code price} of {@code take}. One of the two
 * is gold. In a trade that you propose you give the first and {@code partner} is the other country; in
 * one that you are offered {@code partner} is the country that offers, and gives the first.
 */
record TradeAction(String partner, String give, int amount, String take, int price) implements Action {
    @Override
    public String toString() {
        return "trade " + partner + " " + give + " " + amount + " " + take + " " + price;
    }
}
