// Toroid Wars as typed state. `play` reads the lines of the protocol and asks your bot.
//
// You need not change this file. Lines that it does not know are ignored: a later arena may send more.
#pragma once

#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace toroid {

/// The units of a country that you do not see.
constexpr int UNKNOWN = -1;

/// A country of the ring. `owner` and `units` are as last told; "" means never told.
struct Country {
    int id = 0;
    std::string owner;
    int units = UNKNOWN;
    bool visible = false;
};

/// What an opponent did to one of your countries: `kind` is attack or transfer; `outcome`, of an
/// attack, is conquer, victory or defeat.
struct Deed {
    std::string player, kind;
    Country* source;
    Country* target;
    int units;
    std::string outcome;
};

/// Everything that your bot was told so far.
struct Game {
    std::map<std::string, std::string> settings;  ///< every setting by its name, as it came
    std::string me = "player1";
    std::vector<std::string> players, turn_order;
    int max_game_turns = 40;
    int max_attack_units = 10, max_transfer_units = 10, max_resident_units = 20;
    int round = 0;                    ///< the game turn, from 1
    int time_bank = 0;                ///< the milliseconds that you have for the present request
    std::vector<Country> ring;        ///< by number; the last and the first are neighbours
    std::vector<Deed> opponents_did;  ///< what was done to your countries since your last turn
    std::vector<std::string> result;  ///< of the last answer: {"2", "illegal", "few_units"}
    int rank = 0;                     ///< your rank, once the match is over

    /// The neighbour with the next lower number.
    Country& left(const Country& country) { return ring[(country.id + ring.size() - 1) % ring.size()]; }

    /// The neighbour with the next higher number.
    Country& right(const Country& country) { return ring[(country.id + 1) % ring.size()]; }

    /// Your countries, ascending.
    std::vector<Country*> mine() {
        std::vector<Country*> found;
        for (Country& country : ring)
            if (country.owner == me) found.push_back(&country);
        return found;
    }
};

enum class Side { left, right };

inline std::string text(Side side) { return side == Side::left ? "left" : "right"; }

/// Attack a neighbour. One unit must stay at home.
inline std::string attack(Side side, int units) { return "attack " + text(side) + ' ' + std::to_string(units); }
/// Learn whose a neighbour is, and how many units it has.
inline std::string scout(Side side) { return "scout " + text(side); }
/// Send units to your own neighbour.
inline std::string transfer(Side side, int units) {
    return "transfer " + text(side) + ' ' + std::to_string(units);
}
/// One more unit at the end of your turn.
inline std::string build() { return "build"; }
/// Do nothing.
inline std::string wait() { return "No moves"; }

/// What your bot answers.
struct Bot {
    virtual ~Bot() = default;
    /// What `country`, which is yours, does: made by `attack`, `scout`, `transfer`, `build` or
    /// `wait`. After an illegal answer the same country is asked once more.
    virtual std::string act(Game& game, Country& country) = 0;
};

/// Reads the lines of one match into a game.
class Reader {
  public:
    explicit Reader(Game& game) : game_(game) {}

    void hear(const std::string& kind, std::istream& words) {
        std::string word;
        if (kind == "settings") set(words);
        else if (kind == "setup_map" && words >> word) {
            for (int id; words >> id;) game_.ring.push_back({id, "", UNKNOWN, false});
        } else if (kind == "round") words >> game_.round;
        else if (kind == "update_map") see(words);
        else if (kind == "opponent_moves") remember(words);
        else if (kind == "game_over") words >> game_.rank;
        else if (kind == "result") learn(rest(words));
    }

  private:
    Game& game_;

    static std::vector<std::string> rest(std::istream& words) {
        std::vector<std::string> found;
        for (std::string word; words >> word;) found.push_back(word);
        return found;
    }

    void set(std::istream& words) {
        std::string key, value;
        std::getline(words >> key >> std::ws, value);
        game_.settings[key] = value;
        std::istringstream values(value);
        if (key == "your_bot") game_.me = value;
        else if (key == "players") game_.players = rest(values);
        else if (key == "turn_order") game_.turn_order = rest(values);
        else if (key == "max_game_turns") values >> game_.max_game_turns;
        else if (key == "max_attack_units") values >> game_.max_attack_units;
        else if (key == "max_transfer_units") values >> game_.max_transfer_units;
        else if (key == "max_resident_units") values >> game_.max_resident_units;
    }

    void see(std::istream& words) {
        for (Country& country : game_.ring) {
            country.visible = false;
            if (country.owner == game_.me) country.owner.clear();  // lost, unless it is told now
        }
        int id, units;
        for (std::string owner; words >> id >> owner >> units;) game_.ring[id] = {id, owner, units, true};
    }

    void remember(std::istream& words) {
        game_.opponents_did.clear();
        int source, target, units;
        for (std::string player, kind; words >> player >> kind >> source >> target >> units;) {
            std::string outcome;
            if (kind == "attack") words >> outcome;
            game_.opponents_did.push_back(
                {player, kind, &game_.ring[source], &game_.ring[target], units, outcome});
        }
    }

    void learn(const std::vector<std::string>& result) {
        game_.result = result;
        if (result.size() == 5 && result[1] == "scout")
            game_.ring[std::stoi(result[3])].units = std::stoi(result[4]);
    }
};

/// Play one match, until the input ends.
inline void play(Bot& bot) {
    Game game;
    Reader reader(game);
    for (std::string line, kind, what; std::getline(std::cin, line);) {
        std::istringstream words(line);
        int country;
        words >> kind;
        if (kind == "go" && words >> what >> game.time_bank >> country)
            std::cout << bot.act(game, game.ring[country]) << std::endl;  // it flushes
        else
            reader.hear(kind, words);
    }
}

}  // namespace toroid
