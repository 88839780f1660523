/** The suites by name: what --help shows. What loads them is in suites/index.ts. */

export interface SuiteName {
  id: string;
  /** For the list of commands. */
  summary: string;
  /** For the command's own help. */
  description: string;
}

export const SUITE_NAMES: readonly SuiteName[] = [
  {
    id: "aubert2009",
    summary: "particle-mesh: time per stage, speed-up over the CPU, energy",
    description:
      "Aubert, Amini & David 2009: time per stage and speed-up over the CPU pipeline for a Plummer sphere, a disk and a " +
      "uniform box, with three histograms and two Poisson solvers; energy conservation.",
  },
];
