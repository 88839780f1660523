/**
 * Haloes as spheres of given mean density about the densest places of a periodic box (Lacey & Cole 1994, MNRAS 271, 676).
 *
 *   density of a particle    mass of the k nearest, itself among them, over their sphere; k: members of the smallest halo
 *   centre                   the densest particle that isn't within a halo yet
 *   radius R                 where the mean density within falls below the threshold, going outwards from the k nearest
 *
 * until no particle is left whose k nearest are as dense. A particle belongs to one halo: from the heaviest on, each has
 * its radius again without the particles of those before, and isn't listed where its centre is among them. Thresholds
 * other than the first have their radii about the same centres. Float64 on the host, in the order of the particles: a
 * function of positions, velocities and masses alone.
 */
import { bisector } from "d3-array";
import { ParticleTree } from "../../physics/particles/particle-tree.ts";

/** Particles with mass, in the order of their ids; lengths are comoving. */
export interface OverdensityParticles {
  /** [N] */
  ids: Uint32Array;
  /** [3N, xyzxyz…] from 0 to below the box's side [length]. */
  positions: Float64Array;
  /** [3N, xyzxyz…] peculiar [velocity]. */
  velocities: Float32Array | Float64Array;
  /** [N] [mass] */
  masses: Float64Array;
}

export interface OverdensitySearch {
  /** [length] */
  boxSize: number;
  /** Mean densities within the radii, that of haloes first [mass/length³]. */
  densities: readonly number[];
  /** Members of the smallest halo, k. */
  minimumMembers: number;
  /** Below it forces are softened [length]. */
  resolution: number;
  scaleFactor: number;
  /** H(a) [velocity/physical length] */
  hubble: number;
  /** [length velocity²/mass] */
  G: number;
}

type Vector = [number, number, number];

/** A halo; sums are over the particles within the first radius. */
export interface SphericalHalo {
  /** Id of the particle at its centre. */
  centre: number;
  /** Of that particle, box coordinates [length]. */
  position: Vector;
  /** Mean by mass [velocity]. */
  velocity: Vector;
  /** By density of the search [mass], [length]. */
  masses: number[];
  radii: number[];
  /** Ids of the particles within, the most bound first. */
  members: Uint32Array<ArrayBuffer>;
  /** √(Σ m |v − v̄|²/M) in three dimensions [velocity]. */
  dispersion: number;
  /** Largest √(GM(<r)/r), r physical, of radii that hold at least k particles, and its comoving radius [velocity], [length]. */
  vMax: number;
  rMax: number;
  /** λ′ = J/(√2 M V R), V = √(GM/R) (Bullock et al. 2001, ApJ 555, 240, eq 5). */
  spin: number;
  /** R/rs of an NFW profile; no number where too few particles are beyond `resolution`, or none fits best. */
  concentration: number;
  /** Axis ratios b/a, c/a: roots of the eigenvalues of Σ m xx/r² (Gerhard 1983; Allgood et al. 2006, eq 4). */
  ratios: [number, number];
}

/** Heaviest first. */
export function sphericalHaloes(particles: OverdensityParticles, search: OverdensitySearch): SphericalHalo[] {
  const about = { particles, search };
  return sharedOut(spheresIn(about), about).map((sphere) => haloOf(sphere, about));
}

interface About {
  particles: OverdensityParticles;
  search: OverdensitySearch;
}

/** Particles about a centre by distance: their places in the arrays, r² and, to each of them, M(≤ r). */
interface Sphere {
  places: Uint32Array;
  squares: Float64Array;
  within: Float64Array;
  /** Particles within the first radius. */
  count: number;
  masses: number[];
  radii: number[];
}

/** Spheres of all particles about the densest places, none about a place within another. */
function spheresIn({ particles, search }: About): Sphere[] {
  const tree = new ParticleTree(particles.positions, search.boxSize);
  const within = new Uint8Array(particles.ids.length);
  const spheres: Sphere[] = [];
  for (const { place, square } of densePlaces(tree, particles, search)) {
    if (within[place]) continue;
    const sphere = sphereAbout(place, square, tree, { particles, search });
    for (const one of sphere.places.subarray(0, sphere.count)) within[one] = 1;
    spheres.push(sphere);
  }
  return spheres;
}

