//! A first Toroid Wars bot: change it until it wins.

mod toroid;

use toroid::{play, Action, Bot, Country, Game, Side};

/// A country that has gathered eight units attacks a foreign neighbour; the others build.
struct MyBot;

impl Bot for MyBot {
    /// What `country` does. (Would a look at the neighbour first, by `Action::Scout`, be better?)
    fn act(&mut self, game: &Game, country: &Country) -> Action {
        if country.units >= 8 {
            let force = (country.units - 1).min(game.max_attack_units); // one stays at home
            if game.left(country).owner != game.me {
                return Action::Attack(Side::Left, force);
            }
            if game.right(country).owner != game.me {
                return Action::Attack(Side::Right, force);
            }
        }
        if country.units < game.max_resident_units {
            return Action::Build;
        }
        Action::Wait
    }
}

fn main() {
    play(MyBot);
}
