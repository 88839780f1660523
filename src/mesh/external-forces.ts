/**
 * What acts on a particle besides the mesh, as wgsl/potentials/field.wgsl takes it: box, cell, mass unit and the
 * external potentials. Shared by every kernel that evaluates accelerations.
 */
import { GravmeshError } from "../errors.ts";
import { type BufferPool, packUniform } from "../gpu/buffers.ts";
import type { WgslSource } from "../gpu/compose.ts";
import { MASS_UNITS, packImage, toFixedPoint } from "../particles/fixed-point.ts";
import { kindsOf, parameterWords, potentialSources } from "../potentials/kernel.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import type { PipelineSettings } from "./settings.ts";

/** Length of the array in the WGSL struct. */
export const MOST_EXTERNAL_POTENTIALS = 8;

/** The kinds that a kernel of these potentials holds: an escaped particle's monopole is a Plummer sphere. */
const kinds = (external: readonly ExternalPotential[]) => [...new Set(["plummer", ...kindsOf(external)])];

/** What kernels that import wgsl/potentials/field.wgsl are composed with. */
export function externalFieldSources(external: readonly ExternalPotential[]): WgslSource[] {
  return potentialSources(kinds(external), "field");
}

/**
 * The uniform buffer of the WGSL struct ExternalForces; `heaviest`: mass of the heaviest particle [mass].
 * Throws "scenario" for too many potentials.
 */
export function externalForcesBuffer(
  buffers: BufferPool,
  { boxSize, G, mesh, externalPotentials }: Pick<PipelineSettings, "boxSize" | "G" | "mesh" | "externalPotentials">,
  heaviest: number,
): GPUBuffer {
  const found = externalPotentials.length;
  if (found > MOST_EXTERNAL_POTENTIALS) {
    throw new GravmeshError(
      "scenario",
      `external potentials: at most ${MOST_EXTERNAL_POTENTIALS} rigid components and [[potential]] tables can act at once, found ${found}; give fewer of them`,
    );
  }
  type Word = Parameters<typeof packUniform>[0][number];
  const words: Word[] = [
    ["f32", boxSize],
    ["f32", boxSize / mesh.cells],
    ["f32", (G * heaviest) / MASS_UNITS],
    ["u32", found],
  ];
  const numbers = kinds(externalPotentials);
  for (const potential of externalPotentials) {
    const [x, y, z] = potential.centre.map((c) => toFixedPoint(c, boxSize));
    words.push(["u32", x.u], ["u32", y.u], ["u32", z.u], ["u32", packImage(x.image, y.image, z.image)]);
    words.push(["u32", numbers.indexOf(potential.kind)], ["u32", 0], ["u32", 0], ["u32", 0]);
    for (const value of parameterWords(potential, { mass: (mass) => G * mass })) words.push(["f32", value]);
  }
  for (let i = found; i < MOST_EXTERNAL_POTENTIALS; i++) words.push(...new Array<Word>(16).fill(["u32", 0]));
  return buffers.uniform("external forces", packUniform(words));
}