const byMass = bisector(
  (a: Sphere, b: Sphere) => a.masses[0] - b.masses[0] || b.places[0] - a.places[0], // the last is the heaviest
);

/** The spheres from the heaviest on, each without the particles of those before; their radii only shrink by it. */
function sharedOut(spheres: Sphere[], about: About): Sphere[] {
  const waiting: Sphere[] = [];
  const wait = (sphere: Sphere) => waiting.splice(byMass.left(waiting, sphere), 0, sphere);
  for (const sphere of spheres) wait(sphere);
  const taken = new Uint8Array(about.particles.ids.length);
  const haloes: Sphere[] = [];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (taken[next.places[0]]) continue;
    const isFree = (_: unknown, n: number) => taken[next!.places[n]] === 0;
    const places = next.places.filter(isFree);
    const left = places.length < next.places.length ? sphereOf(places, next.squares.filter(isFree), about) : next;
    if (left.count < about.search.minimumMembers) continue;
    if (left.masses[0] < next.masses[0]) wait(left);
    else {
      for (const one of left.places.subarray(0, left.count)) taken[one] = 1;
      haloes.push(left);
    }
  }
  return haloes;
}

/** Particles whose k nearest have the density of a halo, the densest first, with the square of the k-th one's distance. */
function densePlaces(tree: ParticleTree, { positions, masses }: OverdensityParticles, search: OverdensitySearch) {
  const { densities, minimumMembers: k } = search;
  const volume = (mass: number) => mass / ((4 / 3) * Math.PI * densities[0]);
  const heaviest = masses.reduce((most, mass) => Math.max(most, mass), 0);
  const widest = Math.cbrt(volume(k * heaviest)) ** 2 * (1 + 1e-12);
  const [slots, squares] = [new Uint32Array(k), new Float64Array(k)];
  const found: { place: number; square: number; density: number }[] = [];
  for (const place of tree.order) {
    if (tree.nearest(positions.subarray(3 * place, 3 * place + 3), widest, k, slots, squares) < k) continue;
    const mass = slots.reduce((sum, slot) => sum + masses[tree.order[slot]], 0);
    const square = squares[k - 1];
    if (square * Math.sqrt(square) <= volume(mass)) found.push({ place, square, density: mass / square ** 1.5 });
  }
  return found.sort((a, b) => b.density - a.density || a.place - b.place);
}

function sphereAbout(place: number, first: number, tree: ParticleTree, about: About): Sphere {
  const { positions } = about.particles;
  const centre = positions.subarray(3 * place, 3 * place + 3);
  for (let reach = 2 * Math.sqrt(first); ; reach *= 2) {
    const places: number[] = [];
    const found: number[] = [];
    tree.inside(centre, reach * reach, (square, slot) => {
      places.push(tree.order[slot]);
      found.push(square);
    });
    const order = Uint32Array.from(found.keys()).sort((a, b) => found[a] - found[b] || places[a] - places[b]);
    const sphere = sphereOf(
      order.map((n) => places[n]),
      Float64Array.from(order, (n) => found[n]),
      about,
    );
    if (reach >= about.search.boxSize / 2 || sphere.radii.every((radius) => radius < reach)) return sphere;
  }
}

function sphereOf(places: Uint32Array, squares: Float64Array, { particles, search }: About): Sphere {
  let sum = 0;
  const within = Float64Array.from(places, (one) => {
    sum += particles.masses[one];
    return sum;
  });
  const crossed = search.densities.map((density) => crossing(squares, within, density, search.minimumMembers));
  const most = Math.max(...crossed.map(({ count }) => count));
  return {
    ...{ places: places.slice(0, most), squares: squares.slice(0, most), within: within.slice(0, most) },
    count: crossed[0].count,
    masses: crossed.map(({ mass }) => mass),
    radii: crossed.map(({ radius }) => radius),
  };
}

