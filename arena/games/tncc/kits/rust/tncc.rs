//! Trade and War (TNCC) as typed state. `play` reads the lines of the protocol and asks your bot.
//!
//! You need not change this file. Lines that it does not know are ignored: a later arena may send more.
#![allow(dead_code)]

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead};

/// What a player has. Nothing is hidden.
pub struct Country {
    pub name: String,
    pub gold: i32,
    pub food: i32,
    pub population: i32,
    pub military: i32,
    pub land: i32,
    pub alive: bool,
}

/// A trade that another country proposes: you get the first amount, and give the second.
pub struct Offer<'a> {
    pub country: &'a Country,
    pub you_get: &'a str,
    pub get_amount: i32,
    pub you_give: &'a str,
    pub give_amount: i32,
}

/// The soldiers on the three flanks of a war.
pub struct Flanks {
    pub left: i32,
    pub middle: i32,
    pub right: i32,
}

impl Flanks {
    /// As many soldiers on each flank, the rest in the middle and on the right.
    pub fn thirds(soldiers: i32) -> Flanks {
        Flanks { left: soldiers / 3, middle: (soldiers + 1) / 3, right: (soldiers + 2) / 3 }
    }
}

impl fmt::Display for Flanks {
    fn fmt(&self, text: &mut fmt::Formatter) -> fmt::Result {
        write!(text, "{} {} {}", self.left, self.middle, self.right)
    }
}

/// Your action of a cycle. Resources are gold, food, population, military and land.
pub enum Action {
    /// Do nothing.
    Wait,
    /// Make soldiers of citizens; a negative number makes citizens of soldiers.
    Recruit(i32),
    /// Offer an amount of a resource to a country for a price in another; one of the two is gold.
    Trade { partner: String, give: &'static str, amount: i32, take: &'static str, price: i32 },
    /// Attack a country. It costs `game.gold_for_war`.
    War(String, Flanks),
}

impl fmt::Display for Action {
    fn fmt(&self, text: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Action::Wait => text.write_str("wait"),
            Action::Recruit(citizens) => write!(text, "recruit {citizens}"),
            Action::Trade { partner, give, amount, take, price } => {
                write!(text, "trade {partner} {give} {amount} {take} {price}")
            }
            Action::War(target, flanks) => write!(text, "war {target} {flanks}"),
        }
    }
}

/// Everything that your bot was told so far.
#[derive(Default)]
pub struct Game {
    /// Every setting by its name, as it came.
    pub settings: HashMap<String, String>,
    pub me: String,
    /// All countries, in the order of their turns.
    pub countries: Vec<Country>,
    pub gold_for_war: i32,
    /// The cycle, from 1.
    pub round: i32,
    /// Your time bank for this request, in milliseconds.
    pub time_bank: i32,
    /// What others did since your last request: "player1", "recruit", "100".
    pub news: Vec<Vec<String>>,
    /// All news of the match, each with its cycle.
    pub chronicle: Vec<(i32, Vec<String>)>,
    /// The words of your last result: "trade", "yes"; or "illegal", "funds".
    pub result: Vec<String>,
    /// Your rank, once the match is over for you.
    pub rank: i32,
}

impl Game {
    /// The country of that name.
    pub fn country(&self, name: &str) -> &Country {
        self.countries.iter().find(|one| one.name == name).expect("a country of the match")
    }

    /// Your country.
    pub fn mine(&self) -> &Country {
        self.country(&self.me)
    }

    /// The countries that still live, but for yours.
    pub fn others(&self) -> impl Iterator<Item = &Country> {
        self.countries.iter().filter(|one| one.alive && one.name != self.me)
    }

    fn hear(&mut self, words: &[&str]) {
        match words {
            ["settings", key, values @ ..] => self.set(key, values),
            ["round", cycle] => self.round = number(cycle),
            ["update_map", rest @ ..] => self.countries = rest.chunks_exact(7).map(country).collect(),
            ["opponent_moves", rest @ ..] => self.remember(rest),
            ["result", rest @ ..] => self.result = rest.iter().map(|word| word.to_string()).collect(),
            ["game_over", rank, ..] => self.rank = number(rank),
            _ => {}
        }
    }

    fn set(&mut self, key: &str, values: &[&str]) {
        self.settings.insert(key.to_string(), values.join(" "));
        match key {
            "your_bot" => self.me = values[0].to_string(),
            "gold_for_war" => self.gold_for_war = number(values[0]),
            _ => {}
        }
    }

    /// Each action begins at a name behind which one of the four verbs stands.
    fn remember(&mut self, words: &[&str]) {
        self.news.clear();
        for (i, word) in words.iter().enumerate() {
            let verb = matches!(words.get(i + 1), Some(&("wait" | "recruit" | "trade" | "war")));
            if verb && self.countries.iter().any(|one| one.name == *word) {
                self.news.push(vec![]);
            }
            if let Some(last) = self.news.last_mut() {
                last.push(word.to_string());
            }
        }
        self.chronicle.extend(self.news.iter().map(|one| (self.round, one.clone())));
    }
}

/// What your bot answers.
pub trait Bot {
    /// Your action of this cycle.
    fn act(&mut self, game: &Game) -> Action;
    /// Whether you take the offer of another country.
    fn accept(&mut self, game: &Game, offer: &Offer) -> bool;
    /// How your soldiers stand when `attacker` comes with so many in all.
    fn defend(&mut self, game: &Game, attacker: &Country, soldiers: i32) -> Flanks;
}

/// Play one match, until the input ends.
pub fn play(mut bot: impl Bot) {
    let mut game = Game::default();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words[0] != "go" {
            game.hear(&words);
            continue;
        }
        game.time_bank = number(words[2]);
        match (words[1], &words[3..]) {
            ("trade", [name, you_get, get, you_give, give]) => {
                let (country, get_amount, give_amount) = (game.country(name), number(get), number(give));
                let offer = Offer { country, you_get, get_amount, you_give, give_amount };
                println!("{}", if bot.accept(&game, &offer) { "yes" } else { "no" }); // it flushes
            }
            ("war", [name, soldiers]) => {
                println!("{}", bot.defend(&game, game.country(name), number(soldiers)));
            }
            _ => println!("{}", bot.act(&game)),
        }
    }
}

fn country(words: &[&str]) -> Country {
    Country {
        name: words[0].to_string(),
        gold: number(words[1]),
        food: number(words[2]),
        population: number(words[3]),
        military: number(words[4]),
        land: number(words[5]),
        alive: words[6] == "alive",
    }
}

fn number(word: &str) -> i32 {
    word.parse::<f64>().unwrap_or(0.0) as i32
}
