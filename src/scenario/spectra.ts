/** The table [spectra]: what is measured of the density's modes with every snapshot of a periodic run, besides its power. */
import { z } from "zod";
import {
  choice,
  type DerivedDefault,
  derived,
  entry,
  flag,
  integer,
  numbers,
  optional,
} from "../foundation/deck/keys.ts";
import { meshSize } from "../foundation/deck/mesh-sizes.ts";
import { mismatchIf, type Problem, shortest } from "../foundation/deck/problems.ts";
import type { Scenario } from "./scenario.ts";

/** Two meshes in float64 and their transforms of this many cells a side take eight times the 0.7 GiB of 256. */
export const MOST_HOST_CELLS = 512;
const USUAL_CELLS = 256;

/** The mesh's own cells, for what is computed on the host as many as are quick. */
export const hostCells: DerivedDefault = {
  text: `mesh.cells, at most ${USUAL_CELLS}`,
  value({ deck }) {
    const cells = meshSize.schema().safeParse(entry(deck, "mesh", "cells"));
    return cells.success ? Math.min(cells.data, USUAL_CELLS) : 64;
  },
};

export const hostCellProblems = (table: string, cells: number): Problem[] =>
  mismatchIf(cells > MOST_HOST_CELLS, [table, "cells"], `at most ${MOST_HOST_CELLS}`, cells);

export const spectraTable = z
  .strictObject({
    cells: derived(meshSize, hostCells, { unit: "cells", meaning: "per side of the mesh of all that follows" }),
    multipoles: optional(choice("none", "x", "y", "z"), "none", {
      meaning: "expanding box: P₀, P₂, P₄ in redshift space, with this axis as the line of sight",
    }),
    cross: optional(flag, false, { meaning: "power of every component, cross-power and correlation of every two" }),
    triangles: optional(integer(0, 24), 0, {
      meaning: "bins of k for the bispectrum of all their triangles; 0 is off",
    }),
    triangleWidth: optional(integer(1, 64), 2, {
      meaning: "width of such a bin in wavenumbers of the box, 2π/box.size",
    }),
    correlation: optional(integer(0, 1000), 0, { meaning: "bins of r for the two-point correlation ξ(r); 0 is off" }),
    separations: optional(numbers, [], {
      unit: "length",
      meaning: "[least, largest] of these bins, which are equal in log r; when empty from 2 cells to box.size/4",
    }),
  })
  .describe("Statistics of the density's modes with every snapshot of a periodic run");
export type SpectraSettings = z.output<typeof spectraTable>;

export const wantsStatistics = ({ multipoles, cross, triangles, correlation }: SpectraSettings): boolean =>
  multipoles !== "none" || cross || triangles > 0 || correlation > 0;

/** What there is to know of a run, or of a snapshot. */
interface Measured {
  spectra: SpectraSettings;
  box: Pick<Scenario["box"], "size" | "boundary">;
  time: Pick<Scenario["time"], "clock">;
  particles: readonly { kind: string }[];
}

export function spectraProblems({ spectra, box, time, particles }: Measured): Problem[] {
  const { cells, multipoles, cross, triangles, triangleWidth, separations } = spectra;
  const at = (key: string) => ["spectra", key];
  const [least, largest] = separations;
  const inOrder = separations.length === 0 || (separations.length === 2 && least > 0 && least < largest);
  const one = particles.length === 1 && particles[0].kind !== "snapshot";
  const hint = "Modes are those of a box that repeats itself";
  return [
    ...hostCellProblems("spectra", cells),
    ...mismatchIf(
      wantsStatistics(spectra) && box.boundary !== "periodic",
      ["spectra"],
      'box.boundary = "periodic"',
      box.boundary,
      hint,
    ),
    ...mismatchIf(
      multipoles !== "none" && time.clock !== "comoving",
      at("multipoles"),
      '"none" with time.clock = "static"',
      multipoles,
      "Redshifts need an expansion",
    ),
    ...mismatchIf(cross && one, at("cross"), "false with one component", cross),
    ...mismatchIf(
      triangles * triangleWidth + 0.5 > cells / 2,
      at("triangles"),
      `triangles × triangleWidth below spectra.cells / 2 = ${cells / 2}, the Nyquist wavenumber`,
      triangles * triangleWidth,
    ),
    ...mismatchIf(
      !inOrder || (largest ?? 0) > box.size / 2,
      at("separations"),
      `[least, largest] with 0 < least < largest ≤ box.size / 2 = ${shortest(box.size / 2)}`,
      separations,
    ),
  ];
}

/** Edges of the bins of r [bins + 1] [length]. */
export function separationEdges(
  { cells, correlation, separations }: Pick<SpectraSettings, "cells" | "correlation" | "separations">,
  boxSize: number,
): Float64Array {
  const [least, largest] = separations.length > 0 ? separations : [(2 * boxSize) / cells, boxSize / 4];
  return Float64Array.from(
    { length: correlation + 1 },
    (_, i) => least * (largest / least) ** (i / Math.max(1, correlation)),
  );
}
