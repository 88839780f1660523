/**
 * galaxies.csv: where each galaxy is densest, how its core moves, its radii and masses, and the distances of pairs;
 * components.csv: the same of each component, without pairs.
 */
import { join } from "node:path";
import {
  type GalaxyParticles,
  type GalaxyState,
  galaxiesOf,
  galaxyState,
  MASS_SHARES,
  ownVirialRatio,
} from "../../engine/diagnostics/galaxies.ts";
import type { Vector } from "../../physics/particles/reductions.ts";
import { csvHead, csvLine, parseCsv } from "../io/csv.ts";
import { LARGEST_FILE, readRegularFile } from "../io/regular-file.node.ts";
import type { OutputRun, OutputWriter, RunOutput } from "./output.ts";

export const GALAXIES_FILE = "galaxies.csv";
export const COMPONENTS_FILE = "components.csv";
/** More components are no parts of a galaxy; one of fewer particles has no densest place. */
const MOST_COMPONENTS = 12;
const LEAST_PARTICLES = 50;

/** Galaxies of which pairs are written: beyond it they are too many to be looked at. */
const MOST_IN_PAIRS = 8;
const PERCENT = MASS_SHARES.map((share) => Math.round(100 * share));

/** `virial`: 2K/|Σ m a·x| in its own frame; no number on the comoving clock. */
export type MeasuredGalaxy = Omit<GalaxyState, "mass"> & { virial: number };

interface GalaxyRow {
  time: number;
  step: number;
  /** By galaxy; `within`: its mass inside the radii that held 50 and 90 % of it at the start. */
  galaxies: MeasuredGalaxy[];
  /** Of each pair, [length] and [velocity]. */
  pairs: { separation: number; speed: number }[];
}

export interface GalaxyHistory {
  names: string[];
  rows: GalaxyRow[];
}

/** Pairs of n galaxies, by their places: (0, 1), (0, 2), … */
export function pairsOf(n: number): [number, number][] {
  const places = Array.from({ length: n <= MOST_IN_PAIRS ? n : 0 }, (_, i) => i);
  return places.flatMap((i) => places.slice(i + 1).map((k): [number, number] => [i, k]));
}

const OWN = ["x", "y", "z", "vx", "vy", "vz", ...PERCENT.map((p) => `r${p}`), "m50", "m90", "virial"];

/** The heads of galaxies.csv; of components.csv without pairs. A file of another code may have names that no head can have. */
export function galaxyHeads(galaxies: readonly string[], paired = pairsOf(galaxies.length)): string[] {
  const names = galaxies.map((name) => name.replace(/[^\p{L}\p{N} _-]/gu, "_"));
  const pairs = paired.flatMap(([i, k]) => [`${names[i]}:${names[k]}.separation`, `${names[i]}:${names[k]}.speed`]);
  return ["time", "step", ...names.flatMap((name) => OWN.map((what) => `${name}.${what}`)), ...pairs];
}

export const galaxies: RunOutput<GalaxyHistory> = {
  name: "galaxies",
  meaning:
    "of a deck with galaxies: their density centres, velocities, radii, masses and separations, at output.diagnostics times",
  files: [GALAXIES_FILE],
  writer: (run) => groupWriter(run, GALAXIES_FILE, galaxiesOf(massiveOf(run))),
};

export const components: RunOutput<GalaxyHistory> = {
  name: "components",
  meaning: "of several components in an isolated box: the same of each, without separations",
  files: [COMPONENTS_FILE],
  has: ({ box }) => box.boundary === "isolated",
  writer(run) {
    const large = massiveOf(run).filter(({ count }) => count >= LEAST_PARTICLES);
    const found = large.map(({ name, first, count }) => ({ name, ranges: [{ first, count }] }));
    return groupWriter(run, COMPONENTS_FILE, found.length > 1 && found.length <= MOST_COMPONENTS ? found : []);
  },
};

/** Tracers say nothing of where the mass is. */
const massiveOf = ({ simulation: { components, masses } }: OutputRun) =>
  components.filter((range) => masses.within(range) > 0);

function groupWriter(run: OutputRun, name: string, found: readonly GalaxyParticles[]): OutputWriter<GalaxyHistory> {
  const { simulation, folder, lines } = run;
  const { scenario } = simulation;
  if (found.length === 0) return {};
  const ofGalaxies = name === GALAXIES_FILE;
  const names = found.map((one) => one.name);
  const pairs = ofGalaxies ? pairsOf(names.length) : [];
  const heads = galaxyHeads(names, pairs);
  const file = lines(name, csvHead(heads).trimEnd());
  const read = (text: string) => parseCsv(text, heads, name).map((row) => rowOf(row, names, pairs.length));
  const rows = read(readRegularFile(join(folder, name), { what: "The file", limit: LARGEST_FILE }));
  const reach = Math.sqrt(3) * scenario.box.size;
  const comoving = scenario.time.clock === "comoving";
  return {
    summary: () => ({ names, rows }),
    atDiagnostics: async ({ time, step }) => {
      const reductions = simulation.reductions();
      const states: MeasuredGalaxy[] = [];
      for (const [index, { ranges }] of found.entries()) {
        const first = rows[0]?.galaxies[index].radii.slice(1);
        // Components are many: each is looked for where the last row has it.
        const last = ofGalaxies ? undefined : rows.at(-1)?.galaxies[index];
        const about = last && { centre: last.centre, radius: last.radii[2] };
        const state = await galaxyState(reductions, ranges, reach, first, about);
        const within = first ? state.within : [0.5 * state.mass, 0.9 * state.mass];
        const virial = comoving ? Number.NaN : await ownVirialRatio(reductions, ranges, reach);
        states.push({ ...state, within, virial });
      }
      const line = csvLine(numbersOf(time, step, states, pairs));
      file.append(line.trimEnd());
      rows.push(...read(csvHead(heads) + line)); // as a resumed run has them
    },
  };
}

function numbersOf(time: number, step: number, states: readonly MeasuredGalaxy[], pairs: readonly [number, number][]) {
  const own = states.flatMap(({ centre, velocity, radii, within, virial }) =>
    [centre, velocity, radii, within, virial].flat(),
  );
  const between = (i: number, k: number, of: "centre" | "velocity") =>
    Math.hypot(...states[i][of].map((x, axis) => x - states[k][of][axis]));
  return [time, step, ...own, ...pairs.flatMap(([i, k]) => [between(i, k, "centre"), between(i, k, "velocity")])];
}

function rowOf(numbers: readonly number[], names: readonly string[], pairs: number): GalaxyRow {
  let at = 0;
  const next = () => numbers[at++];
  const three = (): [number, number, number] => [next(), next(), next()];
  const [time, step] = [next(), next()];
  const galaxies = names.map(() => {
    const [centre, velocity]: Vector[] = [three(), three()];
    return { centre, velocity, radii: three(), within: [next(), next()], virial: next() };
  });
  return { time, step, galaxies, pairs: Array.from({ length: pairs }, () => ({ separation: next(), speed: next() })) };
}
