/**
 * What a particle meets besides the mesh, as wgsl/potentials/external.wgsl takes it: box, cell, mass unit and the rigid
 * external fields. Shared by every kernel that evaluates accelerations.
 */
import { GravmeshError } from "../errors.ts";
import { packUniform } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { MASS_UNITS, packImage, toFixedPoint } from "../particles/fixed-point.ts";
import type { ExternalField } from "../particles/state.ts";

/** Length of the array in the WGSL struct. */
export const MOST_EXTERNAL_FIELDS = 8;

const KIND = { plummer: 0, hernquist: 1 } as const;

export interface SurroundingsSettings {
  /** Side of the box [length]. */
  boxSize: number;
  /** Cells per side. */
  cells: number;
  /** Gravitational constant in deck units. */
  G: number;
  /** Mass of the heaviest particle [mass]. */
  heaviest: number;
  externalFields: readonly ExternalField[];
}

/** The uniform buffer of the WGSL struct Surroundings. Throws "scenario" for too many external fields. */
export function surroundingsBuffer(gpu: GpuContext, settings: SurroundingsSettings): GPUBuffer {
  const { boxSize, cells, G, heaviest, externalFields } = settings;
  if (externalFields.length > MOST_EXTERNAL_FIELDS) {
    throw new GravmeshError(
      "scenario",
      `external fields: at most ${MOST_EXTERNAL_FIELDS} rigid components can act at once, found ${externalFields.length}; give fewer components rigid = true`,
    );
  }
  type Field = Parameters<typeof packUniform>[0][number];
  const fields: Field[] = [
    ["f32", boxSize],
    ["f32", boxSize / cells],
    ["f32", (G * heaviest) / MASS_UNITS],
    ["u32", externalFields.length],
  ];
  for (let i = 0; i < MOST_EXTERNAL_FIELDS; i++) {
    const field = externalFields[i];
    const [x, y, z] = (field?.centre ?? [0, 0, 0]).map((c) => toFixedPoint(c, boxSize));
    fields.push(["u32", x.u], ["u32", y.u], ["u32", z.u], ["u32", packImage(x.image, y.image, z.image)]);
    fields.push(["f32", field ? G * field.mass : 0], ["f32", field?.scale ?? 1]);
    fields.push(["u32", field ? KIND[field.kind] : 0], ["u32", 0]);
  }
  return gpu.buffers.uniform("surroundings", packUniform(fields));
}
