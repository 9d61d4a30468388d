// strong.js - a TNCC bot for Node.js, no packages: the miser who strikes with everything.
//
// Strategy: soldiers make nothing and eat twice what a citizen makes, and only gold decides who may
// go to war. So stay a nation of citizens and save. Everybody's recruiting is public and happens a
// whole turn before it can hurt, so a guard is raised only when somebody with gold for a war has
// soldiers, and only as large as it takes to bring nobody of them home. When there is gold for a
// campaign, call up nearly everybody, attack every cycle as long as the gold lasts, always with all
// soldiers on one flank, and send them back to work. The victim is the country that needs the
// fewest wars to lose its last land or its last citizen.
'use strict';

const KINDS = ['gold', 'food', 'population', 'military', 'land'];
const set = {}; // the settings, by key: a list of what stood behind it
let me = '';
let round = 0;
let countries = new Map(); // everybody who lives, by name

/** The setting of that name as a number. */
const number = (key) => Number(set[key][0]);

/** Attackers, all on one flank, whom each defender costs if the defenders stand on three alike: a
 *  third of them meet in wave one, with the advantage; the others kill one each in wave two. */
const toll = () => (number('wave1_advantage') + 2) / 3;

/** Soldiers who come home from an attack on `victim`, if it defends all three flanks alike. */
const survivors = (soldiers, victim) => Math.floor(soldiers - toll() * victim.military);

/** How many wars like this one it takes until the victim has no land or no citizens. */
function warsNeeded(count, victim) {
  const [, , people, , land] = set.steal.map((rate) => Math.floor(count * Number(rate)));
  return Math.ceil(Math.min(victim.land / land, victim.population / people));
}

/** The living others, and whether they can pay a war before our next turn. */
function others() {
  const list = [...countries].filter(([name]) => name !== me);
  return list.map(([name, country]) => {
    const gold = country.gold + Math.max(0, number('population_gold') * country.population);
    return { name, ...country, rich: gold >= number('gold_for_war') };
  });
}

/** The soldiers that keep every attacker who can pay from bringing anybody home. */
function guard(own) {
  const armies = others().filter((other) => other.rich).map((other) => other.military);
  return Math.min(Math.ceil(Math.max(0, ...armies) / toll()), own.military + own.population - 1);
}

/** The best victim for so many soldiers: { victim, wars, home }, or nothing. */
function pick(soldiers) {
  let best;
  for (const victim of others()) {
    const home = survivors(soldiers, victim);
    if (home < soldiers / 3) continue;
    const wars = warsNeeded(home, victim);
    if (!best || wars < best.wars) best = { victim, wars, home };
  }
  return best;
}

/** Whether there is gold and food to call up everybody for a campaign. */
function canAfford(own, campaign, army) {
  const price = number('gold_for_war');
  const loot = Math.min(campaign.home * Number(set.steal[0]), campaign.victim.gold);
  const wars = Math.min(campaign.wars, 3);
  const gold = price + (wars - 1) * Math.max(0, price - loot) + army * number('army_gold');
  return own.gold >= gold && own.food >= 3 * army * number('army_food');
}

/** All soldiers on one flank, another one each cycle. */
function oneFlank(soldiers) {
  return [0, 1, 2].map((flank) => (flank === round % 3 ? soldiers : 0)).join(' ');
}

function action() {
  const own = countries.get(me);
  const price = number('gold_for_war');
  const everybody = own.population + own.military;
  const army = Math.floor(everybody * 0.95);
  const now = pick(own.military);
  if (own.gold >= price && now && (now.wars === 1 || own.military >= everybody * 0.6)) {
    return `war ${now.victim.name} ${oneFlank(own.military)}`;
  }
  const campaign = pick(army);
  const wanted = campaign && canAfford(own, campaign, army) ? army : guard(own);
  const change = Math.max(wanted - own.military, -own.military);
  return change > 0 || -change > everybody / 100 ? `recruit ${change}` : 'wait';
}

/** Yes to presents that do no harm; gold for food at twice its price; no to all else. */
function trade([, give, amount, take, price]) {
  const own = countries.get(me);
  const safe = give === 'gold' || give === 'food' || give === 'land';
  if (safe && price === '0') return 'yes';
  const sold = give === 'gold' && take === 'food' && Number(amount) >= 2 * Number(price);
  return sold && Number(price) <= own.food / 2 ? 'yes' : 'no';
}

/** All soldiers on three flanks alike. */
function defence() {
  const { military } = countries.get(me);
  return [0, 1, 2].map((more) => Math.floor((military + more) / 3)).join(' ');
}

/** Reads one line; returns the answer, or nothing when none is wanted. */
function hear(line) {
  const words = line.trim().split(/\s+/);
  if (words[0] === 'settings') set[words[1]] = words.slice(2);
  if (words[0] === 'settings' && words[1] === 'your_bot') [, , me] = words;
  if (words[0] === 'round') round = Number(words[1]);
  if (words[0] === 'update_map') {
    countries = new Map();
    for (let i = 1; i + 7 <= words.length; i += 7) {
      const values = KINDS.map((kind, k) => [kind, Number(words[i + 1 + k])]);
      if (words[i + 6] === 'alive') countries.set(words[i], Object.fromEntries(values));
    }
  }
  switch (words.slice(0, 2).join(' ')) {
    case 'go action': return action();
    case 'go trade': return trade(words.slice(3));
    case 'go war': return defence();
    default: return undefined;
  }
}

require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const answer = hear(line);
  if (answer !== undefined) process.stdout.write(`${answer}\n`);
});
