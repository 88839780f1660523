/**
 * Shapes of the particle update's kernel, all with the same results, and which of them usually wins: by how many particles
 * share a cell, how many values each reads, and what a copy of the force costs (docs/performance.md, "Kernel shapes").
 */
import type { Assignment } from "../mesh/settings.ts";

export interface LeapfrogShape {
  /** Particles an invocation takes, in turn with its neighbours (wgsl/lib/runs.wgsl). */
  run: number;
  /** Read the mesh values around a cell once for the particles of a run that follow one another there. */
  keep: boolean;
  /** Copy the force into texels first and read these (mesh/force-texels.ts). */
  texels?: boolean;
}

/** One particle an invocation (coalesced) suits GPUs; several suit CPUs, keeping where cells are crowded. */
const SHAPES: readonly LeapfrogShape[] = [
  { run: 1, keep: false },
  { run: 8, keep: false },
  { run: 32, keep: true },
];

const TEXELS: readonly LeapfrogShape[] = SHAPES.filter(({ run }) => run > 1).map((shape) => ({
  ...shape,
  texels: true,
}));

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
  kept: "32 in a run, kept",
  texels: "8 in a run, texels",
  keptTexels: "32 in a run, kept, texels",
};

/**
 * Of 128³ particles on a software adapter with two cores [ms], 1.6 particles in a base cell that holds any, and 16 (NGP: 4),
 * beside what the other stages took in the same run; texels without what bringing them costs. NGP reads none.
 */
const COSTS: Record<Assignment, Record<"sparse" | "crowded", Costs>> = {
  ngp: {
    sparse: { plain: 23, kept: 28, texels: 23, keptTexels: 28 },
    crowded: { plain: 21, kept: 20, texels: 21, keptTexels: 20 },
  },
  cic: {
    sparse: { plain: 50, kept: 61, texels: 29, keptTexels: 30 },
    crowded: { plain: 42, kept: 30, texels: 30, keptTexels: 22 },
  },
  tsc: {
    sparse: { plain: 139, kept: 163, texels: 51, keptTexels: 52 },
    crowded: { plain: 144, kept: 63, texels: 48, keptTexels: 28 },
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
