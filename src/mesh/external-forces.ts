/**
 * What acts on a particle besides the mesh, as wgsl/potentials/field.wgsl takes it: box, cell, mass unit and the
 * external potentials, as they are at a time. Shared by every kernel that evaluates accelerations.
 */
import { GravmeshError } from "../errors.ts";
import { type BufferPool, packUniform } from "../gpu/buffers.ts";
import type { WgslSource } from "../gpu/compose.ts";
import { MASS_UNITS, packImage, toFixedPoint } from "../particles/fixed-point.ts";
import { anyChangesOrTurned, kindsOf, parameterWords, potentialSources } from "../potentials/kernel.ts";
import { placedAt } from "../potentials/motion.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import type { PipelineSettings } from "./settings.ts";

/** Words of the WGSL struct ExternalForces before the potentials, and of one of them. */
const HEAD_WORDS = 4;
const POTENTIAL_WORDS = 16;
/** What a uniform binding holds on every device [byte]. */
const UNIFORM_BYTES = 2 ** 16;
/** Those that fit. */
const MOST_EXTERNAL_POTENTIALS = UNIFORM_BYTES / (4 * POTENTIAL_WORDS) - 1;

export { anyChanges } from "../potentials/kernel.ts";

/** The kinds that a kernel of these potentials holds: an escaped particle's monopole is a Plummer sphere. */
const kinds = (external: readonly ExternalPotential[]) => [...new Set(["plummer", ...kindsOf(external)])];

/** What kernels that import wgsl/potentials/field.wgsl are composed with. */
export function externalFieldSources(external: readonly ExternalPotential[]): WgslSource[] {
  const constants = [
    `const POTENTIALS = ${Math.max(1, external.length)}u;`,
    `const CHANGING = ${anyChangesOrTurned(external)};`,
  ];
  return [
    ...potentialSources(kinds(external), "field"),
    { path: "number of potentials in use", text: constants.join("\n") },
  ];
}

type Settings = Pick<PipelineSettings, "boxSize" | "G" | "mesh" | "externalPotentials">;

/** Bytes of the WGSL struct ExternalForces. */
export function externalForcesBytes({ externalPotentials }: Pick<Settings, "externalPotentials">): number {
  return 4 * (HEAD_WORDS + POTENTIAL_WORDS * Math.max(1, externalPotentials.length));
}

/** The uniform buffer of the WGSL struct ExternalForces at the start; see `externalForcesWords`. */
export function externalForcesBuffer(buffers: BufferPool, settings: Settings, heaviest: number): GPUBuffer {
  return buffers.uniform("external forces", externalForcesWords(settings, heaviest, 0));
}

/**
 * The WGSL struct ExternalForces at a time; `heaviest`: mass of the heaviest particle [mass]. Throws "scenario" for too
 * many potentials.
 */
export function externalForcesWords(
  { boxSize, G, mesh, externalPotentials }: Settings,
  heaviest: number,
  time: number,
): ArrayBuffer {
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
    const { centre, factor, angle } = placedAt(potential, time);
    const [x, y, z] = centre.map(([c]) => toFixedPoint(c, boxSize));
    words.push(["u32", x.u], ["u32", y.u], ["u32", z.u], ["u32", packImage(x.image, y.image, z.image)]);
    words.push(["u32", numbers.indexOf(potential.kind)], ["f32", factor[0]]);
    words.push(["f32", Math.cos(angle)], ["f32", Math.sin(angle)]);
    for (const value of parameterWords(potential, { mass: (mass) => G * mass })) words.push(["f32", value]);
  }
  if (found === 0) words.push(...new Array<Word>(POTENTIAL_WORDS).fill(["u32", 0]));
  return packUniform(words);
}
