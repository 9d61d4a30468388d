/** Do nothing. */
record WaitAction() implements Action {
    @Override
    public String toString() {
        return "wait";
    }
}
