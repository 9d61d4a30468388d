// strong.js - a Toroid Wars bot for Node.js, no packages: count, wait, strike with all you have.
//
// Strategy: n attackers beat d defenders in n of n + d cases, and on average both sides lose the
// same. What an attack wins on top is the country, so it pays to attack weak countries with many
// units, and to be no such country oneself. The bot
// * keeps a guess of the units in every foreign country it has seen: neutrals stand still, players
//   build, and whoever attacks is weak afterwards. It never spends an action on scouting;
// * attacks when it clearly outnumbers that guess;
// * keeps enough at home to stand an enemy on the other side;
// * sends the units of inner countries to the nearest border, and builds everywhere else;
// * takes whatever it can in the last game turns, when units are worth nothing any more.
// It is made for the usual die; where attackers always win (die=none), it waits too long.
'use strict';

const AGAINST_PLAYERS = 1.3; // attack with this many units for each of theirs, and one more
const AGAINST_NEUTRALS = 1.5;
const LEAST = 4; // units in a country before it attacks
const LOAD = 4; // units that are worth a transfer
const GROWTH = 0.6; // units that a player's country gains in a game turn, as far as we know
const LAST_TURNS = 2;

const settings = {}; // every `settings KEY VALUE`
let ring = 0; // number of countries
let round = 0;
let own = new Map(); // my countries -> units
let owner = new Map(); // countries in sight -> name
const guesses = new Map(); // foreign countries -> { name, units, round }

const limit = (key) => Number(settings[key]);
const beside = (country, step) => (country + step + ring) % ring; // steps of up to a ring
const isNeutral = (name) => name.startsWith('neutral');

/** Calls `use` with each group of `size` words. */
function groups(words, size, use) {
  for (let i = 0; i + size <= words.length; i += size) use(...words.slice(i, i + size));
}

/** How many units we believe to be in a foreign country. */
function guess(country) {
  const { name, units, round: then } = guesses.get(country);
  if (isNeutral(name)) return units;
  return Math.min(limit('max_resident_units'), units + GROWTH * (round - then));
}

function believe(country, name, units) {
  guesses.set(country, { name, units: Math.max(1, units), round });
}

/** What we believe of a country that we see for the first time, or under a new owner. */
function firstGuess(name) {
  if (isNeutral(name)) return (limit('neutral_units_min') + limit('neutral_units_max')) / 2;
  return limit('start_units') + (round - 1) / 3;
}

/** "2 player1 6 1 neutral4 -1": country, owner, units or -1. */
function look(words) {
  own = new Map();
  owner = new Map();
  groups(words, 3, (id, name, count) => {
    const [country, units] = [Number(id), Number(count)];
    owner.set(country, name);
    if (name === settings.your_bot) own.set(country, units);
    else if (units >= 0) believe(country, name, units);
    else if (guesses.get(country)?.name !== name) believe(country, name, firstGuess(name));
  });
}

/** "player2 attack 7 8 3 defeat player3 transfer 4 5 2": what others did to us. */
function listen(words) {
  while (words.length) {
    const [name, what, from, to, count, result] = words.splice(0, words[1] === 'attack' ? 6 : 5);
    const [source, target, sent] = [Number(from), Number(to), Number(count)];
    if (what !== 'attack') continue;
    if (guesses.get(source)?.name === name) {
      const before = guess(source);
      believe(source, name, result === 'victory' ? Math.max(before, sent + 1) : before - sent);
    }
    if (result === 'conquer' && owner.get(target) === name) believe(target, name, sent);
  }
}

/** "2 attack left 3 victory": what came of our own action. Only a victory tells something new. */
function learn([id, what, side, count, result]) {
  if (what !== 'attack' || result !== 'victory') return;
  const target = beside(Number(id), side === 'left' ? -1 : 1);
  believe(target, owner.get(target), guess(target) - Number(count));
}

/** The best attack of a country on its foreign neighbours, or undefined. */
function attack(country, foreign) {
  const late = limit('max_game_turns') - round < LAST_TURNS;
  let best;
  for (const { side, target } of foreign) {
    const theirs = guess(target);
    const player = !isNeutral(owner.get(target));
    const need = player ? AGAINST_PLAYERS * theirs + 1 : AGAINST_NEUTRALS * theirs;
    const free = own.get(country) - 1;
    // Someone else may come from the other side: leave as many as he has, if that still suffices.
    const rival = foreign.find((other) => other.target !== target && !isNeutral(owner.get(other.target)));
    const kept = rival ? free + 1 - Math.ceil(guess(rival.target)) : free;
    const count = Math.min(limit('max_attack_units'), kept >= need ? kept : free);
    if (count < 1 || (late ? count < theirs : count < need || free + 1 < LEAST)) continue;
    const value = (count / (count + theirs)) * (player ? 1.5 : 1);
    if (kept < need && value < 0.9 && !late) continue;
    if (!best || value > best.value) best = { value, order: `attack ${side} ${count}` };
  }
  return best?.order;
}

/** Sends the units of an inner country to the nearest border, or returns undefined. */
function supply(country) {
  for (let k = 1; k < ring; k++) {
    for (const [side, step] of [['right', 1], ['left', -1]]) {
      if (own.has(beside(country, k * step))) continue;
      const room = limit('max_resident_units') - own.get(beside(country, step));
      const count = Math.min(own.get(country) - 1, limit('max_transfer_units'), room);
      return count >= LOAD ? `transfer ${side} ${count}` : undefined;
    }
  }
  return undefined;
}

/** What a country does. */
function act(country) {
  const sides = [['left', beside(country, -1)], ['right', beside(country, 1)]];
  const foreign = sides.filter(([, target]) => !own.has(target)).map(([side, target]) => ({ side, target }));
  const order = foreign.length ? attack(country, foreign) : supply(country);
  if (order) return order;
  if (own.get(country) < limit('max_resident_units')) return 'build';
  if (!foreign.length) return 'No moves';
  // Full: an attack costs nothing but units that have no room anyway.
  const weakest = foreign.reduce((a, b) => (guess(a.target) <= guess(b.target) ? a : b));
  const count = Math.min(own.get(country) - 1, limit('max_attack_units'));
  return count ? `attack ${weakest.side} ${count}` : 'No moves';
}

function hear(line) {
  const [word, ...rest] = line.trim().split(' ');
  if (word === 'settings') settings[rest[0]] = rest[1];
  else if (word === 'setup_map') ring = rest.length - 1;
  else if (word === 'round') round = Number(rest[0]);
  else if (word === 'update_map') look(rest);
  else if (word === 'opponent_moves') listen(rest);
  else if (word === 'result') learn(rest);
  else if (word === 'go') console.log(act(Number(rest[2])));
}

require('readline').createInterface({ input: process.stdin }).on('line', hear);
