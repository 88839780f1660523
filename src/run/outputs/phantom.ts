/** phantom.hdf5: the density of phantom matter on the mesh with every snapshot of modified gravity. */
import { join } from "node:path";
import { version } from "../../foundation/base/version.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { SeriesFile, type SeriesLayout } from "../io/series-file.node.ts";
import type { RunOutput } from "./output.ts";

const FILE = "phantom.hdf5";
const SERIES = "PhantomDensity";

export const phantom: RunOutput = {
  name: "phantom",
  meaning: "density of phantom matter on the mesh with every snapshot, with output.phantom in modified gravity",
  files: [FILE],
  has: ({ output }) => output.phantom,
  needs: (reached) => (reached.some(({ snapshot }) => snapshot) ? [FILE] : []),
  writer({ simulation, folder }) {
    const path = join(folder, FILE);
    let file: SeriesFile | undefined;
    return {
      beforeSteps: async () => {
        file = await SeriesFile.open(path, layoutOf(simulation));
      },
      atSnapshot: async ({ index }) => {
        file ??= await SeriesFile.create(path, layoutOf(simulation));
        const found = await simulation.phantomMatter();
        const density = found?.density ?? new Float64Array(simulation.scenario.mesh.cells ** 3);
        file.write(index, { [SERIES]: Float32Array.from(density) });
      },
    };
  },
};

function layoutOf({ scenario, outputs }: Simulation): SeriesLayout {
  const { box, mesh, units, title } = scenario;
  const { length, mass } = unitSystem(units.system).labels;
  const { cells } = mesh;
  return {
    times: outputs.filter(({ snapshot }) => snapshot).map(({ time }) => time),
    attributes: { title, gravmesh: version, units: units.system, BoxSize: box.size },
    series: [
      {
        ...{ name: SERIES, shape: [cells, cells, cells], bits: 32 },
        attributes: { unit: `${mass}/(${length})^3`, axes: "time, z, y, x" },
      },
    ],
  };
}
