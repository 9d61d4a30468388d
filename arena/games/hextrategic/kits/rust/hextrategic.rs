//! Hextrategic as typed state. `play` reads the lines of the protocol and asks your bot.
//!
//! You need not change this file. Lines that it does not know are ignored: a later arena may send more.
#![allow(dead_code)]

use std::collections::HashMap;
use std::io::{self, BufRead};

/// A hexagon of the board, at `q` and `r`. Nothing is hidden: `owner` and `units` are exact.
#[derive(Default)]
pub struct Cell {
    pub id: usize,
    pub q: i32,
    pub r: i32,
    /// normal, bronze, silver or gold.
    pub kind: String,
    pub neighbours: Vec<usize>,
    pub owner: String,
    pub units: i32,
}

/// What another player's units did in the last round.
pub struct Move {
    pub player: String,
    pub source: usize,
    pub target: usize,
    pub units: i32,
}

/// An order of your last answer that was dropped: its number, from 1, and why.
pub struct Dropped {
    pub number: i32,
    pub why: String,
}

/// Everything that your bot was told so far. Cells are named by their numbers.
#[derive(Default)]
pub struct Game {
    /// Every setting by its name, as it came.
    pub settings: HashMap<String, String>,
    pub me: String,
    pub players: Vec<String>,
    /// The units that a cell earns in a round, by its kind.
    pub income: HashMap<String, i32>,
    /// From 1.
    pub round: i32,
    /// Your time bank for this request, in milliseconds.
    pub time_bank: i32,
    /// All cells, by their number.
    pub cells: Vec<Cell>,
    pub opponent_moves: Vec<Move>,
    pub dropped: Vec<Dropped>,
    /// Your standing orders: where each cell sends all its units in every round.
    pub standing: HashMap<usize, usize>,
    /// Your position, once the match is over for you.
    pub rank: i32,
}

impl Game {
    /// Your cells, ascending.
    pub fn mine(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| cell.owner == self.me)
    }

    /// The neighbours of `cell` that are not yours.
    pub fn foreign<'a>(&'a self, cell: &'a Cell) -> impl Iterator<Item = &'a Cell> {
        cell.neighbours.iter().map(|&id| &self.cells[id]).filter(|other| other.owner != self.me)
    }

    fn hear(&mut self, words: &[&str]) {
        match words {
            ["settings", key, values @ ..] => self.set(key, values),
            ["setup_map", "cells", rest @ ..] => {
                for four in rest.chunks_exact(4) {
                    let (q, r, kind) = (number(four[1]), number(four[2]), four[3].to_string());
                    self.cells.push(Cell { id: index(four[0]), q, r, kind, ..Cell::default() });
                }
            }
            ["setup_map", "neighbors", rest @ ..] => {
                for pair in rest.chunks_exact(2) {
                    for other in pair[1].split(',').map(index) {
                        self.cells[index(pair[0])].neighbours.push(other); // each link is told once
                        self.cells[other].neighbours.push(index(pair[0]));
                    }
                }
            }
            ["round", round] => self.round = number(round),
            ["update_map", rest @ ..] => {
                for triple in rest.chunks_exact(3) {
                    self.see(index(triple[0]), triple[1], number(triple[2]));
                }
            }
            ["opponent_moves", rest @ ..] => {
                self.opponent_moves = rest.chunks_exact(5).map(read_move).collect();
            }
            ["result", order, _, why] => {
                self.dropped.push(Dropped { number: number(order), why: why.to_string() });
            }
            ["game_over", rank, ..] => self.rank = number(rank),
            _ => {}
        }
    }

    fn set(&mut self, key: &str, values: &[&str]) {
        self.settings.insert(key.to_string(), values.join(" "));
        match key {
            "your_bot" => self.me = values[0].to_string(),
            "players" => self.players = values.iter().map(|name| name.to_string()).collect(),
            "income" => {
                for (kind, value) in ["normal", "bronze", "silver", "gold"].iter().zip(values) {
                    self.income.insert(kind.to_string(), number(value));
                }
            }
            _ => {}
        }
    }

    fn see(&mut self, id: usize, owner: &str, units: i32) {
        self.cells[id].owner = owner.to_string();
        self.cells[id].units = units;
        if owner != self.me {
            self.standing.remove(&id); // a standing order ends with the loss of its cell
        }
    }
}

/// The orders of one round, in the order in which you give them.
#[derive(Default)]
pub struct Orders {
    lines: Vec<String>,
    standing: Vec<(usize, Option<usize>)>,
}

impl Orders {
    /// Send units to a neighbour, in this round.
    pub fn send(&mut self, source: &Cell, target: &Cell, units: i32) {
        self.lines.push(format!("move {} {} {units}", source.id, target.id));
    }

    /// From now on, send what is left in `source` to a neighbour in every round.
    pub fn automate(&mut self, source: &Cell, target: &Cell) {
        self.standing.push((source.id, Some(target.id)));
        self.lines.push(format!("auto {} {}", source.id, target.id));
    }

    /// End the standing order of `source`.
    pub fn stop(&mut self, source: &Cell) {
        self.standing.push((source.id, None));
        self.lines.push(format!("stop {}", source.id));
    }

    /// Leave the match.
    pub fn surrender(&mut self) {
        self.lines.push("surrender".to_string());
    }
}

/// What your bot answers.
pub trait Bot {
    /// Give the orders of this round.
    fn act(&mut self, game: &Game, orders: &mut Orders);
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
        let mut orders = Orders::default();
        bot.act(&game, &mut orders);
        game.dropped.clear();
        for (source, target) in orders.standing {
            match target {
                Some(target) => game.standing.insert(source, target),
                None => game.standing.remove(&source),
            };
        }
        let text = orders.lines.join(", ");
        println!("{}", if text.is_empty() { "No moves" } else { &text }); // a line's end flushes
    }
}

fn read_move(five: &[&str]) -> Move {
    Move { player: five[0].to_string(), source: index(five[2]), target: index(five[3]), units: number(five[4]) }
}

fn number(word: &str) -> i32 {
    word.parse().unwrap_or(0)
}

fn index(word: &str) -> usize {
    word.parse().unwrap_or(0)
}
