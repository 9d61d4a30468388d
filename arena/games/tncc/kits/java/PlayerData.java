/** What a country has. Nothing is hidden. */
record PlayerData(String name, int gold, int food, int population, int military, int land, boolean alive) {}
