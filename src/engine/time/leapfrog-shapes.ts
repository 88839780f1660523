/** The variants of the particle update, and which of them a machine takes. */
import { shapeByKind } from "../../foundation/gpu/shapes.ts";
import { assignments } from "../../physics/particles/assignments.ts";
import { texelsAreReadable } from "../mesh/force/force-texels.ts";
import type { MeshStage } from "../mesh/stage.ts";

export interface LeapfrogShape {
  /** Particles an invocation takes, in turn with its neighbours (wgsl/lib/runs.wgsl). */
  run: number;
  /** Copy the force into texels first, and read those around a cell once for particles that follow one another there. */
  texels: boolean;
}

/** For GPUs, whose lanes read next to each other; for processors; and where a particle reads 8 or 27 cells there. */
const LEAPFROG_SHAPES: readonly LeapfrogShape[] = [
  { run: 1, texels: false },
  { run: 8, texels: false },
  { run: 32, texels: true },
];

/** With fewer particles to a cell the copy takes longer than it spares. */
const LEAST_PER_CELL = 1 / 8;

export const shapeName = ({ run, texels }: LeapfrogShape): string => `${run} in a run${texels ? ", texels" : ""}`;

/** The shape that the update takes by the rule or by a pin. */
export function leapfrogShape({ gpu, particles, mesh, settings, fields }: MeshStage): LeapfrogShape {
  const texels = !fields && texelsAreReadable(gpu, mesh.cells) && assignments[settings.mesh.assignment].order > 1;
  const offered = LEAPFROG_SHAPES.filter((shape) => texels || !shape.texels);
  const pays = texels && particles.count >= LEAST_PER_CELL * mesh.cells ** 3;
  const [gpuName, plain, copied] = LEAPFROG_SHAPES.map(shapeName);
  const name = shapeByKind(gpu, "update", offered.map(shapeName), { processor: pays ? copied : plain, gpu: gpuName });
  return offered.find((shape) => shapeName(shape) === name)!;
}
