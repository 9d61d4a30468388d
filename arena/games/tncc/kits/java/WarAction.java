/** Attack a country, with soldiers on three flanks. It costs {@code goldForWar}. */
record WarAction(String target, int left, int middle, int right) implements Action {
    @Override
    public String toString() {
        return "war " + target + " " + left + " " + middle + " " + right;
    }
}
