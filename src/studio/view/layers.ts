/**
 * Which particles a picture counts apart. A layer is a grid of counts of particles of one mass; the maps of a picture are
 * sums of layers times their masses. Where masses differ within a component, its particles add whole numbers near to their
 * masses, what is left over decided by a hash of the id, so that the lightest are right in the mean.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { ParticleMasses } from "../../physics/particles/masses.ts";
import type { Species } from "../../physics/particles/state.ts";
import type { SceneContent } from "./scene.ts";
import type { Quantity, View } from "./view.ts";

export interface PictureLayer {
  name: string;
  species: Species;
  /** Map that it adds to: of species one a species, else the first. */
  map: number;
  /** The mass of a count [mass]. */
  mass: number;
  /** Particles to a count. */
  particles: number;
}

/** Consecutive ids. */
export interface LayerRange {
  first: number;
  /** One past the last. */
  end: number;
  layer: number;
  /** Particles add their weights instead of 1. */
  weighted: boolean;
}

export interface LayerPlan {
  layers: readonly PictureLayer[];
  /** In the order of ids; what is in none isn't drawn. */
  ranges: readonly LayerRange[];
  /** Only ids that it divides. */
  every: number;
  /** All particles are in one layer: ids don't matter. */
  isPlain: boolean;
  /** Species of the maps; of other quantities than species one map. */
  maps: readonly Species[];
  /** The mass of a weight of 1 [mass]; 0 where nothing is weighted. */
  weightUnit: number;
}

/** Ranges of ids that a picture tells apart. */
export const PICTURE_RANGES = 256;
/** A weight's bits: squares of velocities times weights have to fit into 64 with as many particles as there are. */
const WEIGHT_BITS = 12;

/** Throws "usage" for more ranges of ids than a picture can tell apart. */
export function layerPlan(
  content: SceneContent,
  { quantity, hidden, every }: Pick<View, "quantity" | "hidden" | "every">,
): LayerPlan {
  const { components, weights, thinned = 1 } = content;
  const present = components.filter(({ count }) => count > 0);
  const shown = present.filter(({ name }) => !hidden.includes(name));
  const masses = new Map(shown.map((component) => [component, weights.common(component)]));
  const unequal = shown.filter((component) => masses.get(component) === undefined);
  const counted = unequal.reduce((sum, { count }) => sum + count, 0);
  // What a weighted particle adds at most: sums of all of them fit into 32 bits.
  const bits = Math.min(WEIGHT_BITS, Math.floor(Math.log2((2 ** 32 - 1) / Math.max(1, counted))));
  const weightUnit = unequal.length > 0 ? weights.heaviest / 2 ** bits : 0;
  const unequalMass = unequal.reduce((sum, range) => sum + weights.within(range), 0);
  const bySpecies = quantity === "species";
  const maps = bySpecies
    ? [...new Set(shown.map(({ species }) => species))]
    : shown.slice(0, 1).map(({ species }) => species);
  const layers: (PictureLayer & { key: string })[] = [];
  const ranges: LayerRange[] = [];
  const step = combinedStep(every, thinned);
  for (const component of [...shown].sort((a, b) => a.first - b.first)) {
    const { name, species, first, count } = component;
    const mass = masses.get(component);
    const key = `${mass ?? "weighted"} ${bySpecies ? species : ""}`;
    let layer = layers.findIndex((one) => one.key === key);
    if (layer < 0) {
      const map = bySpecies ? maps.indexOf(species) : 0;
      const particles = mass === undefined ? (weightUnit * counted) / unequalMass : 1;
      layer = layers.push({ key, name, species, map, mass: step * (mass ?? weightUnit), particles }) - 1;
    } else layers[layer].name += `, ${name}`;
    const weighted = mass === undefined;
    const last = ranges.at(-1);
    if (last && last.end === first && last.layer === layer) last.end = first + count;
    else ranges.push({ first, end: first + count, layer, weighted });
  }
  if (ranges.length > PICTURE_RANGES) {
    throw new GravmeshError(
      "usage",
      `a picture tells ${PICTURE_RANGES} ranges of ids apart, found ${ranges.length}: give components with equal masses ids that follow each other`,
    );
  }
  const isPlain = step === thinned && shown.length === present.length && layers.length === 1 && weightUnit === 0;
  return { layers: layers.map(({ key: _, ...layer }) => layer), ranges, every: step, isPlain, maps, weightUnit };
}

function combinedStep(a: number, b: number): number {
  let [m, n] = [a, b];
  while (n > 0) [m, n] = [n, m % n];
  return (a / m) * b;
}

/** Weights of ids first … first + count − 1, whole numbers: m / weightUnit, rounded up as often as its fraction says. */
export function layerWeights(
  masses: ParticleMasses,
  weightUnit: number,
  { first, count }: { first: number; count: number },
): Uint32Array<ArrayBuffer> {
  const block = new Float64Array(count);
  masses.fill(block, first);
  return Uint32Array.from(block, (mass, i) =>
    Math.floor(mass / weightUnit + (Math.imul(first + i, 2654435761) >>> 0) / 2 ** 32),
  );
}

/** Sums of a pixel beside the count: of the velocity, and of its square. */
export const MOMENTS: Record<Quantity, number> = { density: 0, species: 0, velocity: 1, dispersion: 2 };
