// raider.cpp - a Warlight bot in C++17: the raider who lives off the opponent's land.
//
// Strategy: the shortest way to the opponent. It remembers every region where he was seen and
// computes for the whole map how many armies stand in the way to him (a raider goes around big
// stacks). All armies flow down that field. Two thirds of the income buy land on the way; it never
// defends, because a raided opponent has no time to attack.

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
using Words = std::vector<std::string>;
struct Region {
    int home = 0, armies = 2, free = 0, far = 0;  // far: armies in the way to the opponent
    std::string owner = "unseen";
    std::vector<int> near;
};

std::string me = "player1", foe = "player2";
int income = 5;
std::map<int, Region> world;
std::map<int, int> bonus, placed;          // of each super region; this turn's, region -> armies
std::map<std::pair<int, int>, int> moves;  // this turn's, (from, to) -> armies

bool mine(int r) { return world[r].owner == me; }
// How many armies take a region from so many defenders, nearly whatever the dice say.
int enough(int defenders) {
    return defenders < 4 ? std::max(2, 2 * defenders - 1) : (7 * defenders + 3) / 4;
}

// The price of what we do not hold of a super region; 0: it is complete.
int missing(int super) {
    int price = 0;
    for (auto& [r, region] : world)
        if (region.home == super && !mine(r)) price += enough(region.armies);
    return price;
}

void place(int r, int count) {
    if (count > 0) placed[r] += count, world[r].free += count, income -= count;
}
void move(int from, int to, int count) { moves[{from, to}] += count, world[from].free -= count; }

// Fills `far` for all regions, spreading from where the opponent was seen (or, without a track of
// him, from all that was never seen) until nothing changes any more.
void scout(bool lost) {
    for (auto& [r, region] : world)
        region.far = region.owner == (lost ? "unseen" : foe) ? 2 * region.armies : 1 << 20;
    for (bool again = true; std::exchange(again, false);)
        for (auto& [r, region] : world)
            for (int next : region.near) {
                int way = world[next].far + (mine(next) ? 2 : 1 + 2 * world[next].armies);
                if (way < region.far) region.far = way, again = true;
            }
}

// Neutral neighbours, the best share of a bonus first, as long as the purse lasts.
void buy(int purse) {
    std::multimap<double, int> land;
    for (auto& [r, region] : world)
        if (region.owner == "neutral")
            land.insert({-(0.1 + bonus[region.home]) / missing(region.home), r});
    for (auto [rate, target] : land)
        for (int r : world[target].near) {
            int size = enough(world[target].armies), price = std::max(0, size - world[r].free);
            if (!mine(r) || price > purse) continue;
            place(r, price), purse -= price;
            move(r, target, size);
            break;
        }
}

void plan() {
    placed.clear(), moves.clear();
    bool lost = true;  // do we know where he is?
    for (auto& [r, region] : world) {
        region.free = mine(r) ? region.armies - 1 : 0;
        if (region.owner == foe) lost = false;
    }
    scout(lost);
    buy(2 * income / 3);
    int party = 0;  // the rest joins those who have the shortest way to go
    for (auto& [r, region] : world)
        if (mine(r) && (party == 0 || region.far < world[party].far)) party = r;
    if (party) place(party, income);
    auto nearer = [](int a, int b) { return world[a].far < world[b].far; };
    for (auto& [r, region] : world) {  // everybody fights his way down the field
        std::sort(region.near.begin(), region.near.end(), nearer);
        int last = 0;  // the way that the surplus goes
        for (int next : region.near) {
            int size = mine(next) ? (last ? 0 : region.free) : enough(world[next].armies + 1);
            if (size > 0 && size <= region.free) move(r, last = next, size);
        }
        if (last) move(r, last, region.free);
    }
}

void learn(const std::string& key, const Words& word) {  // what settings and setup_map tell
    if (key == "your_bot") me = word[2];
    if (key == "opponent_bot") foe = word[2];
    if (key == "starting_armies") income = std::stoi(word[2]);
    bool pairs = key == "super_regions" || key == "regions" || key == "neighbors";
    for (size_t i = 2; i < word.size() && word[0] == "setup_map"; i += pairs ? 2 : 1) {
        int id = std::stoi(word[i]);
        if (key == "wastelands") world[id].armies = 6;
        if (key == "opponent_starting_regions") world[id].owner = foe;
        if (key == "super_regions") bonus[id] = std::stoi(word[i + 1]);
        if (key == "regions") world[id].home = std::stoi(word[i + 1]);
        std::istringstream others(key == "neighbors" ? word[i + 1] : "");
        for (std::string other; std::getline(others, other, ',');) {
            world[id].near.push_back(std::stoi(other));
            world[std::stoi(other)].near.push_back(id);
        }
    }
}

std::string hear(const Words& word) {  // reads a line, returns the answer if one is wanted
    std::string head = word[0], key = word.size() > 1 ? word[1] : "";
    if (head == "settings" || head == "setup_map") learn(key, word);
    if (head == "pick_starting_region") return word[2];  // a raider is at home anywhere
    if (head == "update_map") {
        for (auto& [r, region] : world) if (mine(r)) region.owner = foe;  // unless told otherwise
        for (size_t i = 1; i + 2 < word.size(); i += 3) {
            world[std::stoi(word[i])].owner = word[i + 1];
            world[std::stoi(word[i])].armies = std::stoi(word[i + 2]);
        }
    }
    if (head != "go") return "";
    if (key == "place_armies") plan();
    std::ostringstream out;
    std::string order = ", " + me + " " + key + " ";
    for (auto [r, n] : placed) if (key[0] == 'p') out << order << r << ' ' << n;
    for (auto [way, n] : moves)
        if (key[0] == 'a') out << order << way.first << ' ' << way.second << ' ' << n;
    return out.str().empty() ? "No moves" : out.str().substr(2);
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream in(line);
        Words words{std::istream_iterator<std::string>(in), {}};
        std::string answer = words.empty() ? "" : hear(words);
        if (!answer.empty()) std::cout << answer << std::endl;  // endl flushes
    }
}
