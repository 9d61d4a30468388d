//! Toroid Wars as typed state. `play` reads the lines of the protocol and asks your bot.
//!
//! You need not change this file. Lines that it does not know are ignored: a later arena may send more.
#![allow(dead_code)]
use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead};

/// The units of a country that you do not see.
pub const UNKNOWN: i32 = -1;

/// A country of the ring. `owner` and `units` are as last told; "" means never told.
pub struct Country {
    pub id: usize,
    pub owner: String,
    pub units: i32,
    pub visible: bool,
}

/// What an opponent did to one of your countries: `kind` is attack or transfer; `outcome`, of an
/// attack, is conquer, victory or defeat.
pub struct Deed {
    pub player: String,
    pub kind: String,
    pub source: usize,
    pub target: usize,
    pub units: i32,
    pub outcome: String,
}

/// Everything that your bot was told so far. Countries are named by their numbers.
#[derive(Default)]
pub struct Game {
    /// Every setting by its name, as it came.
    pub settings: HashMap<String, String>,
    pub me: String,
    pub players: Vec<String>,
    pub turn_order: Vec<String>,
    pub max_attack_units: i32,
    pub max_transfer_units: i32,
    pub max_resident_units: i32,
    /// The game turn, from 1.
    pub round: i32,
    /// Your time bank for this request, in milliseconds.
    pub time_bank: i32,
    /// All countries, by their number; the last and the first are neighbours.
    pub ring: Vec<Country>,
    /// What was done to your countries since your last turn.
    pub opponents_did: Vec<Deed>,
    /// The words of the last answer's result: "2", "illegal", "few_units".
    pub result: Vec<String>,
}

impl Game {
    /// The neighbour with the next lower number.
    pub fn left(&self, country: &Country) -> &Country {
        &self.ring[(country.id + self.ring.len() - 1) % self.ring.len()]
    }

    /// The neighbour with the next higher number.
    pub fn right(&self, country: &Country) -> &Country {
        &self.ring[(country.id + 1) % self.ring.len()]
    }

    /// Your countries, ascending.
    pub fn mine(&self) -> impl Iterator<Item = &Country> {
        self.ring.iter().filter(|country| country.owner == self.me)
    }

    fn hear(&mut self, words: &[&str]) {
        match words {
            ["settings", key, values @ ..] => self.set(key, values),
            ["setup_map", "ring", rest @ ..] => {
                let country = |id| Country { id, owner: String::new(), units: UNKNOWN, visible: false };
                self.ring = (0..rest.len()).map(country).collect();
            }
            ["round", turn] => self.round = number(turn),
            ["update_map", rest @ ..] => self.see(rest),
            ["opponent_moves", rest @ ..] => self.remember(rest),
            ["result", rest @ ..] => {
                self.result = owned(rest);
                if let [_, "scout", _, country, units] = rest {
                    self.ring[number(country) as usize].units = number(units);
                }
            }
            _ => {}
        }
    }

    fn set(&mut self, key: &str, values: &[&str]) {
        self.settings.insert(key.to_string(), values.join(" "));
        match key {
            "your_bot" => self.me = values[0].to_string(),
            "players" => self.players = owned(values),
            "turn_order" => self.turn_order = owned(values),
            "max_attack_units" => self.max_attack_units = number(values[0]),
            "max_transfer_units" => self.max_transfer_units = number(values[0]),
            "max_resident_units" => self.max_resident_units = number(values[0]),
            _ => {}
        }
    }

    fn see(&mut self, words: &[&str]) {
        for country in &mut self.ring {
            country.visible = false;
            if country.owner == self.me {
                country.owner.clear(); // unless it is told now, it was lost
            }
        }
        for triple in words.chunks_exact(3) {
            let id = number(triple[0]) as usize;
            let (owner, units) = (triple[1].to_string(), number(triple[2]));
            self.ring[id] = Country { id, owner, units, visible: true };
        }
    }

    fn remember(&mut self, words: &[&str]) {
        self.opponents_did.clear();
        let mut rest = words;
        while let [player, kind, source, target, units, more @ ..] = rest {
            let attack = *kind == "attack";
            self.opponents_did.push(Deed {
                player: player.to_string(),
                kind: kind.to_string(),
                source: number(source) as usize,
                target: number(target) as usize,
                units: number(units),
                outcome: if attack { more[0].to_string() } else { String::new() },
            });
            rest = if attack { &more[1..] } else { more };
        }
    }
}

#[derive(Clone, Copy)]
pub enum Side {
    Left,
    Right,
}

impl fmt::Display for Side {
    fn fmt(&self, text: &mut fmt::Formatter) -> fmt::Result {
        text.write_str(if matches!(self, Side::Left) { "left" } else { "right" })
    }
}

/// What a country does.
pub enum Action {
    /// Attack a neighbour. One unit must stay at home.
    Attack(Side, i32),
    /// Learn whose a neighbour is, and how many units it has.
    Scout(Side),
    /// Send units to your own neighbour.
    Transfer(Side, i32),
    /// One more unit at the end of your turn.
    Build,
    /// Do nothing.
    Wait,
}

impl fmt::Display for Action {
    fn fmt(&self, text: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Action::Attack(side, units) => write!(text, "attack {side} {units}"),
            Action::Scout(side) => write!(text, "scout {side}"),
            Action::Transfer(side, units) => write!(text, "transfer {side} {units}"),
            Action::Build => text.write_str("build"),
            Action::Wait => text.write_str("No moves"),
        }
    }
}

/// What your bot answers.
pub trait Bot {
    /// What `country`, which is yours, does. After an illegal answer it is asked once more.
    fn act(&mut self, game: &Game, country: &Country) -> Action;
}

/// Play one match, until the input ends.
pub fn play(mut bot: impl Bot) {
    let mut game = Game::default();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["go", _, bank, country] = words[..] {
            game.time_bank = number(bank);
            let action = bot.act(&game, &game.ring[number(country) as usize]);
            println!("{action}"); // stdout flushes at the end of a line
        } else {
            game.hear(&words);
        }
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

fn number(word: &str) -> i32 {
    word.parse().unwrap_or(0)
}
