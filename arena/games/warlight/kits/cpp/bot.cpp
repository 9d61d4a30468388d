// A first Warlight bot: change it until it wins.
#include <algorithm>
#include <tuple>

#include "warlight.hpp"

using namespace warlight;

/// It strengthens its borders in turn, and attacks where it is three times as strong.
struct MyBot : Bot {
    /// The first one on the list. (Would one in a small super region be better?)
    Region* pick(Game&, const std::vector<Region*>& choices) override { return choices.front(); }

    /// All new armies go to one region that has a foreign neighbour, another one each round.
    std::vector<Placement> place(Game& game) override {
        std::vector<Region*> border;
        for (Region* region : game.mine())
            if (!game.foreign(*region).empty()) border.push_back(region);
        if (border.empty()) return {};
        return {{border[game.round % border.size()], game.new_armies}};
    }

    /// Each region sends three armies for each army of its weakest foreign neighbour.
    std::vector<Move> move(Game& game) override {
        std::vector<Move> moves;
        for (Region* region : game.mine()) {
            const auto foreign = game.foreign(*region);
            const auto weakest = std::min_element(foreign.begin(), foreign.end(), weaker);
            if (weakest != foreign.end() && 3 * (*weakest)->armies < region->armies)  // one stays
                moves.push_back({region, *weakest, 3 * (*weakest)->armies});
        }
        return moves;
    }

    static bool weaker(const Region* one, const Region* other) {
        return std::tie(one->armies, one->id) < std::tie(other->armies, other->id);
    }
};

int main() {
    MyBot bot;
    play(bot);
}
