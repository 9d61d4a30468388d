//! A first Hextrategic bot: change it until it wins.

mod hextrategic;

use hextrategic::{play, Bot, Game, Orders};

/// A cell attacks its weakest foreign neighbour with all its units, if it is stronger.
struct MyBot;

impl Bot for MyBot {
    /// One move for each cell that can win. (What could the cells inside do for the border?)
    fn act(&mut self, game: &Game, orders: &mut Orders) {
        for cell in game.mine() {
            if let Some(weakest) = game.foreign(cell).min_by_key(|other| (other.units, other.id)) {
                if cell.units > weakest.units {
                    orders.send(cell, weakest, cell.units);
                }
            }
        }
    }
}

fn main() {
    play(MyBot);
}
