/** The table [fields]: density and velocity on a grid at times of their own, displacement and linear density of the start. */
import { z } from "zod";
import { choices, derived, integer, optional } from "../foundation/deck/keys.ts";
import { meshSize } from "../foundation/deck/mesh-sizes.ts";
import { mismatchIf, type Problem } from "../foundation/deck/problems.ts";
import { listedTimes, listProblems, onceProblems } from "./output.ts";
import type { Scenario } from "./scenario.ts";
import { hostCellProblems, hostCells } from "./spectra.ts";

export const fieldsTable = z
  .strictObject({
    of: optional(choices("density", "velocity", "displacement", "linear density"), [], {
      meaning:
        '"density" and the mass-weighted "velocity" at every time, "displacement" and "linear density" of the start on the first component that is a displaced lattice; none when empty',
    }),
    cells: derived(meshSize, hostCells, { unit: "cells", meaning: "per side of the grid of density and velocity" }),
    count: optional(integer(1, 10_000), 1, { meaning: "times after the initial one, evenly spaced" }),
    times: listedTimes("fields at these times alone,"),
    formats: optional(choices("hdf5", "npy"), ["hdf5"], {
      meaning:
        '"hdf5": fields.hdf5 and initial_fields.hdf5; "npy": a file a field and time, fields_000_density.npy and so on',
    }),
  })
  .describe("Fields on a grid: density and velocity at chosen times, displacement and linear density of the start");
export type FieldsSettings = z.output<typeof fieldsTable>;

export const hasFields = ({ fields: { of } }: { fields: FieldsSettings }, ...wanted: FieldsSettings["of"]): boolean =>
  wanted.some((one) => of.includes(one));

/** Numbers of a cell of the grid at each time. */
export const gridNumbers = (of: FieldsSettings["of"]): number =>
  (of.includes("density") ? 1 : 0) + (of.includes("velocity") ? 3 : 0);

/** The first component that is a displaced lattice; it has `order` if it is one of a random field. */
export const latticeOf = ({ particles }: Pick<Scenario, "particles">) =>
  particles.find((one) => one.kind === "lattice" || one.kind === "plane-wave");

export function fieldsProblems(scenario: Scenario): Problem[] {
  const { fields, box, time } = scenario;
  const hint = 'Only the kinds "lattice" and "plane-wave" begin at points of a lattice';
  const initial = hasFields(scenario, "displacement", "linear density") && !latticeOf(scenario);
  return [
    ...onceProblems(["fields", "of"], fields.of, "each field once"),
    ...onceProblems(["fields", "formats"], fields.formats, "each format once"),
    ...mismatchIf(fields.formats.length === 0, ["fields", "formats"], "at least one format", fields.formats),
    ...hostCellProblems("fields", fields.cells),
    ...listProblems(["fields", "times"], fields.times, time),
    ...mismatchIf(
      fields.of.length > 0 && box.boundary !== "periodic",
      ["fields", "of"],
      'none with box.boundary = "isolated"',
      fields.of,
    ),
    ...mismatchIf(initial, ["fields", "of"], "a displaced lattice among [[particles]]", fields.of, hint),
  ];
}
