/** Catalogue of haloes from sums that the GPU has made, as plain arrays, and their mass function. */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { imageOnAxis, MASS_UNITS } from "../../physics/particles/fixed-point.ts";
import { greatestSum } from "./layout.ts";

/** Groups with enough members, in order of falling mass; of equal masses, rising id. */
export interface HaloCatalogue {
  /** Groups in the catalogue. */
  count: number;
  /** Linking length [length]. */
  linkingLength: number;
  minimumMembers: number;
  /** Side of the box [length]. */
  boxSize: number;
  /** [count] smallest particle id of the group: its label. */
  ids: Uint32Array<ArrayBuffer>;
  /** [count] particles. */
  members: Uint32Array<ArrayBuffer>;
  /** [count] [mass] */
  masses: Float64Array<ArrayBuffer>;
  /** [3·count, xyzxyz…] centre of mass, box coordinates, in the box if that is periodic [length]. */
  positions: Float64Array<ArrayBuffer>;
  /** [3·count, xyzxyz…] mean velocity by mass [velocity]. */
  velocities: Float64Array<ArrayBuffer>;
  /** [count] √(Σ m r²/Σ m) about the centre of mass [length]. */
  rmsRadii: Float64Array<ArrayBuffer>;
  /** [count] greatest distance of a member from the centre of mass [length]. */
  maxRadii: Float64Array<ArrayBuffer>;
  /** [count] √(Σ m |v − v̄|²/3Σ m), along one axis [velocity]. */
  velocityDispersions: Float64Array<ArrayBuffer>;
  /** Groups of all sizes, lone particles included. */
  groupsInAll: number;
  /** Particles in the catalogue's groups. */
  membersInAll: number;
}

/** Words of a group: members and label; reference position and image; sums of 96 bits; greatest and sums of squares. */
export const GROUP_WORDS = 2;
export const REFERENCE_WORDS = 4;
export const SUM_WORDS = 21;
export const CENTRE_WORDS = 8;
export const SPREAD_WORDS = 6;

const TURN = 2 ** 32;
/** One in the fixed point of velocities. */
const VELOCITY_ONE = 2 ** 30;

/** What a group's first sums amount to. */
export interface GroupMotion {
  /** [mass units] */
  mass: number;
  /** Centre of mass from the reference member [L/2^32]. */
  offset: [number, number, number];
  /** Mean velocity [1/velocityScale]. */
  velocity: [number, number, number];
}

/** Mass, centre of mass and velocity from the words of friends-members.wgsl. */
export function groupMotion(sums: Uint32Array, group: number): GroupMotion {
  const value = (quantity: number) => wide(sums, SUM_WORDS * group + 3 * quantity);
  const mass = value(0);
  const mean = (first: number, unit: number): [number, number, number] =>
    mass === 0 ? [0, 0, 0] : ([0, 1, 2].map((axis) => value(first + axis) / (mass * unit)) as [number, number, number]);
  return { mass, offset: mean(1, 1), velocity: mean(4, VELOCITY_ONE) };
}

/** A signed integer of 96 bits, low word first, to float64's precision. */
function wide(words: Uint32Array, at: number): number {
  const [low, middle, high] = words.subarray(at, at + 3);
  if (high < 2 ** 31) return (high * TURN + middle) * TURN + low;
  return -(((TURN - 1 - high) * TURN + (TURN - 1 - middle)) * TURN + (TURN - low));
}

/** Coordinate [L/2^32] of a group's centre of mass, boxes beyond the faces included. */
function centreOnAxis(references: Uint32Array, group: number, { offset }: GroupMotion, axis: number): number {
  const image = imageOnAxis(references[REFERENCE_WORDS * group + 3], axis);
  return references[REFERENCE_WORDS * group + axis] + TURN * image + offset[axis];
}

/** The centres as friends-members.wgsl reads them: position (u32 ×3, packed image), velocity (f32 ×3, 0). */
export function centreWords(references: Uint32Array, motions: readonly GroupMotion[]): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(CENTRE_WORDS * motions.length);
  const floats = new Float32Array(words.buffer);
  motions.forEach((motion, group) => {
    const at = CENTRE_WORDS * group;
    let image = 0;
    for (let axis = 0; axis < 3; axis++) {
      const x = Math.round(centreOnAxis(references, group, motion, axis));
      const boxes = Math.floor(x / TURN);
      words[at + axis] = x - boxes * TURN;
      image |= (boxes & 0x3ff) << (10 * axis);
      floats[at + 4 + axis] = motion.velocity[axis];
    }
    words[at + 3] = image >>> 0;
  });
  return words;
}

/** What a catalogue says of its making, in the words of the search. */
type FoundInAll = Pick<HaloCatalogue, "linkingLength" | "minimumMembers" | "boxSize" | "groupsInAll">;

export interface CatalogueInput extends FoundInAll {
  periodic: boolean;
  /** Mass of the heaviest particle, MASS_UNITS mass units [mass]. */
  heaviest: number;
  velocityScale: number;
  membersInAll: number;
  /** By number of the group, in any order. */
  groups: Uint32Array;
  references: Uint32Array;
  motions: readonly GroupMotion[];
  spreads: Uint32Array;
}

