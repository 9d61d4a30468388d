// strong.cpp - a Code Character bot in C++17: one army, shared targets, land by the price of a tile.
//     g++ -std=c++17 -O2 -o strong strong.cpp
//
// Soldiers in range of the enemy share out the targets, as many hits for each as kill it, so twenty
// kill ten at a time. The others stay together: they fall back from more than they are, hunt who is
// near, raze towers, or wait before the enemy's base. All money goes into the cheapest tiles.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct Thing {  // a soldier or a tower, in the order of the wire
    int id = 0;
    std::string owner;
    double x = 0, y = 0;
    int hp = 0;
    std::string state;  // of a tower: its level
    bool flag = false;  // a soldier is immune, a tower is a base
};
using Things = std::vector<Thing>;

std::map<std::string, std::vector<int>> settings;
std::string me = "player1", answer;
Things mine, foes, towers;      // soldiers alive; all towers
std::vector<std::string> land;  // . nobody's, m mine, e the enemy's, b of both

int value(const std::string& key, int i = 0) { return settings[key][i]; }
double far(const Thing& a, const Thing& b) { return std::hypot(a.x - b.x, a.y - b.y); }

int around(const Thing& here, const Things& all, double radius) {
    return std::count_if(all.begin(), all.end(), [&](auto& one) { return far(here, one) <= radius; });
}

// The nearest of the things to a place, the first of several; the last, which is nothing, if none.
Things::const_iterator nearest(const Thing& here, const Things& things) {
    auto nearer = [&](auto& a, auto& b) { return far(here, a) < far(here, b); };
    return std::min_element(things.begin(), things.end(), nearer);
}

void order(const std::string& verb, int a, int b) {
    answer += ", " + verb + " " + std::to_string(a) + " " + std::to_string(b);
}

void move(const Thing& soldier, const Thing& to) {
    order("move", soldier.id, std::lround(to.x));
    answer += " " + std::to_string(std::lround(to.y));
}

// Shares out the targets in range: first those that can be killed now. Returns who has no target.
Things volley() {
    Things free = mine, targets = foes;
    std::stable_sort(targets.begin(), targets.end(), [](auto& a, auto& b) { return a.hp < b.hp; });
    for (bool kill : {true, false})
        for (auto& foe : targets) {
            int hits = (foe.hp + value("soldier_damage") - 1) / value("soldier_damage");
            if (foe.flag || around(foe, free, value("attack_range")) < (kill ? hits : 1)) continue;
            for (auto it = free.begin(); it != free.end() && hits > 0;)
                if (far(*it, foe) > value("attack_range")) it++;
                else order("attack", it->id, foe.id), it = free.erase(it), hits--;
            foe.flag = true;  // it has got what it needs
        }
    return free;
}

// Soldiers without a target march together, and never against more than they are.
void march(const Things& free) {
    auto lonelier = [](auto& a, auto& b) { return around(a, mine, 100) < around(b, mine, 100); };
    Thing lead = *std::max_element(mine.begin(), mine.end(), lonelier), home, nest, camp;
    Things prey;
    for (auto& tower : towers)
        if (tower.flag) (tower.owner == me ? home : nest) = tower;
        else if (tower.owner != me) prey.push_back(tower);
    int strength = around(lead, mine, 100), danger = around(lead, foes, 400);
    double stop = 1 - 250 / std::max(far(home, nest), 250.0);  // so far before the enemy's base
    camp.x = home.x + (nest.x - home.x) * stop, camp.y = home.y + (nest.y - home.y) * stop;
    for (auto& soldier : free)
        if (danger > strength) move(soldier, home);
        else if (far(soldier, lead) > 100 && !around(soldier, foes, 200)) move(soldier, lead);
        else if (danger > 0) order("attack", soldier.id, nearest(lead, foes)->id);
        else if (!prey.empty() && strength > 5) order("attack", soldier.id, nearest(lead, prey)->id);
        else move(soldier, camp);
}

struct Site { int x, y, tower, level; };  // where a tower is to be raised, or built (tower -1)

// How many tiles that are not mine a site would control at the highest level; `take` makes them mine.
int gain(std::vector<std::string>& map, const Site& site, bool take = false) {
    int tiles = 0, size = int(map.size()), range = value("tower_ranges", value("max_level") - 1);
    for (int y = std::max(site.y - range, 0); y < std::min(site.y + range + 1, size); y++)
        for (int x = std::max(site.x - range, 0); x < std::min(site.x + range + 1, size); x++)
            if (char& tile = map[y][x]; tile == '.' || tile == 'e') tiles++, tile = take ? 'm' : tile;
    return tiles;
}

// Buys the next level of what gains the most tiles for all its levels, while there is money.
void spend() {
    std::vector<Site> sites;
    int money = value("money"), room = value("max_towers"), tile = value("tile_size");
    int size = int(land.size());
    for (auto& tower : towers) {
        if (tower.owner != me) continue;
        sites.push_back({int(tower.x) / tile, int(tower.y) / tile, tower.id, std::stoi(tower.state)});
        land[sites.back().y][sites.back().x] = 't', room--;
    }
    for (int i = 0; i < size * size; i++)
        if (land[i / size][i % size] == 'm') sites.push_back({i % size, i / size, -1, 0});
    for (;;) {
        double most = 0;
        Site best{};
        for (auto& site : sites) {
            if (site.level == value("max_level") || (site.tower < 0 && room == 0)) continue;
            double price = 1;
            for (int i = site.level; i < value("max_level"); i++) price += value("tower_costs", i);
            if (gain(land, site) / price > most) most = gain(land, site) / price, best = site;
        }
        if (most == 0 || value("tower_costs", best.level) > money) return;
        money -= value("tower_costs", best.level);
        gain(land, best, true);  // it gains nothing more: never chosen again
        if (best.tower < 0) order("build", best.x, best.y), room--;
        else answer += ", upgrade " + std::to_string(best.tower);
    }
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream in(line);
        std::string head, key, word;
        in >> head >> key;  // a line that is not known does nothing
        if (key == "your_bot") in >> me;
        else if (head == "settings")
            for (settings[key].clear(); in >> word;) settings[key].push_back(std::atoi(word.c_str()));
        else if (key == "territory")
            for (land.clear(); in >> word;) land.push_back(word);
        else if (head == "update_map") {
            if (key == "soldiers") mine.clear(), foes.clear(), towers.clear();  // towers come next
            for (Thing it; in >> it.id >> it.owner >> it.x >> it.y >> it.hp >> it.state >> it.flag;)
                if (key == "towers") towers.push_back(it);
                else if (it.state != "dead") (it.owner == me ? mine : foes).push_back(it);
        } else if (head == "go") {
            answer.clear(), spend();
            if (!mine.empty()) march(volley());
            std::cout << (answer.empty() ? "No moves" : answer.substr(2)) << std::endl;  // it flushes
        }
    }
}
