// A first Code Character bot: change it until it wins.
#include <algorithm>

#include "codecharacter.hpp"

using namespace codecharacter;

/// Each soldier attacks the enemy soldier that is nearest to it, and no money is spent.
struct MyBot : Bot {
    /// The orders of one turn. (What could the money build, on `state.free_tiles()`?)
    void update(State& state, Orders& orders) override {
        const auto enemies = state.enemies();
        for (const Soldier& soldier : state.my_soldiers()) {
            const auto nearer = [&](const Soldier& one, const Soldier& other) {
                return std::make_pair(distance2(soldier, one), one.id) <
                       std::make_pair(distance2(soldier, other), other.id);
            };
            const auto nearest = std::min_element(enemies.begin(), enemies.end(), nearer);
            if (nearest != enemies.end()) orders.attack(soldier, *nearest);
        }
    }
};

int main() {
    MyBot bot;
    play(bot);
}
