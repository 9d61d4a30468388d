//! Warlight as typed state. `play` reads the lines of the protocol and asks your bot.
//!
//! You need not change this file. Lines that it does not know are ignored: a later arena may send more.
#![allow(dead_code)]
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead};

/// Regions that earn `bonus` armies a round for the player that has all of them.
pub struct SuperRegion {
    pub id: i32,
    pub bonus: i32,
    pub regions: Vec<i32>,
}

/// A region of the map. `owner` and `armies` are as you last saw them; "" means never seen.
#[derive(Default)]
pub struct Region {
    pub id: i32,
    pub super_region: i32,
    pub neighbours: Vec<i32>,
    pub wasteland: bool,
    pub owner: String,
    pub armies: i32,
    pub visible: bool,
}

/// New armies for a region of yours.
pub struct Placement {
    pub region: i32,
    pub armies: i32,
}

/// Armies that attack a neighbour, or join it when it is yours. One army stays at home.
pub struct Move {
    pub source: i32,
    pub target: i32,
    pub armies: i32,
}

/// Everything that your bot was told so far. Regions are named by their numbers.
#[derive(Default)]
pub struct Game {
    /// Every setting by its name, as it came.
    pub settings: HashMap<String, String>,
    pub me: String,
    pub opponent: String,
    /// The armies that you may place in this round.
    pub new_armies: i32,
    /// From 1; 0 while regions are picked.
    pub round: usize,
    /// Your time bank for this request, in milliseconds.
    pub time_bank: i32,
    pub super_regions: BTreeMap<i32, SuperRegion>,
    pub regions: BTreeMap<i32, Region>,
    pub opponent_picks: Vec<i32>,
    /// What you saw of the opponent's last round.
    pub opponent_placed: Vec<Placement>,
    pub opponent_moved: Vec<Move>,
}

impl Game {
    /// Your regions, ascending.
    pub fn mine(&self) -> impl Iterator<Item = &Region> {
        self.regions.values().filter(|region| region.owner == self.me)
    }

    /// The neighbours of `region` that are not yours.
    pub fn foreign<'a>(&'a self, region: &'a Region) -> impl Iterator<Item = &'a Region> {
        region.neighbours.iter().map(|id| &self.regions[id]).filter(|other| other.owner != self.me)
    }

    fn hear(&mut self, words: &[&str]) {
        match words {
            ["settings", key, values @ ..] => self.set(key, &values.join(" ")),
            ["setup_map", "super_regions", rest @ ..] => {
                for pair in rest.chunks_exact(2) {
                    let (id, bonus) = (number(pair[0]), number(pair[1]));
                    self.super_regions.insert(id, SuperRegion { id, bonus, regions: vec![] });
                }
            }
            ["setup_map", "regions", rest @ ..] => {
                for pair in rest.chunks_exact(2) {
                    let (id, super_region) = (number(pair[0]), number(pair[1]));
                    self.regions.insert(id, Region { id, super_region, ..Region::default() });
                    self.super_regions.get_mut(&super_region).unwrap().regions.push(id);
                }
            }
            ["setup_map", "neighbors", rest @ ..] => {
                for pair in rest.chunks_exact(2) {
                    for other in pair[1].split(',').map(number) {
                        self.link(number(pair[0]), other); // each link is told once
                        self.link(other, number(pair[0]));
                    }
                }
            }
            ["setup_map", "wastelands", rest @ ..] => {
                rest.iter().for_each(|id| self.regions.get_mut(&number(id)).unwrap().wasteland = true);
            }
            ["setup_map", "opponent_starting_regions", rest @ ..] => {
                self.opponent_picks = rest.iter().map(|id| number(id)).collect();
            }
            ["update_map", rest @ ..] => self.see(rest),
            ["opponent_moves", rest @ ..] => self.remember(rest),
            _ => {}
        }
    }

    fn set(&mut self, key: &str, value: &str) {
        self.settings.insert(key.to_string(), value.to_string());
        match key {
            "your_bot" => self.me = value.to_string(),
            "opponent_bot" => self.opponent = value.to_string(),
            "starting_armies" => {
                self.new_armies = number(value); // the first line of a round
                self.round += 1;
            }
            _ => {}
        }
    }

    fn link(&mut self, one: i32, other: i32) {
        self.regions.get_mut(&one).unwrap().neighbours.push(other);
    }

    fn see(&mut self, words: &[&str]) {
        for region in self.regions.values_mut() {
            region.visible = false;
            if region.owner == self.me {
                region.owner = self.opponent.clone(); // unless it is told now, it was lost
            }
        }
        for triple in words.chunks_exact(3) {
            let region = self.regions.get_mut(&number(triple[0])).unwrap();
            region.owner = triple[1].to_string();
            region.armies = number(triple[2]);
            region.visible = true;
        }
    }

    fn remember(&mut self, words: &[&str]) {
        self.opponent_placed.clear();
        self.opponent_moved.clear();
        let mut rest = words.iter();
        while let (Some(_), Some(&kind)) = (rest.next(), rest.next()) {
            let mut next = || number(rest.next().unwrap());
            if kind == "place_armies" {
                self.opponent_placed.push(Placement { region: next(), armies: next() });
            } else {
                self.opponent_moved.push(Move { source: next(), target: next(), armies: next() });
            }
        }
    }
}

/// What your bot answers.
pub trait Bot {
    /// A region to start from.
    fn pick(&mut self, game: &Game, choices: &[i32]) -> i32;
    /// Where the new armies go, `game.new_armies` in all.
    fn place(&mut self, game: &Game) -> Vec<Placement>;
    /// Attacks and transfers, in the order in which they are to happen.
    fn attack(&mut self, game: &Game) -> Vec<Move>;
}

/// Play one match, until the input ends.
pub fn play(mut bot: impl Bot) {
    let mut game = Game::default();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["pick_starting_region", bank, ids @ ..] = &words[..] {
            game.time_bank = number(bank);
            let choices: Vec<i32> = ids.iter().map(|id| number(id)).collect();
            println!("{}", bot.pick(&game, &choices)); // stdout flushes at the end of a line
        } else if let ["go", request, bank] = words[..] {
            game.time_bank = number(bank);
            let place = request == "place_armies";
            let text = if place { placed(&mut bot, &mut game) } else { moved(&mut bot, &game) }.join(", ");
            println!("{}", if text.is_empty() { "No moves" } else { &text });
        } else {
            game.hear(&words);
        }
    }
}

fn placed(bot: &mut impl Bot, game: &mut Game) -> Vec<String> {
    let placements = bot.place(game);
    for one in &placements {
        game.regions.get_mut(&one.region).unwrap().armies += one.armies; // attack finds them there
    }
    placements.iter().map(|one| format!("{} place_armies {} {}", game.me, one.region, one.armies)).collect()
}

fn moved(bot: &mut impl Bot, game: &Game) -> Vec<String> {
    let text = |one: Move| format!("{} attack/transfer {} {} {}", game.me, one.source, one.target, one.armies);
    bot.attack(game).into_iter().map(text).collect()
}

fn number(word: &str) -> i32 {
    word.parse().unwrap_or(0)
}
