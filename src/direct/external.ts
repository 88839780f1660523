/** External potentials of a direct sum as the integrators' kernels read them (wgsl/potentials/forces.wgsl). */
import { kindsOf, parameterWords } from "../potentials/kernel.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import type { DirectUnits } from "./state.ts";

/** Words of an `ExternalPotential` in WGSL: centre, kind, parameters. */
const POTENTIAL_WORDS = 12;

/** In the pipeline's own units, centres relative to the centre of the box; at least one record. */
export function potentialRecords(external: readonly ExternalPotential[], units: DirectUnits): ArrayBuffer {
  const packed = new ArrayBuffer(4 * POTENTIAL_WORDS * Math.max(1, external.length));
  const kinds = kindsOf(external);
  external.forEach((potential, k) => {
    const floats = new Float32Array(packed, 4 * POTENTIAL_WORDS * k, POTENTIAL_WORDS);
    floats.set(potential.centre.map((x) => (x - units.origin) * units.perLength));
    new Uint32Array(packed)[POTENTIAL_WORDS * k + 3] = kinds.indexOf(potential.kind);
    const words = parameterWords(potential, {
      mass: units.gm,
      length: (length) => length * units.perLength,
      velocity: (velocity) => velocity * units.perVelocity,
      time: (time) => time / units.step,
    });
    floats.set(words, 4);
  });
  return packed;
}
