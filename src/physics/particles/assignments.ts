/**
 * Mass assignment and interpolation on a mesh. The cloud of a particle is p boxes of a cell, convolved; values lie at cell
 * centres (i + ½)h. In cell units s = x/h (Hockney & Eastwood 1988, sect. 5-3):
 *   odd p   base ⌊s⌋,      offset o = s − base        NGP, TSC
 *   even p  base ⌊s − ½⌋,  offset o = s − ½ − base    CIC
 * The deposit in integers has a record of its own, engine/mesh/deposit/deposit-sums.ts.
 */

export interface AssignmentScheme {
  /** p: cells an axis that a particle touches, and the power of sinc in the window W(k). */
  order: 1 | 2 | 3;
  /** For the deck's documentation. */
  meaning: string;
  /** The weights of the touched cells, the lowest first, at `at` and after. */
  setWeights(weights: Float64Array, at: number, offset: number): void;
  /**
   * −2 h W/(N G m²) of a particle with its own cloud in a cell of side h, the mean over a cell less that at its corner
   * (test/unit/checks.test.ts), for the 7-point Laplacian; 0.329 (CIC) and 0.069 (TSC) with −1/k².
   */
  ownEnergyChange: number;
  /** Largest difference in P(k) at z = 0 that particles off the cells' centres make (docs/snapshots.md) [%], where measured. */
  shiftedLattice?: number;
}

const ngp: AssignmentScheme = {
  order: 1,
  meaning: "nearest cell",
  setWeights(weights, at) {
    weights[at] = 1;
  },
  ownEnergyChange: 0,
};

const cic: AssignmentScheme = {
  order: 2,
  meaning: "linear (8 cells)",
  setWeights(weights, at, offset) {
    weights[at] = 1 - offset;
    weights[at + 1] = offset;
  },
  ownEnergyChange: 0.465,
  shiftedLattice: 8,
};

const tsc: AssignmentScheme = {
  order: 3,
  meaning: "quadratic (27 cells)",
  setWeights(weights, at, offset) {
    const d = offset - 0.5; // from the cell's centre
    weights[at] = 0.5 * (0.5 - d) * (0.5 - d);
    weights[at + 1] = 0.75 - d * d;
    weights[at + 2] = 0.5 * (0.5 + d) * (0.5 + d);
  },
  ownEnergyChange: 0.105,
  shiftedLattice: 2,
};

export const assignments = { ngp, cic, tsc };
export type Assignment = keyof typeof assignments;
export const assignmentNames = Object.keys(assignments) as [Assignment, ...Assignment[]];

/** Where offsets are counted from: 0 for the lower face of a cell, ½ for its centre. */
export const offsetOrigin = (assignment: Assignment): number => (assignments[assignment].order % 2 === 0 ? 0.5 : 0);

/** Cells that a particle touches below its base cell and above it, an axis. */
export function cellsBeside(assignment: Assignment): { below: number; above: number } {
  const { order } = assignments[assignment];
  return { below: Math.floor((order - 1) / 2), above: Math.floor(order / 2) };
}
