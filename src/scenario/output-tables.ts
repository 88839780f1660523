/** The tables of a deck that say what a run writes, and what a schema can't see in them; another is a line in both. */
import type { Problem } from "../foundation/deck/problems.ts";
import { barsProblems, barsTable } from "./bars.ts";
import { fieldsProblems, fieldsTable } from "./fields.ts";
import { haloesProblems, haloesTable } from "./haloes.ts";
import { lightconeProblems, lightconeTable } from "./lightcone.ts";
import { mapsProblems, mapsTable } from "./maps.ts";
import { orbitsProblems, orbitsTable } from "./orbits.ts";
import { outputProblems, outputTable } from "./output.ts";
import type { Scenario } from "./scenario.ts";
import { spectraProblems, spectraTable } from "./spectra.ts";
import { subsampleProblems, subsampleTable } from "./subsample.ts";

export const outputTables = {
  output: outputTable,
  maps: mapsTable,
  subsample: subsampleTable,
  bars: barsTable,
  haloes: haloesTable,
  orbits: orbitsTable,
  spectra: spectraTable,
  fields: fieldsTable,
  lightcone: lightconeTable,
};
export const outputTableNames = Object.keys(outputTables) as (keyof typeof outputTables)[];

export const outputTableProblems = (scenario: Scenario): Problem[] => [
  ...outputProblems(scenario.output, scenario.time),
  ...mapsProblems(scenario),
  ...subsampleProblems(scenario.subsample, scenario.time),
  ...barsProblems(scenario),
  ...haloesProblems(scenario),
  ...orbitsProblems(scenario),
  ...spectraProblems(scenario),
  ...fieldsProblems(scenario),
  ...lightconeProblems(scenario),
];
