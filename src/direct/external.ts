/**
 * External rigid fields of a direct sum as the integrators' kernels read them; their formulas are in
 * wgsl/direct/lib/hermite-external.wgsl.
 */
import type { ExternalField } from "../particles/state.ts";
import type { DirectUnits } from "./state.ts";

/** Words of a `Field` in WGSL: centre, G·M, scale, kind, padding. */
export const FIELD_WORDS = 8;

/** The fields in the pipeline's own units, centres relative to the centre of the box; at least one record. */
export function fieldRecords(fields: readonly ExternalField[], units: DirectUnits): ArrayBuffer {
  const packed = new ArrayBuffer(4 * FIELD_WORDS * Math.max(1, fields.length));
  const floats = new Float32Array(packed);
  const integers = new Uint32Array(packed);
  fields.forEach(({ kind, centre, mass, scale }, k) => {
    const at = FIELD_WORDS * k;
    for (let axis = 0; axis < 3; axis++) floats[at + axis] = (centre[axis] - units.origin) * units.perLength;
    floats[at + 3] = units.gm(mass);
    floats[at + 4] = scale * units.perLength;
    integers[at + 5] = kind === "plummer" ? 0 : 1;
  });
  return packed;
}
