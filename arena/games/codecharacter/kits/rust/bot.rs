//! A first Code Character bot: change it until it wins.

mod codecharacter;

use codecharacter::{play, Bot, Game, Orders};

/// Each soldier attacks the enemy soldier that is nearest to it, and no money is spent.
struct MyBot;

impl Bot for MyBot {
    /// The orders of one turn. (What could the money build, on `game.free_tiles()`?)
    fn update(&mut self, game: &Game, orders: &mut Orders) {
        for soldier in game.my_soldiers() {
            let far = |place| soldier.place.distance2(place);
            // the enemies are ascending: of two as near, it is the first
            let nearest = game.enemies().min_by(|a, b| far(a.place).total_cmp(&far(b.place)));
            if let Some(enemy) = nearest {
                orders.attack(soldier, enemy.id);
            }
        }
    }
}

fn main() {
    play(MyBot);
}
