/**
 * Shapes of the particle update's kernel, all with the same results, and which of them usually wins: by how many particles
 * share a cell, how many values each reads, and what a copy of the force costs (docs/performance.md, "Kernel shapes").
 */
import type { Assignment } from "../mesh/settings.ts";

export interface LeapfrogShape {
  /** Particles an invocation takes, in turn with its neighbours (wgsl/lib/runs.wgsl). */
  run: number;
  /** Keep mesh values in registers while consecutive particles share a cell, and ask each time. */
  keep: boolean;
  /** Copy the force into texels first and read these (mesh/force-texels.ts). */
  texels?: boolean;
}

/** One particle an invocation (coalesced) suits GPUs; several suit CPUs, keeping where cells are crowded. */
const SHAPES: readonly LeapfrogShape[] = [
  { run: 1, keep: false },
  { run: 8, keep: false },
  { run: 8, keep: true },
];

const TEXELS: readonly LeapfrogShape[] = [false, true].map((keep) => ({ run: 8, keep, texels: true }));

export const leapfrogShapes = (withTexels: boolean): readonly LeapfrogShape[] =>
  withTexels ? [...SHAPES, ...TEXELS] : SHAPES;

export function shapeName({ run, keep, texels }: LeapfrogShape): string {
  return `${run} in a run${keep ? ", kept" : ""}${texels ? ", texels" : ""}`;
}

interface Costs {
  plain: number;
  kept: number;
  texels: number;
  keptTexels: number;
}

const NAMES: Record<keyof Costs, string> = {
  plain: "8 in a run",
  kept: "8 in a run, kept",
  texels: "8 in a run, texels",
  keptTexels: "8 in a run, kept, texels",
};

/**
 * Of 128³ particles on a software adapter with two cores [ms], 1.6 particles in a base cell that holds any, and 16 (NGP: 4).
 * TSC's without texels are four times those of a quarter of the particles; CIC's kept texels where cells are crowded were
 * measured later, beside the others, with texels copied as memory.
 */
const COSTS: Record<Assignment, Record<"sparse" | "crowded", Costs>> = {
  ngp: {
    sparse: { plain: 20, kept: 25, texels: 20, keptTexels: 25 },
    crowded: { plain: 19, kept: 23, texels: 19, keptTexels: 23 },
  },
  cic: {
    sparse: { plain: 50, kept: 63, texels: 39, keptTexels: 42 },
    crowded: { plain: 48, kept: 36, texels: 34, keptTexels: 31 },
  },
  tsc: {
    sparse: { plain: 180, kept: 205, texels: 72, keptTexels: 77 },
    crowded: { plain: 150, kept: 95, texels: 62, keptTexels: 59 },
  },
};
/** Of bringing 128³ cells into texels: by a kernel, or as memory where the force lies in vectors. */
const BRINGING = { written: 9, copied: 2 };
/** More than 2^this particles in a base cell are a crowd. */
const CROWD = 2;

export interface UpdateLoad {
  assignment: Assignment;
  /** How the force comes into texels, where they are offered. */
  texels: keyof typeof BRINGING | "none";
  /** Power of two of the particles that share a base cell. */
  crowd: number;
  /** Particles to a cell of the whole mesh. */
  perCell: number;
}

/** The shapes that usually win. */
export function usualShapes({ assignment, texels, crowd, perCell }: UpdateLoad) {
  const costs = COSTS[assignment][crowd > CROWD ? "crowded" : "sparse"];
  const brought = texels === "none" ? 0 : BRINGING[texels] / perCell;
  const offered: [keyof Costs, number][] = [
    ["plain", costs.plain],
    ["kept", costs.kept],
    ...(texels !== "none"
      ? ([
          ["texels", costs.texels + brought],
          ["keptTexels", costs.keptTexels + brought],
        ] as [keyof Costs, number][])
      : []),
  ];
  const [least] = offered.sort(([, a], [, b]) => a - b);
  return { software: NAMES[least[0]], hardware: "1 in a run" };
}
