/** Make soldiers of citizens; a negative number makes citizens of soldiers. */
record RecruitAction(int citizens) implements Action {
    @Override
    public String toString() {
        return "recruit " + citizens;
    }
}
