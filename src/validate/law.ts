/**
 * The second part of a validation: the force of a point mass on the scenario's mesh by separation, beside the figures
 * of docs/accuracy.md where the scheme is in its tables.
 */

import { GravmeshError } from "../base/errors.ts";
import type { GpuContext } from "../gpu/context.ts";
import { poissonMethods } from "../mesh/poisson-methods.ts";
import type { MeshSettings, PipelineSettings } from "../mesh/settings.ts";
import type { Boundary } from "../particles/box.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { pipelineForces } from "./pipeline-forces.ts";
import { FORCE_ERROR_SEPARATIONS, pointMassForceError } from "./point-mass.ts";
import type { ForceLaw } from "./record.ts";

/** Cells per side that the tables are of, for a larger mesh; half as many without a GPU, where 64³ takes minutes. */
const MOST_CELLS = { gpu: 64, cpu: 32 };
/** [cells] */
const SEPARATIONS = [0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 11, 16, 22];
/** Cells that targets keep from the ends of an isolated mesh. */
const MARGIN = 4;

/** The tables of docs/accuracy.md at FORCE_ERROR_SEPARATIONS: mean radial error / scatter [%], 64³ cells. */
export const KNOWN_FORCE_LAW: Record<Boundary, Record<string, string>> = {
  periodic: {
    "NGP, discrete, 2-point": "-1.68/63.12 -0.57/36.08 0.18/26.76 -0.02/17.12 -0.02/12.36 0.06/6.52",
    "CIC, discrete, 2-point": "-1.16/16.67 -0.02/8.06 0/4.72 0/2.19 0/1.26 0/0.34",
    "CIC, discrete, 4-point": "8.30/15.72 0.05/4.77 0/3.17 0/1.63 0/0.97 0/0.27",
    "CIC, exact, 4-point": "4.44/12.67 0.84/5.16 -0.01/2.00 0.02/0.91 0.01/0.58 0/0.26",
    "TSC, discrete, 2-point": "-7.50/10.03 -0.03/6.49 0/4.07 0/1.98 0/1.15 0/0.32",
    "TSC, exact, 4-point": "-2.90/7.32 1.48/2.67 0/1.03 0/0.23 0/0.12 0/0.07",
    "CIC, exact, spectral": "-0.79/17.27 2.73/11.87 -3.19/13.31 -2.60/12.96 -2.03/11.88 -0.45/3.68",
  },
  isolated: {
    "CIC, truncated, 2-point": "-5.17/13.74 0.06/8.78 0.03/4.44 0.02/2.05 0/1.18 0/0.32",
    "CIC, truncated, 4-point": "4.44/12.67 0.84/5.15 -0.01/2.00 0.02/0.90 0.01/0.56 0/0.21",
    "TSC, truncated, 4-point": "-2.90/7.32 1.48/2.67 0/1.03 0/0.23 0/0.11 0/0.05",
    "CIC, cell-integrated, 2-point": "-9.18/12.56 -0.13/8.21 -0.01/4.51 0/1.99 0/1.12 0/0.28",
    "CIC, cell-integrated, 4-point": "-0.11/11.52 1.15/4.36 -0.01/2.05 0/0.83 0/0.47 0/0.11",
    "TSC, cell-integrated, 4-point": "-6.99/6.59 1.12/2.27 0.11/0.95 0/0.20 0/0.07 0/0.01",
  },
};

/** The known figures of a scheme at a separation [cells]. */
function known({ mesh, box }: Scenario, scheme: string, separation: number): ForceLaw["rows"][number]["known"] {
  if (!poissonMethods[mesh.poisson].greenFunction) return null;
  const row = KNOWN_FORCE_LAW[box.boundary][scheme];
  const at = FORCE_ERROR_SEPARATIONS.indexOf(separation as (typeof FORCE_ERROR_SEPARATIONS)[number]);
  if (row === undefined || at < 0) return null;
  const [meanRadial, scatter] = row.split(" ")[at].split("/").map(Number);
  return { meanRadial, scatter };
}

/** Name of a scheme in a table: "CIC, exact, 4-point"; "multigrid, CIC, 4-point" where no Green's function is in it. */
export function schemeText(
  mesh: Pick<MeshSettings, "poisson" | "assignment" | "green" | "kernel" | "gradient">,
  boundary: Boundary,
): string {
  const assignment = mesh.assignment.toUpperCase();
  if (!poissonMethods[mesh.poisson].greenFunction) return `${mesh.poisson}, ${assignment}, ${mesh.gradient}`;
  return `${assignment}, ${boundary === "periodic" ? mesh.green : mesh.kernel}, ${mesh.gradient}`;
}

/** Measures; undefined after an interruption. */
export async function measureForceLaw(
  scenario: Scenario,
  gpu: GpuContext | undefined,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (fraction: number) => void },
): Promise<ForceLaw | undefined> {
  const { mesh, multigrid, box } = scenario;
  const cells = Math.min(gpu ? MOST_CELLS.gpu : MOST_CELLS.cpu, mesh.cells);
  const { boundary } = box;
  const settings: PipelineSettings = {
    ...{ mesh: { ...mesh, cells }, multigrid, boundary },
    ...{ boxSize: 1, G: 1, externalPotentials: [] },
  };
  const room = boundary === "isolated" ? cells / 2 - MARGIN : cells / 2;
  const separations = SEPARATIONS.filter((separation) => separation < room);
  const { forces, destroy } = pipelineForces(settings, gpu);
  let sources = 0;
  try {
    const rows = await pointMassForceError(
      async (source, targets) => {
        if (signal.aborted) throw new GravmeshError("aborted", "force law: the caller's signal ended it");
        onProgress(sources++ / 64);
        return forces(source, targets);
      },
      { cells, boundary, separations },
    );
    const scheme = schemeText(mesh, boundary);
    return { cells, scheme, rows: rows.map((row) => ({ ...row, known: known(scenario, scheme, row.separation) })) };
  } catch (error) {
    if (error instanceof GravmeshError && error.kind === "aborted") return undefined;
    throw error;
  } finally {
    destroy();
  }
}
