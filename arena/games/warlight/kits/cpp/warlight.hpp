// Warlight as typed state. `play` reads the lines of the protocol and asks your bot.
//
// You need not change this file. Lines that it does not know are ignored: a later arena may send more.
#pragma once

#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace warlight {

struct Region;

/// Regions that earn `bonus` armies a round for the player that has all of them.
struct SuperRegion {
    int id = 0;
    int bonus = 0;
    std::vector<Region*> regions;
};

/// A region of the map. `owner` and `armies` are as you last saw them; "" means never seen.
struct Region {
    int id = 0;
    SuperRegion* super_region = nullptr;
    std::vector<Region*> neighbours;
    bool wasteland = false;
    std::string owner;
    int armies = 0;
    bool visible = false;
};

/// New armies for a region of yours.
struct Placement {
    Region* region;
    int armies;
};

/// Armies that attack a neighbour, or join it when it is yours. One army stays at home.
struct Move {
    Region* source;
    Region* target;
    int armies;
};

/// Everything that your bot was told so far.
struct Game {
    std::map<std::string, std::string> settings;  ///< every setting by its name, as it came
    std::string me = "player1", opponent = "player2";
    int new_armies = 5;  ///< the armies that you may place in this round
    int round = 0, time_bank = 0;  ///< from 1, 0 while regions are picked; ms for this request
    std::map<int, SuperRegion> super_regions;
    std::map<int, Region> regions;
    std::vector<Region*> opponent_picks;
    std::vector<Placement> opponent_placed;  ///< what you saw of the opponent's last round
    std::vector<Move> opponent_moved;

    /// Your regions, ascending.
    std::vector<Region*> mine() {
        std::vector<Region*> found;
        for (auto& [id, region] : regions)
            if (region.owner == me) found.push_back(&region);
        return found;
    }

    /// The neighbours of `region` that are not yours.
    std::vector<Region*> foreign(const Region& region) const {
        std::vector<Region*> found;
        for (Region* other : region.neighbours)
            if (other->owner != me) found.push_back(other);
        return found;
    }
};

/// What your bot answers.
struct Bot {
    virtual ~Bot() = default;
    /// A region to start from.
    virtual Region* pick(Game& game, const std::vector<Region*>& choices) = 0;
    /// Where the new armies go, `game.new_armies` in all.
    virtual std::vector<Placement> place(Game& game) = 0;
    /// Attacks and transfers, in the order in which they are to happen.
    virtual std::vector<Move> move(Game& game) = 0;
};

/// Reads the lines of one match into a game.
class Reader {
  public:
    explicit Reader(Game& game) : game_(game) {}

    void hear(const std::string& kind, std::istream& words) {
        std::string what;
        if (kind == "settings") set(words);
        else if (kind == "update_map") see(words);
        else if (kind == "opponent_moves") remember(words);
        else if (kind == "setup_map" && words >> what) set_up(what, words);
    }

  private:
    Game& game_;

    void set(std::istream& words) {
        std::string key, value;
        std::getline(words >> key >> std::ws, value);
        game_.settings[key] = value;
        if (key == "your_bot") game_.me = value;
        else if (key == "opponent_bot") game_.opponent = value;
        else if (key == "starting_armies") {  // the first line of a round
            game_.new_armies = std::stoi(value);
            game_.round += 1;
        }
    }

    void set_up(const std::string& what, std::istream& words) {
        std::string others;
        for (int id, number; words >> id;) {
            if (what == "super_regions" && words >> number) game_.super_regions[id] = {id, number, {}};
            else if (what == "regions" && words >> number) add(id, game_.super_regions[number]);
            else if (what == "neighbors" && words >> others) link(game_.regions[id], others);
            else if (what == "wastelands") game_.regions[id].wasteland = true;
            else if (what == "opponent_starting_regions")
                game_.opponent_picks.push_back(&game_.regions[id]);
        }
    }

    void add(int id, SuperRegion& home) {
        Region& region = game_.regions[id];
        region.id = id;
        region.super_region = &home;
        home.regions.push_back(&region);
    }

    void link(Region& region, const std::string& others) {
        std::istringstream list(others);
        for (std::string id; std::getline(list, id, ',');) {
            Region& other = game_.regions[std::stoi(id)];
            region.neighbours.push_back(&other);  // each link is told once: add it on both sides
            other.neighbours.push_back(&region);
        }
    }

    void see(std::istream& words) {
        for (auto& [id, region] : game_.regions) {
            region.visible = false;
            if (region.owner == game_.me) region.owner = game_.opponent;  // lost, unless told now
        }
        int id, armies;
        for (std::string owner; words >> id >> owner >> armies;) {
            Region& region = game_.regions[id];
            region.owner = owner;
            region.armies = armies;
            region.visible = true;
        }
    }

    void remember(std::istream& words) {
        game_.opponent_placed.clear();
        game_.opponent_moved.clear();
        int source, target, armies;
        for (std::string name, kind; words >> name >> kind >> source;) {
            if (kind == "place_armies" && words >> armies)
                game_.opponent_placed.push_back({&game_.regions[source], armies});
            else if (words >> target >> armies)
                game_.opponent_moved.push_back({&game_.regions[source], &game_.regions[target], armies});
        }
    }
};

/// Play one match, until the input ends.
inline void play(Bot& bot) {
    Game game;
    Reader reader(game);
    for (std::string line, kind, what; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::ostringstream orders;
        words >> kind;
        std::vector<Region*> choices;
        if (kind == "pick_starting_region" && words >> game.time_bank) {
            for (int id; words >> id;) choices.push_back(&game.regions[id]);
            orders << ", " << bot.pick(game, choices)->id;
        } else if (kind == "go" && words >> what >> game.time_bank && what == "place_armies") {
            for (const Placement& one : bot.place(game)) {
                one.region->armies += one.armies;  // your move will find them there
                orders << ", " << game.me << " place_armies " << one.region->id << ' ' << one.armies;
            }
        } else if (kind == "go") {
            for (const Move& one : bot.move(game))
                orders << ", " << game.me << " attack/transfer " << one.source->id << ' '
                       << one.target->id << ' ' << one.armies;
        } else {
            reader.hear(kind, words);
            continue;
        }
        const std::string text = orders.str();
        std::cout << (text.empty() ? "No moves" : text.substr(2)) << std::endl;  // it flushes
    }
}

}  // namespace warlight
