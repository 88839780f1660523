/**
 * Particles outside an isolated mesh: they fall in the monopole (M, centre of mass) of the mass on it, softened by the
 * cell side h: a Plummer sphere, φ = −GM/√(d² + h²).
 */
import { integral } from "../../../physics/cosmology/quadrature.ts";
import { phantomShare } from "../../../physics/mond/interpolation.ts";
import { newtonianExternal } from "../../../physics/mond/reference-field.ts";
import type { MondSettings } from "../../../physics/mond/settings.ts";
import { addExternalField, type ExternalField } from "../../../physics/potentials/external.ts";

export interface Monopole {
  mass: number;
  centre: [number, number, number];
}

/** Total mass and centre of mass of the listed particles; mass 0 and the origin for none. */
export function monopole(positions: Float64Array, masses: Float64Array, particles: Uint32Array): Monopole {
  let mass = 0;
  let x = 0;
  let y = 0;
  let z = 0;
  for (const i of particles) {
    mass += masses[i];
    x += masses[i] * positions[3 * i];
    y += masses[i] * positions[3 * i + 1];
    z += masses[i] * positions[3 * i + 2];
  }
  return mass === 0 ? { mass: 0, centre: [0, 0, 0] } : { mass, centre: [x / mass, y / mass, z / mass] };
}

/** Writes acceleration and potential of the mass on the mesh at the particles outside it. */
export function writeMonopoleField(
  { mass, centre }: Monopole,
  { G, h, mond, boxSize }: { G: number; h: number; mond?: MondSettings | undefined; boxSize: number },
  positions: Float64Array,
  out: ExternalField,
  escaped: Uint32Array,
): void {
  for (const i of escaped) {
    out.accelerations.fill(0, 3 * i, 3 * i + 3);
    out.potential[i] = 0;
  }
  addExternalField({ kind: "plummer", centre, parameters: { mass, scale: h } }, G, positions, out, {
    particles: escaped,
  });
  if (mond) for (const i of escaped) modify(i, mond, boxSize, { positions, centre, out });
}

/** As wgsl/physics/potentials/modified-monopole.wgsl has it. */
function modify(
  i: number,
  mond: MondSettings,
  boxSize: number,
  { positions, centre, out }: { positions: Float64Array; centre: readonly number[]; out: ExternalField },
): void {
  const share = (g: number) => phantomShare(mond.interpolation, mond.a0, g);
  const external = newtonianExternal(mond);
  const across = Math.hypot(...external);
  const newton = [0, 1, 2].map((axis) => out.accelerations[3 * i + axis]);
  const r = Math.hypot(...centre.map((c, axis) => positions[3 * i + axis] - c));
  const strength = Math.hypot(...newton) * r * r;
  const within = share(Math.hypot(...newton.map((g, axis) => g + external[axis])));
  for (let axis = 0; axis < 3; axis++) {
    out.accelerations[3 * i + axis] += within * (newton[axis] + external[axis]) - share(across) * external[axis];
  }
  out.potential[i] -= integral(
    (u) => {
      const s = Math.exp(u);
      const g = strength / (s * s);
      return share(Math.hypot(g, across)) * g * s;
    },
    Math.log(r),
    Math.log(boxSize),
  );
}
