// A first Toroid Wars bot: change it until it wins.
#include <algorithm>

#include "toroid.hpp"

using namespace toroid;

/// A country that has gathered eight units attacks a foreign neighbour; the others build.
struct MyBot : Bot {
    /// What `country` does. (Would a look at the neighbour first, by `scout`, be better?)
    std::string act(Game& game, Country& country) override {
        if (country.units >= 8) {
            const int force = std::min(country.units - 1, game.max_attack_units);  // one stays
            if (game.left(country).owner != game.me) return attack(Side::left, force);
            if (game.right(country).owner != game.me) return attack(Side::right, force);
        }
        return country.units < game.max_resident_units ? build() : wait();
    }
};

int main() {
    MyBot bot;
    play(bot);
}
