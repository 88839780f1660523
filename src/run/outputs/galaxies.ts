/** galaxies.csv: where each galaxy is densest, how its core moves, its radii and masses, and the distances of pairs. */
import { join } from "node:path";
import { type GalaxyState, galaxiesOf, galaxyState, MASS_SHARES, ownVirialRatio } from "../../diagnostics/galaxies.ts";
import { csvHead, csvLine, parseCsv } from "../../io/csv.ts";
import { LARGEST_FILE, readRegularFile } from "../../io/regular-file.node.ts";
import type { Vector } from "../../particles/reductions.ts";
import type { RunOutput } from "./output.ts";

export const GALAXIES_FILE = "galaxies.csv";

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

declare module "./output.ts" {
  interface Written {
    galaxies?: GalaxyHistory;
  }
}

/** Pairs of n galaxies, by their places: (0, 1), (0, 2), … */
export function pairsOf(n: number): [number, number][] {
  const places = Array.from({ length: n <= MOST_IN_PAIRS ? n : 0 }, (_, i) => i);
  return places.flatMap((i) => places.slice(i + 1).map((k): [number, number] => [i, k]));
}

const OWN = ["x", "y", "z", "vx", "vy", "vz", ...PERCENT.map((p) => `r${p}`), "m50", "m90", "virial"];

/** The heads of galaxies.csv. A file of another code may have names that no head can have. */
export function galaxyHeads(galaxies: readonly string[]): string[] {
  const names = galaxies.map((name) => name.replace(/[^\p{L}\p{N} _-]/gu, "_"));
  const pairs = pairsOf(names.length).flatMap(([i, k]) => [
    `${names[i]}:${names[k]}.separation`,
    `${names[i]}:${names[k]}.speed`,
  ]);
  return ["time", "step", ...names.flatMap((name) => OWN.map((what) => `${name}.${what}`)), ...pairs];
}

export const galaxies: RunOutput = {
  name: "galaxies",
  meaning:
    "of a deck with galaxies: their density centres, velocities, radii, masses and separations, at output.diagnostics times",
  files: [GALAXIES_FILE],
  writer({ simulation, folder, lines, written }) {
    const { components, masses, scenario } = simulation;
    // Tracers say nothing of where the mass is.
    const found = galaxiesOf(components.filter((range) => masses.within(range) > 0));
    if (found.length === 0) return {};
    const names = found.map(({ name }) => name);
    const heads = galaxyHeads(names);
    const file = lines(GALAXIES_FILE, csvHead(heads).trimEnd());
    const read = (text: string) => parseCsv(text, heads, GALAXIES_FILE).map((row) => rowOf(row, names));
    const rows = read(readRegularFile(join(folder, GALAXIES_FILE), { what: "The file", limit: LARGEST_FILE }));
    written.galaxies = { names, rows };
    const reach = Math.sqrt(3) * scenario.box.size;
    const comoving = scenario.time.clock === "comoving";
    return {
      atDiagnostics: async ({ time, step }) => {
        const reductions = simulation.reductions();
        const states: MeasuredGalaxy[] = [];
        for (const [index, { ranges }] of found.entries()) {
          const first = rows[0]?.galaxies[index].radii.slice(1);
          const state = await galaxyState(reductions, ranges, reach, first);
          const within = first ? state.within : [0.5 * state.mass, 0.9 * state.mass];
          const virial = comoving ? Number.NaN : await ownVirialRatio(reductions, ranges, reach);
          states.push({ ...state, within, virial });
        }
        const line = csvLine(numbersOf(time, step, states));
        file.append(line.trimEnd());
        rows.push(...read(csvHead(heads) + line)); // as a resumed run has them
      },
    };
  },
};

function numbersOf(time: number, step: number, states: readonly MeasuredGalaxy[]): number[] {
  const own = states.flatMap(({ centre, velocity, radii, within, virial }) =>
    [centre, velocity, radii, within, virial].flat(),
  );
  const between = (i: number, k: number, of: "centre" | "velocity") =>
    Math.hypot(...states[i][of].map((x, axis) => x - states[k][of][axis]));
  const pairs = pairsOf(states.length).flatMap(([i, k]) => [between(i, k, "centre"), between(i, k, "velocity")]);
  return [time, step, ...own, ...pairs];
}

function rowOf(numbers: readonly number[], names: readonly string[]): GalaxyRow {
  let at = 0;
  const next = () => numbers[at++];
  const three = (): [number, number, number] => [next(), next(), next()];
  const [time, step] = [next(), next()];
  const galaxies = names.map(() => {
    const [centre, velocity]: Vector[] = [three(), three()];
    return { centre, velocity, radii: three(), within: [next(), next()], virial: next() };
  });
  return { time, step, galaxies, pairs: pairsOf(names.length).map(() => ({ separation: next(), speed: next() })) };
}
