/**
 * `gravmesh bench force`: the force of a point mass on the mesh, through the whole pipeline, against Ewald's sum
 * (periodic) or −1/r² (isolated): mean radial error and rms scatter by separation, scheme by scheme; with the pairs of P³M rms and
 * largest error.
 */

import type { MeshSettings } from "../../engine/mesh/settings.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import { textTable } from "../../run/page/text.ts";
import type { TableContext, TableStudy } from "../table-study.ts";
import {
  FORCE_ERROR_SEPARATIONS,
  forceErrorsByPart,
  KNOWN_FORCE_LAW,
  PAIRS_OF_POINTS,
  pipelineForces,
  schemeText,
  unitBox,
} from "../validate/law.ts";

/** `green` counts in a periodic box, `kernel` in an isolated one. */
export type ForceLawScheme = Pick<MeshSettings, "assignment" | "green" | "kernel" | "gradient"> & { pairs?: boolean };

/** [cells], with pairs */
const PAIR_SEPARATIONS = [0.1, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12];

/** Those that pairs are for (docs/p3m.md). */
const PAIR_SCHEMES: ForceLawScheme[] = (["tsc", "cic"] as const).map((assignment) => {
  return { assignment, green: "exact", kernel: "split", gradient: "4-point", pairs: true };
});

export type ForceResult = Awaited<ReturnType<typeof benchForce>>;

/** The schemes of the table in docs/accuracy.md. */
export const schemesOf = (boundary: Boundary): ForceLawScheme[] =>
  Object.keys(KNOWN_FORCE_LAW[boundary]).map((name) => {
    const [assignment, kind, gradient] = name.split(", ");
    const usual = { green: "exact", kernel: "truncated" };
    const own = { [boundary === "periodic" ? "green" : "kernel"]: kind };
    return { assignment: assignment.toLowerCase(), ...usual, ...own, gradient } as ForceLawScheme;
  });

/** Error of one scheme, on the GPU or (without one) in float64 on the CPU. */
export async function benchForce(
  { gpu, signal, progress: onProgress }: TableContext,
  { cells, boundary, of }: { cells: number; boundary: Boundary; of: ForceLawScheme },
) {
  // An isolated box ends where the mesh does: targets have to stay on it.
  const room = boundary === "isolated" ? cells / 2 - 4 : cells / 2;
  const { pairs, ...scheme } = of;
  const separations = (pairs ? PAIR_SEPARATIONS : FORCE_ERROR_SEPARATIONS).filter((one) => one < room);
  const settings = { ...unitBox(boundary, { cells, ...scheme }), ...(pairs && { pairs: PAIRS_OF_POINTS }) };
  return releasing(pipelineForces(settings, gpu), async ({ forces }) => {
    const [rows] = await forceErrorsByPart(forces, { cells, boundary, separations, signal, onProgress });
    return { scheme: of, rows };
  });
}

/** All schemes of a boundary, or those with pairs. */
export const forceStudy = (
  cells: number,
  boundary: Boundary,
  pairs = false,
): TableStudy<ForceLawScheme, ForceResult> => ({
  cases: pairs ? PAIR_SCHEMES : schemesOf(boundary),
  label: (scheme) => schemeText({ ...scheme, poisson: "fft" }, boundary),
  measure: (of, context) => benchForce(context, { cells, boundary, of }),
});

/** Mean radial error and scatter [%], with pairs rms and largest error, a row a scheme. */
export function forceText(results: readonly ForceResult[], boundary: Boundary): string {
  const header = ["scheme", ...(results[0]?.rows.map(({ separation }) => String(separation)) ?? [])];
  const rows = results.map(({ scheme: of, rows: errors }) => [
    schemeText({ ...of, poisson: "fft" }, boundary),
    ...errors.map(({ meanRadial, scatter, largest }) => {
      const shown = of.pairs ? [Math.hypot(meanRadial, scatter), largest] : [meanRadial, scatter];
      return shown.map((one) => one.toFixed(2)).join("/");
    }),
  ]);
  return textTable(header, rows);
}
