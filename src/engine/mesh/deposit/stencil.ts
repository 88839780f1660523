/** How far the stencils of assignment and gradient reach, in cells (Hockney & Eastwood 1988, sect. 5-3 and 5-4). */

/** Cells an axis that a particle touches. */
export const SUPPORT = { ngp: 1, cic: 2, tsc: 3 } as const;
const ASSIGNMENT_REACH = { ngp: 0, cic: 1, tsc: 1 } as const;
const GRADIENT_REACH = { "2-point": 1, "4-point": 2, spectral: 0 } as const;

/** Cells that assignment and gradient together reach past a particle's base cell. */
export function stencilReach(mesh: {
  assignment: keyof typeof ASSIGNMENT_REACH;
  gradient: keyof typeof GRADIENT_REACH;
}): number {
  return ASSIGNMENT_REACH[mesh.assignment] + GRADIENT_REACH[mesh.gradient];
}
