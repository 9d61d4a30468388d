// A first Hextrategic bot: change it until it wins.
#include <algorithm>
#include <tuple>

#include "hextrategic.hpp"

using namespace hextrategic;

/// A cell attacks its weakest foreign neighbour with all its units, if it is stronger.
struct MyBot : Bot {
    /// One move for each cell that can win. (What could the cells inside do for the border?)
    void act(Game& game, Orders& orders) override {
        for (Cell* cell : game.mine()) {
            const auto foreign = game.foreign(*cell);
            const auto weakest = std::min_element(foreign.begin(), foreign.end(), weaker);
            if (weakest != foreign.end() && cell->units > (*weakest)->units)
                orders.move(*cell, **weakest, cell->units);
        }
    }

    static bool weaker(const Cell* one, const Cell* other) {
        return std::tie(one->units, one->id) < std::tie(other->units, other->id);
    }
};

int main() {
    MyBot bot;
    play(bot);
}