export function haloCatalogue(input: CatalogueInput): HaloCatalogue {
  const { groups, motions, references, spreads, velocityScale, heaviest, periodic, ...found } = input;
  const { boxSize } = found;
  const order = Array.from(motions, (_, group) => group).sort(
    (a, b) => motions[b].mass - motions[a].mass || groups[GROUP_WORDS * a + 1] - groups[GROUP_WORDS * b + 1],
  );
  const column = (value: (group: number) => number) => Float64Array.from(order, value);
  const vectors = (value: (group: number, axis: number) => number) =>
    Float64Array.from({ length: 3 * order.length }, (_, i) => value(order[Math.floor(i / 3)], i % 3));
  /** Of Σ m r² (0) or Σ m |v − v̄|² (1), m in units of the heaviest. */
  const rms = (group: number, quantity: number) => {
    const { mass } = motions[group];
    return mass === 0 ? 0 : Math.sqrt((MASS_UNITS * greatestSum(spreads, SPREAD_WORDS * group + 3 * quantity)) / mass);
  };
  const floats = new Float32Array(spreads.buffer, spreads.byteOffset, spreads.length);
  const inBox = (x: number) => (periodic ? x - TURN * Math.floor(x / TURN) : x);
  return {
    ...found,
    count: order.length,
    ids: Uint32Array.from(order, (group) => groups[GROUP_WORDS * group + 1]),
    members: Uint32Array.from(order, (group) => groups[GROUP_WORDS * group]),
    masses: column((group) => (heaviest * motions[group].mass) / MASS_UNITS),
    positions: vectors(
      (group, axis) => (boxSize * inBox(centreOnAxis(references, group, motions[group], axis))) / TURN,
    ),
    velocities: vectors((group, axis) => motions[group].velocity[axis] / velocityScale),
    rmsRadii: column((group) => boxSize * rms(group, 0)),
    maxRadii: column((group) => boxSize * Math.sqrt(floats[SPREAD_WORDS * group])),
    velocityDispersions: column((group) => rms(group, 1) / Math.sqrt(3) / velocityScale),
  };
}

/** A group as the CPU's friends of friends yield it (engine/reference/diagnostics/friends-of-friends.ts). */
export interface HaloEntry {
  id: number;
  members: number;
  mass: number;
  position: readonly number[];
  velocity: readonly number[];
  rmsRadius: number;
  maxRadius: number;
  velocityDispersion: number;
}

/** The catalogue of groups found without a GPU, in their order. */
export function catalogueOfGroups(groups: readonly HaloEntry[], found: FoundInAll): HaloCatalogue {
  const column = (value: (group: HaloEntry) => number) => Float64Array.from(groups, value);
  return {
    ...found,
    count: groups.length,
    ids: Uint32Array.from(groups, ({ id }) => id),
    members: Uint32Array.from(groups, ({ members }) => members),
    masses: column(({ mass }) => mass),
    positions: Float64Array.from(groups.flatMap(({ position }) => position)),
    velocities: Float64Array.from(groups.flatMap(({ velocity }) => velocity)),
    rmsRadii: column(({ rmsRadius }) => rmsRadius),
    maxRadii: column(({ maxRadius }) => maxRadius),
    velocityDispersions: column(({ velocityDispersion }) => velocityDispersion),
    membersInAll: groups.reduce((sum, { members }) => sum + members, 0),
  };
}

/** Haloes by mass: bins of equal width in log M, and the number above each bin's lower edge. */
export interface MassFunction {
  /** [bins] edges: low ≤ M < high [mass]. */
  low: Float64Array;
  high: Float64Array;
  /** [bins] mean mass of the bin's haloes; the geometric middle of an empty bin [mass]. */
  mass: Float64Array;
  /** [bins] haloes; the Poisson error of `density` is density/√number. */
  number: Uint32Array;
  /** [bins] dn/dlnM [1/length³] */
  density: Float64Array;
  /** [bins] haloes of at least `low`, per volume [1/length³]. */
  cumulative: Float64Array;
}

/** The mass function dn/dlnM, bins from the least mass up, `perDecade` in a decade. Throws "usage". */
export function haloMassFunction(
  catalogue: Pick<HaloCatalogue, "masses" | "boxSize">,
  { perDecade = 5 }: { perDecade?: number } = {},
): MassFunction {
  if (!(perDecade > 0 && Number.isFinite(perDecade))) {
    throw new GravmeshError("usage", `mass function: expected a positive number of bins a decade, found ${perDecade}`);
  }
  const { masses, boxSize } = catalogue;
  const volume = boxSize ** 3;
  const least = masses.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const binOf = (mass: number) => Math.floor(perDecade * Math.log10(mass / least) + ROUNDING);
  const bins = masses.reduce((most, mass) => Math.max(most, binOf(mass) + 1), 0);
  const edge = (bin: number) => least * 10 ** (bin / perDecade);
  const number = new Uint32Array(bins);
  const total = new Float64Array(bins);
  for (const mass of masses) {
    number[binOf(mass)]++;
    total[binOf(mass)] += mass;
  }
  const cumulative = new Float64Array(bins);
  for (let bin = bins - 1, above = 0; bin >= 0; bin--) {
    above += number[bin];
    cumulative[bin] = above / volume;
  }
  const indices = Array.from(number, (_, bin) => bin);
  return {
    low: Float64Array.from(indices, edge),
    high: Float64Array.from(indices, (bin) => edge(bin + 1)),
    mass: Float64Array.from(indices, (bin) => (number[bin] > 0 ? total[bin] / number[bin] : edge(bin + 0.5))),
    number,
    density: Float64Array.from(indices, (bin) => number[bin] / (volume * (Math.LN10 / perDecade))),
    cumulative,
  };
}

/** Share of a bin's width: a mass that lies on an edge but for rounding belongs above it. */
const ROUNDING = 1e-9;
