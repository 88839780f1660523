/** multipoles_000.csv, cross_000.csv, bispectrum_000.csv, correlation_000.csv …: what the deck's [spectra] asks for, with every snapshot. */
import { join } from "node:path";
import { unitSystem } from "../../foundation/deck/units.ts";
import { Background } from "../../physics/cosmology/background.ts";
import { withMasses } from "../../physics/particles/source.ts";
import { wantsStatistics } from "../../scenario/spectra.ts";
import { measuredStatistics, type Statistics, statisticCsv, statisticName } from "../clustering.ts";
import { writeFileAtomic } from "../io/files.node.ts";
import type { RunOutput } from "./output.ts";
import { linearTheory } from "./power-spectra.ts";

/** The statistics of a snapshot, as report.html shows them. */
export interface ClusteringAt extends Statistics {
  index: number;
  /** [time] */
  time: number;
}

export const clustering: RunOutput<readonly ClusteringAt[]> = {
  name: "clustering",
  meaning:
    "multipoles, cross-spectra, bispectrum and correlation function with every snapshot, as the table spectra says",
  files: [/^(multipoles|cross|bispectrum|correlation)_\d{3,}\.csv$/],
  has: ({ spectra, box }) => wantsStatistics(spectra) && box.boundary === "periodic",
  writer({ simulation, folder, kept, activity }) {
    const { scenario, components, weights } = simulation;
    const { spectra: settings, box, time: clock, cosmology, units } = scenario;
    const { length } = unitSystem(units.system).labels;
    const all: ClusteringAt[] = [];
    const write = (found: ClusteringAt) => {
      all.push(found);
      const { index, time, ...tables } = found;
      for (const [statistic, table] of Object.entries(tables)) {
        writeFileAtomic(join(folder, statisticName(statistic, index)), statisticCsv(table, time, length));
      }
    };
    // Those of earlier sessions too: whatever has become of their files.
    for (const found of (kept as ClusteringAt[] | undefined) ?? []) write(found);
    return {
      atSnapshot: async ({ index, time, blocks }) => {
        activity("spectra");
        const source = {
          ...{ settings, boxSize: box.size, time, components },
          blocks: () => withMasses(blocks({ reuse: true }), weights),
          ...(clock.clock === "comoving" && { hubble: new Background(cosmology).hubble(time) }),
          linear: await linearTheory(scenario),
        };
        write({ index, time, ...(await measuredStatistics(source)) });
      },
      keep: () => all,
      summary: () => all,
    };
  },
};
