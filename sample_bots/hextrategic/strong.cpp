// strong.cpp - a Hextrategic bot in C++17: the landlord, who buys what pays best.
//
//     g++ -std=c++17 -O2 -o strong strong.cpp
//
// Strategy: every foreign cell has a price (the units that take it, and some for the help that its
// owner can send) and a worth (its income, doubled when it is a player's). Cells beside ours are
// bought by all neighbours together, the best worth for the price first. What is left marches to
// where land is cheap, or along with an attack unless a player stands beside the cell that it would
// leave. Scrambled numbers break ties, so that no corner is liked better.

#include <algorithm>
#include <iostream>
#include <map>
#include <queue>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

struct Cell {
    std::vector<int> near;
    std::string owner = "neutral";
    int income = 1, units = 0;
    int free = 0;      // of ours: units without an order
    double far = 0;    // from the land that is best from here: steps, and its price
    unsigned mix = 0;  // a scrambled number that breaks ties
};

std::string me;
std::vector<Cell> cells;
std::map<std::string, int> incomes;
std::map<std::pair<int, int>, int> moves;

bool mine(int c) { return cells[c].owner == me; }
bool enemy(int c) { return !mine(c) && cells[c].owner != "neutral"; }
int worth(int c) { return cells[c].income * (enemy(c) ? 2 : 1); }

// How many units of other players (of `whose`, if that is given) stand beside a cell.
int around(int c, const std::string& whose = "") {
    int sum = 0;
    for (int n : cells[c].near)
        if (enemy(n) && (whose.empty() || cells[n].owner == whose)) sum += cells[n].units;
    return sum;
}

// The units that should take a foreign cell.
int price(int c) { return cells[c].units + 1 + (enemy(c) ? around(c, cells[c].owner) / 3 : 0); }

void send(int from, int to, int count) {
    if (count > 0) moves[{from, to}] += count;
    cells[from].free -= count;
}

// Dijkstra's algorithm from all foreign cells at once: what is cheap for its worth is near.
void measure() {
    std::priority_queue<std::pair<double, int>> queue;  // the nearest first: keys are negative
    for (auto& cell : cells) cell.far = 1e9;
    for (size_t c = 0; c < cells.size(); c++)
        if (!mine(c)) queue.push({-1.0 * price(c) / (1 + worth(c)), c});
    while (!queue.empty()) {
        auto [key, c] = queue.top();
        queue.pop();
        if (-key >= cells[c].far) continue;
        cells[c].far = -key;
        for (int n : cells[c].near)
            if (mine(n)) queue.push({key - 1, n});
    }
}

// Buy foreign cells beside ours, the best worth for the price first, by common attacks.
void buy() {
    std::vector<std::tuple<double, unsigned, int>> offers;
    for (size_t c = 0; c < cells.size(); c++)
        if (!mine(c)) offers.push_back({-worth(c) / (2.0 + price(c)), cells[c].mix, c});
    std::sort(offers.begin(), offers.end());
    for (auto [rate, mix, c] : offers) {
        std::vector<std::tuple<int, unsigned, int>> buyers;
        int purse = 0, left = price(c);
        for (int n : cells[c].near) {
            if (mine(n)) buyers.push_back({-cells[n].free, cells[n].mix, n});
            purse += cells[n].free;
        }
        if (purse < left) continue;
        std::sort(buyers.begin(), buyers.end());
        for (auto [free, order, n] : buyers) {
            send(n, c, std::min(left, -free));
            left -= std::min(left, -free);
        }
    }
}

// What is left goes where land is near: on through our own cells, or along with an attack.
void march() {
    for (size_t c = 0; c < cells.size(); c++) {
        auto& near = cells[c].near;
        int best = *std::min_element(near.begin(), near.end(), [](int a, int b) {
            return std::pair(cells[a].far, cells[a].mix) < std::pair(cells[b].far, cells[b].mix);
        });
        if (mine(best) || (moves.count({c, best}) && !around(c))) send(c, best, cells[c].free);
    }
}

std::string answer() {
    moves.clear();
    for (auto& cell : cells) cell.free = cell.owner == me ? cell.units : 0;
    measure(), buy(), march();
    std::ostringstream line;
    for (auto [way, n] : moves) line << ", move " << way.first << " " << way.second << " " << n;
    return line.str().empty() ? "No moves" : line.str().substr(2);
}

unsigned scramble(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352d;
    return (x ^ x >> 15) * 0x846ca68b;
}

// Takes in one line; `in` stands behind its first two words.
void hear(const std::string& key, std::istringstream& in) {
    std::string text;
    unsigned salt = 1;  // the same board, the same scrambled numbers
    if (key == "your_bot") in >> me;
    for (auto type : {"normal", "bronze", "silver", "gold"})
        if (key == "income") in >> incomes[type];
    for (int c, q, r; key == "cells" && in >> c >> q >> r >> text;) {
        cells.resize(c + 1);
        cells[c].income = incomes[text];
        salt = salt * 31 + cells[c].income;
    }
    for (size_t c = 0; c < cells.size() && key == "cells"; c++) cells[c].mix = scramble(salt + c);
    for (int c; key == "neighbors" && in >> c >> text;) {
        std::istringstream others(text);
        for (std::string other; std::getline(others, other, ',');) {
            cells[c].near.push_back(std::stoi(other));
            cells[std::stoi(other)].near.push_back(c);
        }
    }
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream in(line);
        std::string word, key;
        in >> word;
        if (word == "settings" || word == "setup_map") in >> key, hear(key, in);
        for (int c; word == "update_map" && in >> c;) in >> cells[c].owner >> cells[c].units;
        if (word == "go") std::cout << answer() << std::endl;  // endl flushes
    }
}
