// Maps of regions: where they lie when nothing says so, and the areas they are drawn as.
//
// Lengths are in halves of the distance between two regions that touch. Nothing here draws lots: a
// map looks the same whenever and wherever its page is opened.

const LINK = 2; // between neighbours
const TIGHT = 0.85; // of it, inside a super region
const LARGE = 200; // regions from which on a region heeds those near it and a few far ones alone
const PIVOTS = 80; // those few
const NEAR = 3; // links

/** A number from 0 to 1 that looks like chance, for two whole numbers. */
function hash(one, other) {
  let h = Math.imul(one + 1, 0x9e3779b1) ^ Math.imul(other + 7, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 4294967296;
}

// `Math.hypot` takes many times as long
const distance = (one, other) => Math.sqrt((one.x - other.x) ** 2 + (one.y - other.y) ** 2);

/** Points that are whole numbers of a lattice, moved a little, so that a map looks grown.
 *  @param {[number, number][]} lattice @returns {{x: number, y: number}[]} */
arena.loosened = (lattice) =>
  lattice.map(([x, y], i) => ({
    x: x + 0.36 * (hash(i, 1) - 0.5),
    y: y * Math.sqrt(3) + 0.36 * (hash(i, 2) - 0.5),
  }));

// -- where regions lie -----------------------------------------------------------------------

/** The number of links from one region to each other. */
function hops(neighbors, start) {
  const found = new Array(neighbors.length).fill(Infinity);
  found[start] = 0;
  const queue = [start];
  for (let at = 0; at < queue.length; at++)
    for (const other of neighbors[queue[at]])
      if (found[other] === Infinity) {
        found[other] = found[queue[at]] + 1;
        queue.push(other);
      }
  return found;
}

const farthest = (lengths) => lengths.indexOf(Math.max(...lengths));

/** A first guess: distances from two pairs of regions that are far apart. */
function firstPlaces(far) {
  const west = farthest(far[0]);
  const east = farthest(far[west]);
  const aside = far.map((row) => Math.min(row[west], row[east]));
  const north = farthest(aside);
  const south = farthest(far[north].map((d, i) => d + aside[i] / 2));
  return far.map((row, i) => ({
    x: row[west] - row[east] + 0.3 * hash(i, 3),
    y: row[north] - row[south] + 0.3 * hash(i, 4),
  }));
}

/** By region: those whose distance it heeds, all of them on a map that is not large. */
function heeded(far) {
  const step = far.length < LARGE ? 1 : far.length / PIVOTS;
  const isPivot = far.map(() => false);
  for (let at = 0; at < far.length; at += step) isPivot[Math.floor(at)] = true;
  const all = [...far.keys()];
  return far.map((row, i) => all.filter((j) => j !== i && (isPivot[j] || row[j] <= NEAR)));
}

/** Move each region to where the others want it: as far from each as there are links between. */
function relax(places, far, heed, groups) {
  places.forEach((place, i) => {
    let x = 0;
    let y = 0;
    let sum = 0;
    for (const j of heed[i]) {
      const other = places[j];
      const wanted = LINK * far[i][j] * (groups[i] === groups[j] ? TIGHT : 1);
      const weight = 1 / (wanted * wanted);
      const factor = wanted / (distance(place, other) || 0.01);
      x += weight * (other.x + factor * (place.x - other.x));
      y += weight * (other.y + factor * (place.y - other.y));
      sum += weight;
    }
    place.x = x / sum;
    place.y = y / sum;
  });
}

const turn = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
const crosses = (a, b, c, d) =>
  turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;

/** How many links cross those of one region, and how crowded it is. */
function trouble(places, links, neighbors, region) {
  let count = 0;
  for (const other of neighbors[region])
    for (const [one, two] of links)
      if (one !== region && two !== region && one !== other && two !== other)
        count += crosses(places[region], places[other], places[one], places[two]);
  const crowd = places.some((p, i) => i !== region && distance(p, places[region]) < 0.8 * LINK);
  return count + (crowd ? 0.5 : 0);
}

/** Places that may be better for a region: between its neighbours, and beyond each of them. */
function otherPlaces(places, neighbors, region) {
  const near = neighbors[region].map((other) => places[other]);
  const middle = {
    x: near.reduce((sum, p) => sum + p.x, 0) / near.length,
    y: near.reduce((sum, p) => sum + p.y, 0) / near.length,
  };
  const around = [0, 1, 2, 3, 4, 5].map((i) => ({
    x: middle.x + LINK * Math.cos((i * Math.PI) / 3),
    y: middle.y + LINK * Math.sin((i * Math.PI) / 3),
  }));
  return [middle, ...around];
}

/** Move regions whose links cross others to where they cross fewer. */
function untangle(places, neighbors) {
  const links = neighbors.flatMap((near, i) => near.filter((j) => j > i).map((j) => [i, j]));
  places.forEach((place, region) => {
    let best = trouble(places, links, neighbors, region);
    if (best < 1) return;
    for (const candidate of otherPlaces(places, neighbors, region)) {
      const { x, y } = place;
      Object.assign(place, candidate);
      const now = trouble(places, links, neighbors, region);
      if (now < best) best = now;
      else Object.assign(place, { x, y });
    }
  });
}

/** Push apart what lies too close for a number. */
function unsqueeze(places) {
  const least = 0.85 * LINK;
  places.forEach((one, i) => {
    for (let j = i + 1; j < places.length; j++) {
      const other = places[j];
      if (Math.abs(one.x - other.x) >= least || Math.abs(one.y - other.y) >= least) continue;
      const gap = distance(one, other) || 0.01;
      if (gap < least) part(one, other, (least - gap) / 2 / gap);
    }
  });
}

function part(one, other, push) {
  const [x, y] = [push * (one.x - other.x), push * (one.y - other.y)];
  Object.assign(one, { x: one.x + x, y: one.y + y });
  Object.assign(other, { x: other.x - x, y: other.y - y });
}

/** Turn a map so that it is as wide as can be. */
function flatten(places) {
  const mean = (value) => places.reduce((sum, p) => sum + value(p), 0) / places.length;
  const [x, y] = [mean((p) => p.x), mean((p) => p.y)];
  const xy = mean((p) => (p.x - x) * (p.y - y));
  const angle =
    -Math.atan2(
      2 * xy,
      mean((p) => (p.x - x) ** 2 - (p.y - y) ** 2),
    ) / 2;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  return places.map((p) => ({
    x: (p.x - x) * cos - (p.y - y) * sin,
    y: (p.x - x) * sin + (p.y - y) * cos,
  }));
}

/** Places for regions of which only the links are known.
 *  @param {number[][]} neighbors of each region, by index
 *  @param {number[]} groups the super region of each: they are kept together
 *  @returns {{x: number, y: number}[]} */
arena.spread = (neighbors, groups) => {
  const far = neighbors.map((_, i) => hops(neighbors, i));
  const places = firstPlaces(far);
  const heed = heeded(far);
  const large = places.length >= LARGE;
  for (let i = 0; i < (large ? 30 : 60); i++) relax(places, far, heed, groups);
  for (let i = 0; i < (large ? 0 : 3); i++) untangle(places, neighbors);
  for (let i = 0; i < 20; i++) unsqueeze(places);
  return flatten(places);
};

// -- areas -----------------------------------------------------------------------------------

const REACH = 8; // how far the regions are apart at most whose areas can touch

/** Points by the squares they lie in. */
class Squares {
  constructor(points) {
    this.found = new Map();
    points.forEach((point, i) => {
      const key = this.key(point, 0, 0);
      if (!this.found.has(key)) this.found.set(key, []);
      this.found.get(key).push(i);
    });
  }

  key({ x, y }, right, down) {
    return (Math.floor(x / REACH) + right) * 4096 + Math.floor(y / REACH) + down;
  }

  /** The indices of all points within reach of one, and of some others. */
  around(point) {
    const near = [];
    for (const right of [-1, 0, 1])
      for (const down of [-1, 0, 1]) near.push(...(this.found.get(this.key(point, right, down)) || []));
    return near;
  }
}

/** Points of the sea: a lattice around and between the regions, where there is room. */
function sea(points) {
  const squares = new Squares(points);
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const step = Math.sqrt(3);
  const found = [];
  const bottom = Math.ceil(Math.max(...ys) / step) + 2;
  for (let row = Math.floor(Math.min(...ys) / step) - 2; row <= bottom; row++) {
    const left = 2 * Math.floor((Math.min(...xs) - 4) / 2) + (row & 1);
    for (let x = left; x <= Math.max(...xs) + 4; x += 2) {
      const point = { x: x + 0.5 * (hash(x, row) - 0.5), y: row * step };
      if (squares.around(point).every((i) => distance(points[i], point) > 1.45)) found.push(point);
    }
  }
  return found;
}

/** What is left of a polygon on this side of the middle between its point and another. Each corner
 *  knows which point is beyond the side that begins there. */
function cut(corners, point, other, beyond) {
  const [mx, my] = [(point.x + other.x) / 2, (point.y + other.y) / 2];
  const outside = (p) => (p.x - mx) * (other.x - point.x) + (p.y - my) * (other.y - point.y);
  const left = [];
  corners.forEach((p, i) => {
    const q = corners[(i + 1) % corners.length];
    const [dp, dq] = [outside(p), outside(q)];
    if (dp <= 0) left.push(p);
    if (dp <= 0 === dq <= 0) return;
    const at = dp / (dp - dq);
    const [x, y] = [arena.lerp(p.x, q.x, at), arena.lerp(p.y, q.y, at)];
    left.push({ x, y, beyond: dp <= 0 ? beyond : p.beyond });
  });
  return left;
}

/** The corners of the area of one point among all. */
function cell(points, squares, index) {
  const { x, y } = points[index];
  const start = [
    [-4, -4],
    [4, -4],
    [4, 4],
    [-4, 4],
  ];
  let corners = start.map(([dx, dy]) => ({ x: x + dx, y: y + dy, beyond: -1 }));
  const others = squares
    .around(points[index])
    .map((i) => [distance(points[index], points[i]), i])
    .filter(([gap, i]) => i !== index && gap < REACH)
    .sort(([one], [other]) => one - other);
  for (const [gap, i] of others) {
    if (corners.every((corner) => 2 * distance(corner, points[index]) < gap)) break;
    corners = cut(corners, points[index], points[i], i);
  }
  return corners;
}

/** A border that has grown: the points on the way from one corner to the next, without the last. */
function border(from, to, one, other) {
  if (one > other) return [from, ...border(to, from, other, one).slice(1).reverse()];
  const bend = (p, q, key) => {
    const off = 0.26 * (hash(one * 31 + key, other) - 0.5);
    return { x: (p.x + q.x) / 2 - (q.y - p.y) * off, y: (p.y + q.y) / 2 + (q.x - p.x) * off };
  };
  const middle = bend(from, to, 0);
  return [from, bend(from, middle, 1), middle, bend(middle, to, 2)];
}

/** The areas of points: for each its sides, in a ring.
 *  @param {{x: number, y: number}[]} points
 *  @returns {{other: number, length: number, points: {x: number, y: number}[]}[][]} for each point,
 *    who is beyond a side (-1: the sea), how long it is, and its points, up to the next side */
arena.areas = (points) => {
  const all = [...points, ...sea(points)];
  const squares = new Squares(all);
  return points.map((_, index) => {
    const corners = cell(all, squares, index);
    return corners.map((from, i) => {
      const to = corners[(i + 1) % corners.length];
      const beyond = from.beyond < 0 ? all.length : from.beyond;
      const other = beyond < points.length ? beyond : -1;
      return { other, length: distance(from, to), points: border(from, to, index, beyond) };
    });
  });
};

/** A line through points as an SVG path. */
arena.line = (points) =>
  "M" + points.map(({ x, y }) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L");
