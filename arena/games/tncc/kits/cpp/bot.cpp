// A first bot for Trade and War: change it until it wins.
#include "tncc.hpp"

using namespace tncc;

/// It keeps one soldier for every ten citizens, never trades, and begins no war.
struct MyBot : Bot {
    /// Recruit when there are too few soldiers. (What could the gold buy?)
    std::string act(Game& game) override {
        const Country& mine = game.mine();
        return mine.military < mine.population / 10 ? recruit(mine.population / 20) : wait();
    }

    /// Accept presents.
    bool accept(Game&, const Offer& offer) override { return offer.give_amount == 0; }

    /// All soldiers, a third on each flank.
    Flanks defend(Game& game, const Country&, int) override { return thirds(game.mine().military); }
};

int main() {
    MyBot bot;
    play(bot);
}
