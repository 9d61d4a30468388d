//! A first Warlight bot: change it until it wins.

mod warlight;

use warlight::{play, Bot, Game, Move, Placement, Region};

/// It strengthens its borders in turn, and attacks where it is three times as strong.
struct MyBot;

impl Bot for MyBot {
    /// The first one on the list. (Would one in a small super region be better?)
    fn pick(&mut self, _game: &Game, choices: &[i32]) -> i32 {
        choices[0]
    }

    /// All new armies go to one region that has a foreign neighbour, another one each round.
    fn place(&mut self, game: &Game) -> Vec<Placement> {
        let border: Vec<&Region> =
            game.mine().filter(|region| game.foreign(region).next().is_some()).collect();
        if border.is_empty() {
            return vec![];
        }
        vec![Placement { region: border[game.round % border.len()].id, armies: game.new_armies }]
    }

    /// Each region sends three armies for each army of its weakest foreign neighbour.
    fn attack(&mut self, game: &Game) -> Vec<Move> {
        let mut moves = vec![];
        for region in game.mine() {
            if let Some(weakest) = game.foreign(region).min_by_key(|other| (other.armies, other.id)) {
                let armies = 3 * weakest.armies;
                if armies < region.armies {
                    moves.push(Move { source: region.id, target: weakest.id, armies }); // one stays
                }
            }
        }
        moves
    }
}

fn main() {
    play(MyBot);
}
