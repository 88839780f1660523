/** How far the stencils of assignment and gradient reach, in cells (Hockney & Eastwood 1988, sect. 5-3 and 5-4). */
import { type Assignment, cellsBeside } from "../../../physics/particles/assignments.ts";

const GRADIENT_REACH = { "2-point": 1, "4-point": 2, spectral: 0 } as const;

/** Cells that assignment and gradient together reach past a particle's base cell. */
export function stencilReach(mesh: { assignment: Assignment; gradient: keyof typeof GRADIENT_REACH }): number {
  return cellsBeside(mesh.assignment).above + GRADIENT_REACH[mesh.gradient];
}
