/** haloes_000.hdf5 and .csv …: spherical haloes of an expanding box; halo_trees.hdf5 and .csv: their merger trees, from these files. */
import { join } from "node:path";
import { haloMassFunction } from "../../engine/diagnostics/friends-of-friends-catalogue.ts";
import { HaloTrees, type TreeHalo } from "../../engine/diagnostics/halo-trees.ts";
import { type OverdensityParticles, sphericalHaloes } from "../../engine/diagnostics/spherical-overdensity.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { Background } from "../../physics/cosmology/background.ts";
import { massFunction } from "../../physics/cosmology/mass-function.ts";
import { type HaloDefinition, matterDensity, meanOverdensity } from "../../physics/cosmology/overdensity.ts";
import { findsSphericalHaloes } from "../../scenario/haloes.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { catalogueName, readCatalogue, writeCatalogue, writeTrees } from "../io/halo-catalogue.node.ts";
import type { OutputRun, OutputWriter, RunOutput } from "./output.ts";
import { linearTheory } from "./power-spectra.ts";

const TREES = "halo_trees";

/** What a report shows: all haloes in their trees, and the mass function of the last catalogue. */
export interface HaloHistory {
  definition: HaloDefinition;
  trees: readonly TreeHalo[];
  /** Scale factors of the catalogues. */
  times: readonly number[];
  /** At the last of them: dn/dlnM [1/length³] with its Poisson error, and that of Tinker et al. 2008. */
  massFunction: { mass: number; density: number; error: number; tinker: number }[];
}

export const haloCatalogues: RunOutput<HaloHistory> = {
  name: "halo catalogues",
  meaning:
    "spherical haloes of an expanding box with haloes.definitions, with every snapshot or at times of their own, and their merger trees",
  files: [/^haloes_\d{3,}\.(csv|hdf5)$/, `${TREES}.csv`, `${TREES}.hdf5`],
  has: findsSphericalHaloes,
  needs: (reached) => reached.filter(({ haloes }) => haloes).map((_, index) => `${catalogueName(index)}.hdf5`),
  writer,
};

function writer({ simulation, folder }: OutputRun): OutputWriter<HaloHistory> {
  const { scenario } = simulation;
  const { definitions, members } = scenario.haloes;
  const { box, gravity, p3m, mesh, units } = scenario;
  const { G } = unitSystem(units.system);
  const background = new Background(scenario.cosmology);
  let history: HaloHistory | undefined;
  return {
    at: {
      haloes: async ({ index, time: scaleFactor }) => {
        const particles = await massiveParticles(simulation);
        const overdensities = definitions.map((one) => meanOverdensity(one, background, scaleFactor));
        const found = sphericalHaloes(particles, {
          ...{ boxSize: box.size, minimumMembers: members, scaleFactor, G },
          densities: overdensities.map((one) => one * matterDensity(background, G)),
          resolution: gravity === "p3m" ? p3m.softening : box.size / mesh.cells,
          hubble: background.hubble(scaleFactor),
        });
        const particleMass = particles.masses.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
        const head = { scaleFactor, boxSize: box.size, definitions, overdensities, members, particleMass };
        await writeCatalogue(join(folder, catalogueName(index)), index, found, head);
      },
    },
    // From the files, so that it is the same in a run that was resumed.
    beforeStop: async () => {
      const [definition] = definitions;
      const reached = simulation.outputs.slice(0, simulation.output + 1).filter(({ haloes }) => haloes);
      const grown = new HaloTrees(members);
      for (const index of reached.keys()) {
        grown.add(await readCatalogue(join(folder, `${catalogueName(index)}.hdf5`), definition));
      }
      const trees = grown.haloes();
      await writeTrees(join(folder, TREES), trees, definition);
      const times = reached.map(({ time }) => time);
      const last = trees.filter(({ output }) => output === times.length - 1);
      history = { definition, trees, times, massFunction: await compared(last, times.at(-1) ?? 1) };
    },
    summary: () => history,
  };

  async function compared(last: readonly TreeHalo[], a: number): Promise<HaloHistory["massFunction"]> {
    const linear = await linearTheory(scenario);
    if (!linear || last.length === 0) return [];
    const masses = Float64Array.from(last, ({ mass }) => mass);
    const { mass, number, density } = haloMassFunction({ masses, boxSize: box.size });
    const model = { tinker: meanOverdensity(definitions[0], background, a) };
    const tinker = massFunction(model, linear, G, mass, a);
    return Array.from(mass, (M, i) => ({
      ...{ mass: M, density: density[i], error: density[i] / Math.sqrt(number[i]), tinker: tinker[i] },
    })).filter((one) => one.density > 0);
  }
}

/** Those with mass, with peculiar velocities: a state's are a times these. */
async function massiveParticles(simulation: Simulation): Promise<OverdensityParticles> {
  const { particleCount, time, scenario } = simulation;
  const all = {
    ids: new Uint32Array(particleCount),
    positions: new Float64Array(3 * particleCount),
    velocities: new Float32Array(3 * particleCount),
    masses: new Float64Array(particleCount),
  };
  const { size } = scenario.box;
  let count = 0;
  for await (const block of simulation.readBlocks({ reuse: true })) {
    const { positions, velocities, masses } = block; // masses are made at each look
    for (let i = 0; i < block.count; i++) {
      if (!(masses[i] > 0)) continue;
      all.ids[count] = block.first + i;
      all.masses[count] = masses[i];
      for (let axis = 0; axis < 3; axis++) {
        const x = positions[3 * i + axis];
        all.positions[3 * count + axis] = x < size ? x : x - size;
        all.velocities[3 * count + axis] = velocities[3 * i + axis] / time;
      }
      count++;
    }
  }
  return {
    ids: all.ids.subarray(0, count),
    positions: all.positions.subarray(0, 3 * count),
    velocities: all.velocities.subarray(0, 3 * count),
    masses: all.masses.subarray(0, count),
  };
}
