//! A first bot for Trade and War: change it until it wins.

mod tncc;

use tncc::{play, Action, Bot, Country, Flanks, Game, Offer};

/// It keeps one soldier for every ten citizens, never trades, and begins no war.
struct MyBot;

impl Bot for MyBot {
    /// Recruit when there are too few soldiers. (What could the gold buy?)
    fn act(&mut self, game: &Game) -> Action {
        let mine = game.mine();
        if mine.military < mine.population / 10 {
            return Action::Recruit(mine.population / 20);
        }
        Action::Wait
    }

    /// Accept presents.
    fn accept(&mut self, _game: &Game, offer: &Offer) -> bool {
        offer.give_amount == 0
    }

    /// All soldiers, a third on each flank.
    fn defend(&mut self, game: &Game, _attacker: &Country, _soldiers: i32) -> Flanks {
        Flanks::thirds(game.mine().military)
    }
}

fn main() {
    play(MyBot);
}
