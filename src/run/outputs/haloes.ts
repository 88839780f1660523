/** haloes.csv, haloes.hdf5: friends-of-friends haloes of a periodic run at its end. */
import { join } from "node:path";
import { massFunction as predictedMassFunction } from "../../cosmology/mass-function.ts";
import { unitSystem } from "../../deck/units.ts";
import { massFunction } from "../../diagnostics/friends-of-friends-catalogue.ts";
import { writeHaloesCsv, writeHaloesHdf5 } from "../../io/haloes.node.ts";
import { haloSummary } from "../../io/haloes.ts";
import type { RunOutput } from "./output.ts";
import { linearTheory } from "./theory.ts";

const [CSV, HDF5] = ["haloes.csv", "haloes.hdf5"];

export const haloes: RunOutput = {
  name: "haloes",
  meaning: "catalogue of friends-of-friends haloes at the end of a periodic run, with output.haloes",
  files: [CSV, HDF5],
  has: ({ output, box }) => output.haloes && box.boundary === "periodic",
  writer: ({ simulation, folder, written }) => ({
    atEnd: async () => {
      const { scenario, time } = simulation;
      const catalogue = await simulation.haloes();
      const { labels, G } = unitSystem(scenario.units.system);
      const info = { time, units: labels };
      writeHaloesCsv(join(folder, CSV), catalogue, info);
      await writeHaloesHdf5(join(folder, HDF5), catalogue, info);
      const linear = await linearTheory(scenario);
      const predicted = (model: "press-schechter" | "tinker") => (mass: number) =>
        predictedMassFunction(model, linear!, G, [mass], time)[0];
      const theory = linear && { pressSchechter: predicted("press-schechter"), tinker: predicted("tinker") };
      written.haloes = haloSummary(catalogue, massFunction(catalogue), theory);
    },
  }),
};
