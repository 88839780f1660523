/** Shapes of the particle update's kernel, all with the same results, and the rule for which is taken. */
import { shapeByKind } from "../gpu/shapes.ts";
import { texelsAreReadable } from "../mesh/force-texels.ts";
import type { MeshStage } from "../mesh/stage.ts";

export interface LeapfrogShape {
  /** Particles an invocation takes, in turn with its neighbours (wgsl/lib/runs.wgsl). */
  run: number;
  /**
   * Copy the force into texels first (mesh/force-texels.ts), and read those around a cell once for the particles of a run that
   * follow one another there.
   */
  texels: boolean;
}

/** For GPUs, whose lanes read next to each other; for processors; and where a particle reads 8 or 27 cells there. */
const [COALESCED, RUNS, TEXELS] = ["1 in a run", "8 in a run", "32 in a run, texels"] as const;
type ShapeName = typeof COALESCED | typeof RUNS | typeof TEXELS;

export const LEAPFROG_SHAPES: Readonly<Record<ShapeName, LeapfrogShape>> = {
  [COALESCED]: { run: 1, texels: false },
  [RUNS]: { run: 8, texels: false },
  [TEXELS]: { run: 32, texels: true },
};

/** With fewer particles to a cell the copy takes longer than it spares. */
const LEAST_PER_CELL = 1 / 8;

export const shapeName = ({ run, texels }: LeapfrogShape): string => `${run} in a run${texels ? ", texels" : ""}`;

/** What the update can be in, and what it is in by the rule or by a pin. */
export function leapfrogShape({ gpu, particles, mesh, settings }: MeshStage): LeapfrogShape {
  const texels = texelsAreReadable(gpu, mesh.cells) && settings.mesh.assignment !== "ngp";
  const offered: ShapeName[] = [COALESCED, RUNS, ...(texels ? [TEXELS] : [])];
  const pays = texels && particles.count >= LEAST_PER_CELL * mesh.cells ** 3;
  return LEAPFROG_SHAPES[shapeByKind(gpu, "update", offered, { processor: pays ? TEXELS : RUNS, gpu: COALESCED })];
}