/**
 * Where the mean density within falls to `density`, going outwards from the sphere of `first` particles; where that one
 * is less dense, the largest in it that isn't.
 */
function crossing(squares: Float64Array, within: Float64Array, density: number, first: number) {
  const radiusOf = (count: number) => Math.cbrt(within[count - 1] / ((4 / 3) * Math.PI * density));
  const holds = (count: number, next: number) => Math.sqrt(squares[next - 1]) <= radiusOf(count);
  let count = Math.min(first, squares.length);
  if (holds(count, count)) while (count < squares.length && holds(count, count + 1)) count++;
  else while (!holds(count, count)) count--;
  return { count, mass: within[count - 1], radius: radiusOf(count) };
}

function haloOf({ count, masses: sphereMasses, radii, ...sphere }: Sphere, about: About): SphericalHalo {
  const { search } = about;
  const places = sphere.places.subarray(0, count);
  const [squares, within] = [sphere.squares, sphere.within].map((all) => all.subarray(0, count));
  const { ids, positions, velocities, masses } = about.particles;
  const { boxSize } = search;
  const total = within[within.length - 1];
  const centre = positions.subarray(3 * places[0], 3 * places[0] + 3);
  const velocity = vector((axis) => places.reduce((sum, i) => sum + masses[i] * velocities[3 * i + axis], 0) / total);
  const offsets = new Float64Array(3 * places.length);
  const motions = new Float64Array(3 * places.length);
  places.forEach((i, n) => {
    for (let axis = 0; axis < 3; axis++) {
      const d = positions[3 * i + axis] - centre[axis];
      offsets[3 * n + axis] = d - boxSize * Math.round(d / boxSize);
      motions[3 * n + axis] = velocities[3 * i + axis] - velocity[axis];
    }
  });
  const own = Float64Array.from(places, (i) => masses[i]);
  const inner: Inner = { squares, within, own, offsets, motions, mass: sphereMasses[0], radius: radii[0] };
  const energies = bindingEnergies(inner, search);
  const order = Array.from(places, (_, n) => n).sort((a, b) => energies[a] - energies[b] || places[a] - places[b]);
  const speeds = own.reduce((sum, mass, n) => sum + mass * squareOf(motions, n), 0);
  return {
    ...{ centre: ids[places[0]], position: vector((axis) => centre[axis]), velocity, masses: sphereMasses, radii },
    members: Uint32Array.from(order, (n) => ids[places[n]]),
    dispersion: Math.sqrt(speeds / total),
    ...circularMaximum(inner, search),
    spin: spinOf(inner, search),
    concentration: concentrationOf(inner, search),
    ratios: axisRatios(inner),
  };
}

/** Particles within the first radius with their masses, [3n, xyzxyz…] from the centre and in the halo's frame. */
interface Inner extends Pick<Sphere, "squares" | "within"> {
  mass: number;
  radius: number;
  own: Float64Array;
  offsets: Float64Array;
  motions: Float64Array;
}

const vector = (of: (axis: number) => number): Vector => [of(0), of(1), of(2)];
const squareOf = (of: Float64Array, n: number) => of[3 * n] ** 2 + of[3 * n + 1] ** 2 + of[3 * n + 2] ** 2;

/** ½ |v − v̄ + H a x|² + φ, φ that of the particles as shells, softened [velocity²]. */
function bindingEnergies({ squares, within, own, offsets, motions }: Inner, search: OverdensitySearch): Float64Array {
  const { G, scaleFactor, hubble, resolution } = search;
  const energies = new Float64Array(own.length);
  let outside = 0;
  for (let n = own.length - 1; n >= 0; n--) {
    const r = Math.sqrt(squares[n] + resolution * resolution);
    const speeds = [0, 1, 2].map((axis) => motions[3 * n + axis] + hubble * scaleFactor * offsets[3 * n + axis]);
    energies[n] = 0.5 * speeds.reduce((sum, v) => sum + v * v, 0) - (G / scaleFactor) * (within[n] / r + outside);
    outside += own[n] / r;
  }
  return energies;
}

