/** What acts on a particle besides the mesh at a time, as wgsl/physics/potentials/field.wgsl takes it: for all kernels of accelerations. */
import monopoleWgsl from "../../../../wgsl/physics/potentials/modified-monopole.wgsl";
import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { Batch } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, f32, packUniform, u32 } from "../../../foundation/gpu/buffers.ts";
import type { WgslSource } from "../../../foundation/gpu/compose.ts";
import type { BufferRange } from "../../../foundation/gpu/kernel.ts";
import { newtonianExternal } from "../../../physics/mond/reference-field.ts";
import { MASS_UNITS, packImage, toFixedPoint } from "../../../physics/particles/fixed-point.ts";
import {
  anyChanges,
  anyChangesOrTurned,
  kindsOf,
  parameterWords,
  potentialSources,
} from "../../../physics/potentials/kernel.ts";
import { placedAt } from "../../../physics/potentials/motion.ts";
import type { ExternalPotential } from "../../../physics/potentials/potential.ts";
import { interpolationSource } from "../mond/mond.ts";
import type { PipelineSettings } from "../settings.ts";

/** Words of a potential in the WGSL struct ExternalForces, whose head is shorter. */
const POTENTIAL_WORDS = 16;
/** What a uniform binding holds on every device [byte]. */
const UNIFORM_BYTES = 2 ** 16;
/** Those that fit. */
const MOST_EXTERNAL_POTENTIALS = UNIFORM_BYTES / (4 * POTENTIAL_WORDS) - 1;

/** The kinds that a kernel of these potentials holds: an escaped particle's monopole is a Plummer sphere. */
const kinds = (external: readonly ExternalPotential[]) => [...new Set(["plummer", ...kindsOf(external)])];

/** What kernels that import wgsl/physics/potentials/field.wgsl are composed with. */
export function externalFieldSources(
  settings: Pick<PipelineSettings, "externalPotentials" | "mond" | "boxSize">,
): WgslSource[] {
  const { externalPotentials: external } = settings;
  const constants = [
    `const POTENTIALS = ${Math.max(1, external.length)}u;`,
    `const IN_USE = ${external.length}u;`,
    `const CHANGING = ${anyChangesOrTurned(external)};`,
  ];
  return [
    ...potentialSources(kinds(external), "field"),
    { path: "number of potentials in use", text: constants.join("\n") },
    ...monopoleSources(settings),
  ];
}

const NEWTONS_MONOPOLE = "fn modifiedMonopole(field: vec4f, d: vec3f) -> vec4f {\n  return field;\n}";

/** What gravity makes of a monopole's field. */
function monopoleSources({ mond, boxSize }: Pick<PipelineSettings, "mond" | "boxSize">): WgslSource[] {
  if (!mond) return [{ path: "Newton's monopole", text: NEWTONS_MONOPOLE }];
  const [x, y, z] = newtonianExternal(mond);
  const constants = [
    `const INVERSE_A0 = f32(${1 / mond.a0});`,
    `const EXTERNAL = vec3f(${x}, ${y}, ${z});`,
    `const REACH_OF_POTENTIAL = f32(${boxSize});`,
  ];
  return [
    interpolationSource(mond),
    { path: "constants of modified gravity", text: constants.join("\n") },
    monopoleWgsl,
  ];
}

type Settings = Pick<PipelineSettings, "boxSize" | "G" | "mesh" | "externalPotentials">;

/** `externalForcesWords` of the start. */
export function externalForcesBuffer(buffers: BufferPool, settings: Settings, heaviest: number): GPUBuffer {
  return buffers.uniform("external forces", externalForcesWords(settings, heaviest, 0));
}

/** Bytes from slot to slot of a uniform ring, at least: what offsets are multiples of. */
const SLOT_BYTES = 256;

/** The external forces that a ring of kicks is bound to, each at its own time where they change. */
export interface ExternalSlots {
  /** What kernels are bound to, at binding 1 after the ring of the kicks at 0. */
  binding: GPUBuffer | BufferRange;
  /** From slot to slot of both rings [byte]. */
  stride: number;
  /** Bindings that take the offset of a kick's slot. */
  dynamicOffsets: 1 | 2;
  /** Writes those of a time to the slot at an offset, ahead of the batch's submission. */
  write(batch: Batch, offset: number, time: number): void;
}

/** For `slots` kicks. Throws "scenario" for too many potentials. */
export function externalSlots(buffers: BufferPool, settings: Settings, heaviest: number, slots: number): ExternalSlots {
  if (!anyChanges(settings.externalPotentials)) {
    const binding = externalForcesBuffer(buffers, settings, heaviest);
    return { binding, stride: SLOT_BYTES, dynamicOffsets: 1, write: () => {} };
  }
  const first = externalForcesWords(settings, heaviest, 0);
  const stride = SLOT_BYTES * Math.ceil(first.byteLength / SLOT_BYTES);
  const mirror = new Uint8Array(stride * slots);
  const buffer = buffers.uniform("external forces of steps", mirror.length);
  return {
    ...{ binding: { buffer, offset: 0, size: first.byteLength }, stride, dynamicOffsets: 2 },
    write: (batch, offset, time) =>
      void batch.writeThrough(buffer, mirror, offset, externalForcesWords(settings, heaviest, time)),
  };
}

/** The WGSL struct ExternalForces; `heaviest`: mass of the heaviest particle [mass]. Throws "scenario" for too many potentials. */
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
  const words = [...f32(boxSize, boxSize / mesh.cells, (G * heaviest) / MASS_UNITS), ...u32(found)];
  const numbers = kinds(externalPotentials);
  for (const potential of externalPotentials) {
    const { centre, factor, angle, acceleration } = placedAt(potential, time);
    const [x, y, z] = centre.map(([c]) => toFixedPoint(c, boxSize));
    words.push(...u32(x.u, y.u, z.u, packImage(x.image, y.image, z.image), numbers.indexOf(potential.kind)));
    words.push(...f32(factor[0], Math.cos(angle), Math.sin(angle)));
    const parameters = parameterWords(potential, { mass: (mass) => G * mass });
    acceleration?.forEach(([more], k) => {
      parameters[k] += more;
    });
    words.push(...f32(...parameters));
  }
  if (found === 0) words.push(...u32(...new Array<number>(POTENTIAL_WORDS).fill(0)));
  return packUniform(words);
}

export { anyChanges };
