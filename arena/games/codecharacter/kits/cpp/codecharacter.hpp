// Code Character as typed state. `play` reads the lines of the protocol and asks your bot.
//
// You see your own base in the upper left, whichever player you are: the arena mirrors all places. You
// need not change this file. Lines that it does not know are ignored: a later arena may send more.
#pragma once

#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace codecharacter {

/// A soldier at `x`, `y`, in units from the upper left corner.
struct Soldier {
    int id = 0;
    std::string owner;
    double x = 0, y = 0;
    int hp = 0;
    std::string state;  ///< idle, move, pursuit, attack or dead
    bool immune = false;

    /// Whether it can be ordered and attacked.
    bool alive() const { return state != "dead"; }
};

/// A tower whose middle is at `x`, `y`. The base is one, and cannot be attacked.
struct Tower {
    int id = 0;
    std::string owner;
    double x = 0, y = 0;
    int hp = 0, level = 0;
    bool base = false;
};

/// A tile of the map.
struct Tile {
    int x, y;
    bool operator<(const Tile& other) const { return std::tie(x, y) < std::tie(other.x, other.y); }
};

/// An order of your last answer that did not count: its number, from 1, and why.
struct Refused {
    int number;
    std::string why;
};

/// The square of a distance: enough to find what is nearest.
template <class One, class Other>
double distance2(const One& one, const Other& other) {
    return (one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y);
}

/// Everything that your bot was told so far.
struct State {
    std::map<std::string, std::string> settings;  ///< every setting by its name, as it came
    std::string me = "player1";
    int round = 0;      ///< the turn, from 1
    int time_bank = 0;  ///< the milliseconds that you have for the present request
    long long money = 0;
    int tile_size = 50, max_towers = 15, max_level = 3;
    std::vector<int> tower_costs;         ///< what a tower costs, and each further level
    std::vector<Soldier> soldiers;        ///< all soldiers, your own first
    std::vector<Tower> towers;            ///< all towers, your own first
    std::vector<std::string> territory;   ///< rows: . no player's tile, m yours, e the enemy's, b of both
    std::vector<Refused> refused;
    int rank = 0;  ///< your rank, once the match is over

    /// Your living soldiers.
    std::vector<Soldier> my_soldiers() const { return living(true); }

    /// The enemy's living soldiers.
    std::vector<Soldier> enemies() const { return living(false); }

    /// Your towers, the base among them.
    std::vector<Tower> my_towers() const {
        std::vector<Tower> found;
        for (const Tower& one : towers)
            if (one.owner == me) found.push_back(one);
        return found;
    }

    /// The tile that has this place.
    Tile tile(double x, double y) const { return {int(x / tile_size), int(y / tile_size)}; }

    /// The tiles on which you may build, row by row: yours alone, without a tower.
    std::vector<Tile> free_tiles() const {
        std::set<Tile> taken;
        for (const Tower& tower : my_towers()) taken.insert(tile(tower.x, tower.y));
        std::vector<Tile> found;
        for (int y = 0; y < int(territory.size()); ++y)
            for (int x = 0; x < int(territory[y].size()); ++x)
                if (territory[y][x] == 'm' && !taken.count({x, y})) found.push_back({x, y});
        return found;
    }

  private:
    std::vector<Soldier> living(bool mine) const {
        std::vector<Soldier> found;
        for (const Soldier& one : soldiers)
            if ((one.owner == me) == mine && one.alive()) found.push_back(one);
        return found;
    }
};

/// The orders of one turn.
class Orders {
  public:
    /// Walk to a place.
    void move(const Soldier& soldier, double x, double y) {
        lines_ << ", move " << soldier.id << ' ' << std::round(x * 1000) / 1000 << ' '
               << std::round(y * 1000) / 1000;
    }
    /// Follow an enemy, a soldier or a tower, and attack it, also in the turns to come.
    template <class Target>
    void attack(const Soldier& soldier, const Target& target) {
        lines_ << ", attack " << soldier.id << ' ' << target.id;
    }
    /// A new tower on a tile.
    void build(const Tile& tile) { lines_ << ", build " << tile.x << ' ' << tile.y; }
    /// The next level of a tower.
    void upgrade(const Tower& tower) { lines_ << ", upgrade " << tower.id; }
    /// Give a tower up, for a part of its price.
    void suicide(const Tower& tower) { lines_ << ", suicide " << tower.id; }
    /// The line to send.
    std::string text() const {
        const std::string all = lines_.str();
        return all.empty() ? "No moves" : all.substr(2);
    }

    Orders() { lines_.precision(10); }
  private:
    std::ostringstream lines_;
};

/// What your bot answers.
struct Bot {
    virtual ~Bot() = default;
    /// Give the orders of this turn. Soldiers without a new order go on with their old one.
    virtual void update(State& state, Orders& orders) = 0;
};

inline void set(State& state, std::istream& words) {
    std::string key, value;
    std::getline(words >> key >> std::ws, value);
    state.settings[key] = value;
    std::istringstream values(value);
    if (key == "your_bot") state.me = value;
    else if (key == "money") values >> state.money;
    else if (key == "tile_size") values >> state.tile_size;
    else if (key == "max_towers") values >> state.max_towers;
    else if (key == "max_level") values >> state.max_level;
    else if (key == "tower_costs")
        for (int cost; values >> cost;) state.tower_costs.push_back(cost);
}

inline void see(State& state, std::istream& words) {
    std::string kind, word;
    words >> kind;
    if (kind == "soldiers") {
        state.soldiers.clear();
        for (Soldier s; words >> s.id >> s.owner >> s.x >> s.y >> s.hp >> s.state >> s.immune;)
            state.soldiers.push_back(s);
    } else if (kind == "towers") {
        state.towers.clear();
        for (Tower t; words >> t.id >> t.owner >> t.x >> t.y >> t.hp >> t.level >> t.base;)
            state.towers.push_back(t);
    } else if (kind == "territory") {
        state.territory.clear();
        while (words >> word) state.territory.push_back(word);
    }
}

/// Play one match, until the input ends.
inline void play(Bot& bot) {
    State state;
    for (std::string line, kind, word; std::getline(std::cin, line);) {
        std::istringstream words(line);
        Refused one;
        words >> kind;
        if (kind == "settings") set(state, words);
        else if (kind == "round") words >> state.round;
        else if (kind == "update_map") see(state, words);
        else if (kind == "game_over") words >> state.rank;
        else if (kind == "result" && words >> one.number >> word >> one.why) state.refused.push_back(one);
        else if (kind == "go" && words >> word >> state.time_bank) {
            Orders orders;
            bot.update(state, orders);
            state.refused.clear();
            std::cout << orders.text() << std::endl;  // it flushes
        }
    }
}

}  // namespace codecharacter
