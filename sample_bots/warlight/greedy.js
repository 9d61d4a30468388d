// greedy.js - a Warlight bot for Node.js, no packages: the merchant who buys regions.
//
// Strategy: every attack that is possible this turn is an offer. Its price is the number of new
// armies it still needs, its gain is what the region brings: a share of the bonus of its super
// region, all of it for the last region, and more for breaking a bonus of the opponent. Buy the
// offer with the best gain per army again and again until the money is gone. It looks neither
// ahead nor back and never defends: cheap, quick, and often surprisingly good.
'use strict';
let me = 'player1';
let income = 5;
const bonus = new Map(); // super region -> bonus
const home = new Map(); // region -> its super region
const near = new Map(); // region -> the regions beside it
let owner = new Map(); // region in sight -> player1, player2 or neutral
let armies = new Map();
let attacks = []; // decided when the armies are placed, sent when the moves are asked

/** Calls `use` with each group of `size` numbers or words of a list. */
function groups(words, size, use) {
  for (let i = 0; i + size <= words.length; i += size) use(...words.slice(i, i + size));
}

/** How many attackers are enough against so many defenders, nearly whatever the dice say. */
function enough(defenders) {
  return defenders < 4 ? Math.max(2, 2 * defenders - 1) : Math.ceil(1.75 * defenders) + 1;
}

/** What it would bring to own this foreign region. Regions out of sight count as not ours. */
function gain(region) {
  const id = home.get(region);
  let missing = 0; // armies that stand between us and the bonus
  let theirs = true; // does the opponent own all that we see of it?
  for (const [other, itsId] of home) {
    if (itsId !== id) continue;
    if (owner.get(other) !== me) missing += armies.get(other) ?? 2;
    if (owner.has(other) && owner.get(other) !== owner.get(region)) theirs = false;
  }
  const share = (bonus.get(id) * armies.get(region)) / missing;
  if (owner.get(region) === 'neutral') return 0.2 + share / Math.sqrt(missing);
  return 1 + share + (theirs ? bonus.get(id) : 0);
}

/** Spends the income; returns region -> armies to place, and fills `attacks`. */
function shop() {
  const mine = [...near.keys()].filter((region) => owner.get(region) === me);
  const free = new Map(mine.map((region) => [region, armies.get(region) - 1]));
  const placed = new Map();
  const place = (region, count) => {
    if (count > 0) placed.set(region, (placed.get(region) ?? 0) + count);
    free.set(region, free.get(region) + count);
    income -= count;
  };

  let offers = [];
  for (const from of mine) {
    for (const to of near.get(from)) {
      if (owner.get(to) === me) continue;
      offers.push({ from, to, size: enough(armies.get(to)), gain: gain(to) });
    }
  }
  const border = new Set(offers.map((offer) => offer.from));
  const dream = offers.reduce((a, b) => (a && a.gain / a.size >= b.gain / b.size ? a : b), null);

  attacks = [];
  for (;;) {
    let best = null;
    for (const offer of offers) {
      offer.price = Math.max(0, offer.size - free.get(offer.from));
      offer.rate = offer.gain / (offer.price + 0.4 * offer.size);
      if (offer.price <= income && (!best || offer.rate > best.rate)) best = offer;
    }
    if (!best) break;
    place(best.from, best.price);
    free.set(best.from, free.get(best.from) - best.size);
    attacks.push(best);
    offers = offers.filter((offer) => offer.to !== best.to);
  }
  if (dream && income > 0) place(dream.from, income); // too little for any offer: save it up

  // What stays idle: join the last attack from here, or walk towards the border.
  const walk = distances(border);
  for (const from of mine) {
    const size = free.get(from);
    if (size < 1) continue;
    const attack = attacks.findLast((other) => other.from === from);
    if (attack) attack.size += size;
    else if (!border.has(from)) {
      const to = near.get(from).reduce((a, b) => (walk.get(a) <= walk.get(b) ? a : b));
      attacks.push({ from, to, size });
    }
  }
  return placed;
}

/** Steps from our inner regions to the nearest border region (a breadth-first search). */
function distances(border) {
  const steps = new Map([...border].map((region) => [region, 0]));
  for (const region of steps.keys()) { // a Map also walks through what is added on the way
    for (const other of near.get(region)) {
      if (owner.get(other) === me && !steps.has(other)) steps.set(other, steps.get(region) + 1);
    }
  }
  return steps;
}

/** Reads one line; returns the answer, or nothing when none is wanted. */
function hear(line) {
  const words = line.trim().split(/\s+/);
  const rest = words.slice(2);
  const numbers = rest.map(Number);
  switch (words.slice(0, words[0] === 'update_map' ? 1 : 2).join(' ')) {
    case 'settings your_bot': me = words[2]; break;
    case 'settings starting_armies': income = numbers[0]; break;
    case 'setup_map super_regions': groups(numbers, 2, (id, gold) => bonus.set(id, gold)); break;
    case 'setup_map regions':
      groups(numbers, 2, (region, id) => { home.set(region, id); near.set(region, []); });
      break;
    case 'setup_map neighbors':
      groups(rest, 2, (region, others) => others.split(',').forEach((other) => {
        near.get(+region).push(+other);
        near.get(+other).push(+region);
      }));
      break;
    case 'update_map':
      owner = new Map();
      armies = new Map();
      groups(words.slice(1), 3, (region, who, count) => {
        owner.set(+region, who);
        armies.set(+region, +count);
      });
      break;
    case 'go place_armies':
      return [...shop()].map(([to, n]) => `${me} place_armies ${to} ${n}`).join(', ') || 'No moves';
    case 'go attack/transfer':
      return attacks.map((a) => `${me} attack/transfer ${a.from} ${a.to} ${a.size}`).join(', ')
        || 'No moves';
    default:
      if (words[0] === 'pick_starting_region') {
        armies = new Map([...home.keys()].map((region) => [region, 2]));
        return String(numbers.reduce((a, b) => (gain(a) >= gain(b) ? a : b)));
      }
  }
  return undefined;
}

require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const answer = hear(line);
  if (answer) process.stdout.write(`${answer}\n`);
});
