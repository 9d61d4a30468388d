//! Code Character as typed state. `play` reads the lines of the protocol and asks your bot.
//!
//! You see your own base in the upper left, whichever player you are. You need not change this file.
//! Lines that it does not know are ignored: a later arena may send more.
#![allow(dead_code)]
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead};

/// A place, in units from the upper left corner.
#[derive(Clone, Copy)]
pub struct Place {
    pub x: f64,
    pub y: f64,
}

impl Place {
    /// The square of the distance: enough to find what is nearest.
    pub fn distance2(self, other: Place) -> f64 {
        (self.x - other.x) * (self.x - other.x) + (self.y - other.y) * (self.y - other.y)
    }
}

/// A soldier.
pub struct Soldier {
    pub id: i32,
    pub owner: String,
    pub place: Place,
    pub hp: i32,
    /// idle, move, pursuit, attack or dead.
    pub state: String,
    pub immune: bool,
}

impl Soldier {
    /// Whether it can be ordered and attacked.
    pub fn alive(&self) -> bool {
        self.state != "dead"
    }
}

/// A tower. The base is one, and cannot be attacked.
pub struct Tower {
    pub id: i32,
    pub owner: String,
    pub place: Place,
    pub hp: i32,
    pub level: i32,
    pub base: bool,
}

/// A tile of the map: its column and its row.
pub type Tile = (usize, usize);

/// Everything that your bot was told so far.
#[derive(Default)]
pub struct Game {
    /// Every setting by its name, as it came.
    pub settings: HashMap<String, String>,
    pub me: String,
    /// The turn, from 1.
    pub round: i32,
    /// Your time bank for this request, in milliseconds.
    pub time_bank: i32,
    pub money: i64,
    pub tile_size: usize,
    /// What a tower costs, and each further level.
    pub tower_costs: Vec<i64>,
    pub max_towers: usize,
    pub max_level: i32,
    /// All soldiers, your own first.
    pub soldiers: Vec<Soldier>,
    pub towers: Vec<Tower>,
    /// Rows, from above: `.` no player's tile, `m` yours, `e` the enemy's, `b` of both.
    pub territory: Vec<String>,
    /// Of your last answer: the orders that did not count, by number from 1, and why.
    pub refused: Vec<(i32, String)>,
}

impl Game {
    /// Your living soldiers.
    pub fn my_soldiers(&self) -> impl Iterator<Item = &Soldier> {
        self.soldiers.iter().filter(|one| one.owner == self.me && one.alive())
    }

    /// The enemy's living soldiers.
    pub fn enemies(&self) -> impl Iterator<Item = &Soldier> {
        self.soldiers.iter().filter(|one| one.owner != self.me && one.alive())
    }

    /// Your towers, the base among them.
    pub fn my_towers(&self) -> impl Iterator<Item = &Tower> {
        self.towers.iter().filter(|one| one.owner == self.me)
    }

    /// The tile that has this place.
    pub fn tile(&self, place: Place) -> Tile {
        (place.x as usize / self.tile_size, place.y as usize / self.tile_size)
    }

    /// The tiles on which you may build, row by row: yours alone, without a tower.
    pub fn free_tiles(&self) -> Vec<Tile> {
        let taken: HashSet<Tile> = self.my_towers().map(|tower| self.tile(tower.place)).collect();
        let tiles = self.territory.iter().enumerate().flat_map(|(y, row)| {
            row.chars().enumerate().filter(|(_, mark)| *mark == 'm').map(move |(x, _)| (x, y))
        });
        tiles.filter(|tile| !taken.contains(tile)).collect()
    }

    fn hear(&mut self, words: &[&str]) {
        match words {
            ["settings", key, values @ ..] => self.set(key, values),
            ["round", turn] => self.round = number(turn),
            ["result", order, _, why] => self.refused.push((number(order), why.to_string())),
            ["update_map", "soldiers", rest @ ..] => self.soldiers = rest.chunks_exact(7).map(soldier).collect(),
            ["update_map", "towers", rest @ ..] => self.towers = rest.chunks_exact(7).map(tower).collect(),
            ["update_map", "territory", rows @ ..] => self.territory = rows.iter().map(|row| row.to_string()).collect(),
            _ => {}
        }
    }

    fn set(&mut self, key: &str, values: &[&str]) {
        self.settings.insert(key.to_string(), values.join(" "));
        match key {
            "your_bot" => self.me = values[0].to_string(),
            "money" => self.money = values[0].parse().unwrap_or(0),
            "tile_size" => self.tile_size = number(values[0]) as usize,
            "max_towers" => self.max_towers = number(values[0]) as usize,
            "max_level" => self.max_level = number(values[0]),
            "tower_costs" => self.tower_costs = values.iter().map(|word| number(word).into()).collect(),
            _ => {}
        }
    }
}

/// The orders of one turn.
#[derive(Default)]
pub struct Orders(Vec<String>);
impl Orders {
    /// Walk to a place.
    pub fn walk(&mut self, soldier: &Soldier, place: Place) {
        self.0.push(format!("move {} {:.3} {:.3}", soldier.id, place.x, place.y));
    }
    /// Follow an enemy, a soldier or a tower, and attack it, also in the turns to come.
    pub fn attack(&mut self, soldier: &Soldier, target: i32) {
        self.0.push(format!("attack {} {target}", soldier.id));
    }
    /// A new tower on a tile.
    pub fn build(&mut self, tile: Tile) {
        self.0.push(format!("build {} {}", tile.0, tile.1));
    }
    /// The next level of a tower.
    pub fn upgrade(&mut self, tower: &Tower) {
        self.0.push(format!("upgrade {}", tower.id));
    }
    /// Give a tower up, for a part of its price.
    pub fn suicide(&mut self, tower: &Tower) {
        self.0.push(format!("suicide {}", tower.id));
    }
}

/// What your bot answers.
pub trait Bot {
    /// Give the orders of this turn. Soldiers without a new order go on with their old one.
    fn update(&mut self, game: &Game, orders: &mut Orders);
}

/// Play one match, until the input ends.
pub fn play(mut bot: impl Bot) {
    let mut game = Game::default();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["go", _, bank] = words[..] {
            game.time_bank = number(bank);
            let mut orders = Orders::default();
            bot.update(&game, &mut orders);
            game.refused.clear();
            println!("{}", if orders.0.is_empty() { "No moves".into() } else { orders.0.join(", ") });
        } else {
            game.hear(&words);
        }
    }
}

fn soldier(words: &[&str]) -> Soldier {
    let (id, owner, place, hp) = (number(words[0]), words[1].to_string(), place(words), number(words[4]));
    Soldier { id, owner, place, hp, state: words[5].to_string(), immune: words[6] == "1" }
}

fn tower(words: &[&str]) -> Tower {
    let (id, owner, place, hp) = (number(words[0]), words[1].to_string(), place(words), number(words[4]));
    Tower { id, owner, place, hp, level: number(words[5]), base: words[6] == "1" }
}

fn place(words: &[&str]) -> Place {
    Place { x: words[2].parse().unwrap_or(0.0), y: words[3].parse().unwrap_or(0.0) }
}

fn number(word: &str) -> i32 {
    word.parse().unwrap_or(0)
}
