/** How far the stencils of assignment and gradient reach, in cells (Hockney & Eastwood 1988, sect. 5-3 and 5-4). */
import type { Assignment, GradientScheme, MeshSettings } from "./settings.ts";

/** Cells an axis that a particle touches. */
export const SUPPORT: Record<Assignment, 1 | 2 | 3> = { ngp: 1, cic: 2, tsc: 3 };
const ASSIGNMENT_REACH: Record<Assignment, number> = { ngp: 0, cic: 1, tsc: 1 };
const GRADIENT_REACH: Record<GradientScheme, number> = { "2-point": 1, "4-point": 2, spectral: 0 };

/** Cells that assignment and gradient together reach past a particle's base cell. */
export function stencilReach(mesh: Pick<MeshSettings, "assignment" | "gradient">): number {
  return ASSIGNMENT_REACH[mesh.assignment] + GRADIENT_REACH[mesh.gradient];
}
