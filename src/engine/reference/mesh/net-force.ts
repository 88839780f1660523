/**
 * Modified gravity without a net force on all mass, in float64. Both equations conserve momentum, and Newton's solvers do so by
 * symmetry, but what differences make of the modified equations pushes a body of few cells by itself: of two bodies by a hundredth of
 * their force on each other. The push is taken off where the mass is dense, by a field that falls as r⁻³ outside of it, that of the
 * mass less the mass shifted by λ:
 *   Φ += λ·g,   g = ∂Φ_N,   Σ m ∂_i(Φ − Φ_N) + Σ_j λ_j Σ m ∂_i g_j = 0
 * with the response Σ m ∂_i g_j, a positive matrix, by its inverse.
 */
import { differenceGradient } from "./gradient.ts";
import type { QumondMesh, Refinement } from "./qumond.ts";

/** Of the response's trace: where mass lies on a line or in a plane it has no inverse. */
const LEAST_RESPONSE = 1e-6;

export function withoutNetForce(
  { cells: n, boundary }: Pick<QumondMesh, "cells" | "boundary">,
  scheme: "2-point" | "4-point",
): Refinement {
  /** [n³·4] derivatives by x, y, z [cells], and the values. */
  const gradient = (of: Float64Array, by: "2-point" | "4-point") =>
    differenceGradient(of, { n, h: -1, scheme: by, wraps: boundary === "periodic" });
  return {
    ...{ held: 0, working: 14 * 8 * n ** 3 },
    refine(density, potential, newton) {
      const field = gradient(newton, "2-point");
      const component = (axis: number) => newton.map((_, i) => field[4 * i + axis]);
      const [force, ...response] = [potential.map((phi, i) => phi - newton[i]), ...[0, 1, 2].map(component)].map((of) =>
        sumBy(density, gradient(of, scheme)),
      );
      const trace = response.reduce((sum, column, axis) => sum + column[axis], 0);
      if (!(trace > 0)) return potential;
      for (const axis of [0, 1, 2]) response[axis][axis] += LEAST_RESPONSE * trace;
      const shift = solved(response, force);
      return potential.map((phi, i) => shift.reduce((sum, by, axis) => sum - by * field[4 * i + axis], phi));
    },
  };
}

/** Sums of a vector field by mass. */
function sumBy(density: Float64Array, field: Float64Array): number[] {
  const sums = [0, 0, 0];
  for (const [i, rho] of density.entries()) {
    for (let axis = 0; axis < 3; axis++) sums[axis] += rho * field[4 * i + axis];
  }
  return sums;
}

const cross = ([a, b, c]: number[], [x, y, z]: number[]) => [b * z - c * y, c * x - a * z, a * y - b * x];
const dot = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** x of x₀ a + x₁ b + x₂ c = v. */
function solved([a, b, c]: number[][], v: number[]): number[] {
  const determinant = dot(a, cross(b, c));
  return [cross(b, c), cross(c, a), cross(a, b)].map((normal) => dot(v, normal) / determinant);
}
