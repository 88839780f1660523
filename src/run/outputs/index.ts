/** The outputs of a run, in the order in which they are written; those from outside come before the summary, the last. */
import { Registry } from "../../foundation/base/registry.ts";
import { bars } from "./bars.ts";
import { centres } from "./centres.ts";
import { clustering } from "./clustering.ts";
import { deck } from "./deck.ts";
import { diagnostics } from "./diagnostics.ts";
import { fields } from "./fields.ts";
import { components, galaxies } from "./galaxies.ts";
import { haloCatalogues } from "./halo-catalogues.ts";
import { haloes } from "./haloes.ts";
import { lightCone } from "./light-cone.ts";
import { maps } from "./maps.ts";
import { orbits } from "./orbits.ts";
import { addedOutputs, type RunOutput } from "./output.ts";
import { phantom } from "./phantom.ts";
import { powerSpectra } from "./power-spectra.ts";
import { report } from "./report.ts";
import { snapshots, subsamples } from "./snapshots.ts";
import { summary } from "./summary.ts";

const SHIPPED = [
  deck,
  diagnostics,
  galaxies,
  components,
  centres,
  snapshots,
  subsamples,
  maps,
  phantom,
  bars,
  orbits,
  powerSpectra,
  clustering,
  fields,
  haloes,
  haloCatalogues,
  lightCone,
  report,
];

/** Throws "usage" when two have one name. */
export function outputs(): readonly RunOutput[] {
  return new Registry<RunOutput>("output", [...SHIPPED, ...addedOutputs.records, summary]).records;
}
