// Trade and War (TNCC) as typed state. `play` reads the lines of the protocol and asks your bot.
//
// You need not change this file. Lines that it does not know are ignored: a later arena may send more.
#pragma once

#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace tncc {

/// What a player has. Nothing is hidden.
struct Country {
    std::string name;
    int gold = 0, food = 0, population = 0, military = 0, land = 0;
    bool alive = true;
};

/// A trade that another country proposes: you get the first amount, and give the second.
struct Offer {
    const Country& country;
    std::string you_get;
    int get_amount = 0;
    std::string you_give;
    int give_amount = 0;
};

/// The soldiers on the three flanks of a war.
struct Flanks {
    int left, middle, right;
};

/// Something that another country did: {"player1", "recruit", "100"}.
using News = std::vector<std::string>;

/// Everything that your bot was told so far.
struct Game {
    std::map<std::string, std::string> settings;  ///< every setting by its name, as it came
    std::string me = "player1";
    std::vector<std::string> players;          ///< in the order of their turns
    std::map<std::string, Country> countries;  ///< by name
    int gold_for_war = 1600;
    int round = 0;                                ///< the cycle, from 1
    int time_bank = 0;                            ///< the milliseconds for the present request
    std::vector<News> news;                       ///< what others did since your last request
    std::vector<std::pair<int, News>> chronicle;  ///< all news of the match, each with its cycle
    std::vector<std::string> result;  ///< of your last action: {"trade", "yes"}, {"illegal", "funds"}
    int rank = 0;                     ///< your rank, once the match is over for you

    /// Your country.
    const Country& mine() const { return countries.at(me); }

    /// The countries that still live, but for yours, in the order of their turns.
    std::vector<const Country*> others() const {
        std::vector<const Country*> found;
        for (const std::string& name : players)
            if (name != me && countries.at(name).alive) found.push_back(&countries.at(name));
        return found;
    }
};

/// Do nothing.
inline std::string wait() { return "wait"; }

/// Make soldiers of citizens; a negative number makes citizens of soldiers.
inline std::string recruit(int citizens) { return "recruit " + std::to_string(citizens); }

/// Offer `amount` of the resource `give` for `price` of `take`; one of the two is gold.
inline std::string trade(const Country& country, const std::string& give, int amount,
                         const std::string& take, int price) {
    return "trade " + country.name + ' ' + give + ' ' + std::to_string(amount) + ' ' + take + ' ' +
           std::to_string(price);
}

inline std::string text(const Flanks& flanks) {
    return std::to_string(flanks.left) + ' ' + std::to_string(flanks.middle) + ' ' +
           std::to_string(flanks.right);
}

/// Attack a country. It costs `game.gold_for_war`.
inline std::string war(const Country& country, const Flanks& flanks) {
    return "war " + country.name + ' ' + text(flanks);
}

/// As many soldiers on each flank, the rest in the middle and on the right.
inline Flanks thirds(int soldiers) { return {soldiers / 3, (soldiers + 1) / 3, (soldiers + 2) / 3}; }

/// What your bot answers.
struct Bot {
    virtual ~Bot() = default;
    /// Your action of this cycle: made by `wait`, `recruit`, `trade` or `war`.
    virtual std::string act(Game& game) = 0;
    /// Whether you take the offer of another country.
    virtual bool accept(Game& game, const Offer& offer) = 0;
    /// How your soldiers stand when `attacker` comes with so many in all.
    virtual Flanks defend(Game& game, const Country& attacker, int soldiers) = 0;
};

/// Reads the lines of one match into a game.
class Reader {
  public:
    explicit Reader(Game& game) : game_(game) {}

    void hear(const std::string& kind, std::istream& words) {
        if (kind == "settings") set(words);
        else if (kind == "round") words >> game_.round;
        else if (kind == "update_map") see(words);
        else if (kind == "opponent_moves") remember(rest(words));
        else if (kind == "result") game_.result = rest(words);
        else if (kind == "game_over") words >> game_.rank;
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
        else if (key == "gold_for_war") values >> game_.gold_for_war;
        else if (key == "players")
            for (const std::string& name : game_.players = rest(values)) game_.countries[name].name = name;
    }

    void see(std::istream& words) {
        std::string alive;
        for (std::string name; words >> name;) {
            Country& one = game_.countries[name];
            words >> one.gold >> one.food >> one.population >> one.military >> one.land >> alive;
            one.alive = alive == "alive";
        }
    }

    /// Each action begins at a name behind which one of the four verbs stands.
    void remember(const std::vector<std::string>& words) {
        game_.news.clear();
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string next = i + 1 < words.size() ? words[i + 1] : "";
            const bool verb = next == "wait" || next == "recruit" || next == "trade" || next == "war";
            if (verb && game_.countries.count(words[i])) game_.news.emplace_back();
            game_.news.back().push_back(words[i]);
        }
        for (const News& one : game_.news) game_.chronicle.emplace_back(game_.round, one);
    }
};

/// Play one match, until the input ends.
inline void play(Bot& bot) {
    Game game;
    Reader reader(game);
    for (std::string line, kind, what, name; std::getline(std::cin, line);) {
        std::istringstream words(line);
        words >> kind;
        if (kind != "go") {
            reader.hear(kind, words);
            continue;
        }
        words >> what >> game.time_bank >> name;
        int soldiers;
        if (what == "trade") {
            Offer offer{game.countries[name], "", 0, "", 0};
            words >> offer.you_get >> offer.get_amount >> offer.you_give >> offer.give_amount;
            std::cout << (bot.accept(game, offer) ? "yes" : "no") << std::endl;  // it flushes
        } else if (what == "war" && words >> soldiers) {
            std::cout << text(bot.defend(game, game.countries[name], soldiers)) << std::endl;
        } else {
            std::cout << bot.act(game) << std::endl;
        }
    }
}

}  // namespace tncc
