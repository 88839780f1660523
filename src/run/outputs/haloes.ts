/** haloes.csv, haloes.hdf5: friends-of-friends haloes of a periodic run at its end. */
import { join } from "node:path";
import { type HaloCatalogue, haloMassFunction } from "../../engine/diagnostics/friends-of-friends-catalogue.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { massFunction as predictedMassFunction } from "../../physics/cosmology/mass-function.ts";
import { writeHaloesCsv, writeHaloesHdf5 } from "../io/haloes.node.ts";
import type { RunOutput } from "./output.ts";
import { linearTheory } from "./power-spectra.ts";

const [CSV, HDF5] = ["haloes.csv", "haloes.hdf5"];

export const haloes: RunOutput<HaloSummary> = {
  name: "haloes",
  meaning: "catalogue of friends-of-friends haloes at the end of a periodic run, with output.haloes",
  files: [CSV, HDF5],
  has: ({ output, box }) => output.haloes && box.boundary === "periodic",
  writer({ simulation, folder }) {
    let found: HaloSummary | undefined;
    return {
      atEnd: async () => {
        const { scenario, time } = simulation;
        const catalogue = await simulation.haloes();
        const { labels, G } = unitSystem(scenario.units.system);
        const info = { time, units: labels };
        writeHaloesCsv(join(folder, CSV), catalogue, info);
        await writeHaloesHdf5(join(folder, HDF5), catalogue, info);
        const linear = await linearTheory(scenario);
        const predicted = (model: "press-schechter" | "sheth-tormen" | "tinker", mass: number) =>
          predictedMassFunction(model, linear!, G, [mass], time)[0];
        found = summaryOf(catalogue, (mass) =>
          linear
            ? {
                pressSchechter: predicted("press-schechter", mass),
                shethTormen: predicted("sheth-tormen", mass),
                tinker: predicted("tinker", mass),
              }
            : {},
        );
      },
      summary: () => found,
    };
  },
};

/** What a report shows of a catalogue: counts and the mass function beside theory. */
export type HaloSummary = ReturnType<typeof summaryOf>;

/** `leastMass`: of the lightest halo that could be found [mass]; `massFunction`: dn/dlnM [1/length³], Poisson error, and theory where there is a cosmology. */
function summaryOf(
  catalogue: HaloCatalogue,
  theory: (mass: number) => { pressSchechter?: number; shethTormen?: number; tinker?: number },
) {
  const { count, masses, members, linkingLength, minimumMembers } = catalogue;
  const particleMass = masses.reduce((least, mass, i) => Math.min(least, mass / members[i]), Number.POSITIVE_INFINITY);
  const leastMass = count > 0 ? minimumMembers * particleMass : 0;
  const { mass: means, number, density } = haloMassFunction(catalogue);
  const rows = Array.from(means, (mass, i) => ({ mass, density: density[i], error: density[i] / Math.sqrt(number[i]) }))
    .filter((_, i) => number[i] > 0)
    .map((bin) => ({ ...bin, ...theory(bin.mass) }));
  return { count, heaviest: masses[0] ?? 0, linkingLength, minimumMembers, leastMass, massFunction: rows };
}