function circularMaximum({ squares, within }: Inner, { G, scaleFactor, minimumMembers }: OverdensitySearch) {
  let at = minimumMembers - 1;
  const square = (n: number) => within[n] / Math.sqrt(squares[n]);
  for (let n = at + 1; n < squares.length; n++) if (square(n) > square(at)) at = n;
  return { vMax: Math.sqrt((G / scaleFactor) * square(at)), rMax: Math.sqrt(squares[at]) };
}

function spinOf({ own, offsets: x, motions: v, mass: M, radius: R }: Inner, { G, scaleFactor: a }: OverdensitySearch) {
  const J = vector((axis) => {
    const [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
    return own.reduce(
      (sum, mass, n) => sum + mass * a * (x[3 * n + j] * v[3 * n + k] - x[3 * n + k] * v[3 * n + j]),
      0,
    );
  });
  return Math.hypot(...J) / Math.sqrt(2 * G * M ** 3 * a * R);
}

/** Concentrations among which the most likely one is looked for, by so many bisections in ln c. */
const [LEAST_CONCENTRATION, MOST_CONCENTRATION, BISECTIONS] = [1, 100, 45];

/**
 * The most likely c of radii x = r/R from x₀ = resolution/R to 1 under Navarro, Frenk & White 1997, without bins:
 *   p(x) = c² x/(1 + cx)² / [m(c) − m(cx₀)],   m(y) = ln(1 + y) − y/(1 + y)
 */
function concentrationOf(
  { squares, own, radius: R }: Inner,
  { resolution, minimumMembers }: OverdensitySearch,
): number {
  const first = squares.findIndex((square) => square > resolution * resolution);
  if (first < 0 || squares.length - first < minimumMembers) return Number.NaN;
  const x = squares.subarray(first).map((square) => Math.sqrt(square) / R);
  const weights = own.subarray(first);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const g = (y: number) => y / (1 + y);
  const m = (y: number) => Math.log1p(y) - g(y);
  /** d ln L/d ln c over the number of particles. */
  const slope = (c: number) => {
    const y = (c * resolution) / R;
    const norm = (g(c) ** 2 - g(y) ** 2) / (m(c) - m(y));
    return 2 - norm - x.reduce((sum, one, n) => sum + 2 * weights[n] * g(c * one), 0) / total;
  };
  let [low, high] = [LEAST_CONCENTRATION, MOST_CONCENTRATION];
  if (!(slope(low) > 0 && slope(high) < 0)) return Number.NaN;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = Math.sqrt(low * high);
    if (slope(middle) > 0) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}

/** b/a and c/a from the eigenvalues of the symmetric tensor, in closed form (Smith 1961, CACM 4, 168). */
function axisRatios({ squares, own, offsets }: Inner): [number, number] {
  const moment = (i: number, j: number) =>
    own.reduce(
      (sum, mass, n) => (squares[n] > 0 ? sum + (mass * offsets[3 * n + i] * offsets[3 * n + j]) / squares[n] : sum),
      0,
    );
  const [xx, yy, zz, xy, yz, xz] = [moment(0, 0), moment(1, 1), moment(2, 2), moment(0, 1), moment(1, 2), moment(0, 2)];
  const mean = (xx + yy + zz) / 3;
  const [dx, dy, dz] = [xx - mean, yy - mean, zz - mean];
  const spread = Math.sqrt((dx * dx + dy * dy + dz * dz + 2 * (xy * xy + yz * yz + xz * xz)) / 6);
  if (!(spread > 0)) return [1, 1];
  const determinant = dx * (dy * dz - yz * yz) - xy * (xy * dz - yz * xz) + xz * (xy * yz - dy * xz);
  const angle = Math.acos(Math.max(-1, Math.min(1, determinant / (2 * spread ** 3)))) / 3;
  const [a, c] = [angle, angle + (2 * Math.PI) / 3].map((phase) => mean + 2 * spread * Math.cos(phase));
  const b = 3 * mean - a - c;
  return [Math.sqrt(Math.max(0, b) / a), Math.sqrt(Math.max(0, c) / a)];
}
