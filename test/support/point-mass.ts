/** The point-mass force of the float64 stages, as the probe that forceErrorsByPart takes. */

import type { MeshSettings } from "../../src/engine/mesh/settings.ts";
import { hostGridOf } from "../../src/engine/reference/mesh/cells.ts";
import { depositMass } from "../../src/engine/reference/mesh/deposit.ts";
import { meshGradient } from "../../src/engine/reference/mesh/gradient.ts";
import { interpolateForce } from "../../src/engine/reference/mesh/interpolate.ts";
import { poissonSolvers } from "../../src/engine/reference/mesh/poisson.ts";
import type { PoissonFft } from "../../src/engine/reference/mesh/poisson-fft.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import type { PointMassForces } from "../../src/study/validate/law.ts";

/** Mesh settings with the defaults that a test doesn't care about. */
export function meshSettings(settings: Partial<MeshSettings>): MeshSettings {
  return {
    cells: 32,
    assignment: "cic",
    deposit: "auto",
    poisson: "fft",
    green: "discrete",
    kernel: "truncated",
    softenedModels: false,
    gradient: "4-point",
    ...settings,
  };
}

export function referencePointMass(mesh: MeshSettings, boundary: Boundary, given?: PoissonFft): PointMassForces {
  const { cells: n } = mesh;
  const solving = given ?? poissonSolvers.fft({ mesh, boundary, boxSize: 1, G: 1 });
  const grid = hostGridOf(mesh, boundary, 1);
  return async (source, targets) => {
    const solver = await solving;
    const density = depositMass(grid, Float64Array.from(source), Float64Array.of(1), Uint32Array.of(0));
    const force = meshGradient({ ...mesh, h: 1 / n }, solver, density, solver.potential(density));
    const count = targets.length / 3;
    const out = { accelerations: new Float64Array(3 * count), potential: new Float64Array(count) };
    const all = Uint32Array.from({ length: count }, (_, i) => i);
    interpolateForce(grid, force, targets, all, out);
    return out.accelerations;
  };
}
