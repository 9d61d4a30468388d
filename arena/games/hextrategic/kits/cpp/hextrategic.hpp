// Hextrategic as typed state. `play` reads the lines of the protocol and asks your bot.
//
// You need not change this file. Lines that it does not know are ignored: a later arena may send more.
#pragma once

#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace hextrategic {

/// A hexagon of the board, at `q` and `r`. Nothing is hidden: `owner` and `units` are exact.
struct Cell {
    int id = 0, q = 0, r = 0;
    std::string kind;  ///< normal, bronze, silver or gold
    std::vector<Cell*> neighbours;
    std::string owner = "neutral";
    int units = 0;
    Cell* standing = nullptr;  ///< where your standing order sends all units of this cell
};

/// What another player's units did in the last round.
struct Move {
    std::string player;
    Cell* source;
    Cell* target;
    int units;
};

/// An order of your last answer that was dropped: its number, from 1, and why.
struct Dropped {
    int number;
    std::string why;
};

/// Everything that your bot was told so far.
struct Game {
    std::map<std::string, std::string> settings;  ///< every setting by its name, as it came
    std::string me = "player1";
    std::vector<std::string> players;
    std::map<std::string, int> income;  ///< the units that a cell earns in a round, by its kind
    int round = 0;                      ///< from 1
    int time_bank = 0;                  ///< the milliseconds that you have for the present request
    std::map<int, Cell> cells;          ///< all cells by their number
    std::vector<Move> opponent_moves;
    std::vector<Dropped> dropped;
    int rank = 0;  ///< your position, once the match is over for you

    /// Your cells, ascending.
    std::vector<Cell*> mine() {
        std::vector<Cell*> found;
        for (auto& [id, cell] : cells)
            if (cell.owner == me) found.push_back(&cell);
        return found;
    }

    /// The neighbours of `cell` that are not yours.
    std::vector<Cell*> foreign(const Cell& cell) const {
        std::vector<Cell*> found;
        for (Cell* other : cell.neighbours)
            if (other->owner != me) found.push_back(other);
        return found;
    }
};

/// The orders of one round, in the order in which you give them.
class Orders {
  public:
    /// Send units to a neighbour, in this round.
    void move(const Cell& source, const Cell& target, int units) {
        lines_ << ", move " << source.id << ' ' << target.id << ' ' << units;
    }

    /// From now on, send what is left in `source` to a neighbour in every round.
    void automate(Cell& source, Cell& target) {
        source.standing = &target;
        lines_ << ", auto " << source.id << ' ' << target.id;
    }

    /// End the standing order of `source`.
    void stop(Cell& source) {
        source.standing = nullptr;
        lines_ << ", stop " << source.id;
    }

    /// Leave the match.
    void surrender() { lines_ << ", surrender"; }

    /// The line to send.
    std::string text() const {
        const std::string all = lines_.str();
        return all.empty() ? "No moves" : all.substr(2);
    }

  private:
    std::ostringstream lines_;
};

/// What your bot answers.
struct Bot {
    virtual ~Bot() = default;
    /// Give the orders of this round.
    virtual void act(Game& game, Orders& orders) = 0;
};

/// Reads the lines of one match into a game.
class Reader {
  public:
    explicit Reader(Game& game) : game_(game) {}

    void hear(const std::string& kind, std::istream& words) {
        std::string word;
        if (kind == "settings") set(words);
        else if (kind == "setup_map" && words >> word && word == "cells") set_cells(words);
        else if (kind == "setup_map" && word == "neighbors") link(words);
        else if (kind == "round") words >> game_.round;
        else if (kind == "update_map") see(words);
        else if (kind == "opponent_moves") remember(words);
        else if (kind == "game_over") words >> game_.rank;
        else if (kind == "result") {
            Dropped one;
            if (words >> one.number >> word >> one.why) game_.dropped.push_back(one);
        }
    }

  private:
    Game& game_;

    void set(std::istream& words) {
        std::string key, value;
        std::getline(words >> key >> std::ws, value);
        game_.settings[key] = value;
        std::istringstream values(value);
        if (key == "your_bot") game_.me = value;
        else if (key == "players")
            for (std::string name; values >> name;) game_.players.push_back(name);
        else if (key == "income")
            for (const char* kind : {"normal", "bronze", "silver", "gold"}) values >> game_.income[kind];
    }

    void set_cells(std::istream& words) {
        int id, q, r;
        for (std::string kind; words >> id >> q >> r >> kind;) {
            Cell& cell = game_.cells[id];
            cell.id = id, cell.q = q, cell.r = r, cell.kind = kind;
        }
    }

    void link(std::istream& words) {
        int id;
        for (std::string others, other; words >> id >> others;) {
            Cell& cell = game_.cells[id];
            for (std::istringstream list(others); std::getline(list, other, ',');) {
                Cell& near = game_.cells[std::stoi(other)];
                cell.neighbours.push_back(&near);  // each link is told once: add it on both sides
                near.neighbours.push_back(&cell);
            }
        }
    }

    void see(std::istream& words) {
        int id, units;
        for (std::string owner; words >> id >> owner >> units;) {
            Cell& cell = game_.cells[id];
            cell.owner = owner;
            cell.units = units;
            if (owner != game_.me) cell.standing = nullptr;  // it ends with the loss of its cell
        }
    }

    void remember(std::istream& words) {
        game_.opponent_moves.clear();
        int source, target, units;
        for (std::string player, kind; words >> player >> kind >> source >> target >> units;)
            game_.opponent_moves.push_back({player, &game_.cells[source], &game_.cells[target], units});
    }
};

/// Play one match, until the input ends.
inline void play(Bot& bot) {
    Game game;
    Reader reader(game);
    for (std::string line, kind, what; std::getline(std::cin, line);) {
        std::istringstream words(line);
        words >> kind;
        if (kind == "go" && words >> what >> game.time_bank) {
            Orders orders;
            bot.act(game, orders);
            game.dropped.clear();
            std::cout << orders.text() << std::endl;  // it flushes
        } else {
            reader.hear(kind, words);
        }
    }
}

}  // namespace hextrategic
