/**
 * fields.hdf5, fields_000_density.npy …: density and velocity on a grid at times of their own; initial_fields.hdf5,
 * initial_displacement.npy …: what a lattice was displaced by. In float64 from the particles in the order of their ids, TSC.
 * Displacements are x − q = D₁ψ₁ + D₂ψ₂ and momenta P₁ψ₁ + P₂ψ₂ (physics/initial/lattice.ts), so that those of first order,
 * and the linear density −D₁ ∇·ψ₁, follow from both.
 */
import { join } from "node:path";
import { SPECTRUM_ASSIGNMENT } from "../../engine/diagnostics/power-spectrum-bins.ts";
import { periodicGrid, signed } from "../../engine/reference/diagnostics/density-modes.ts";
import { addMass } from "../../engine/reference/mesh/deposit.ts";
import { RealFft3 } from "../../engine/reference/mesh/fft3.ts";
import { version } from "../../foundation/base/version.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { Background } from "../../physics/cosmology/background.ts";
import { Growth } from "../../physics/cosmology/growth.ts";
import { withMasses } from "../../physics/particles/source.ts";
import { type FieldsSettings, hasFields, latticeOf } from "../../scenario/fields.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { writeFileAtomic } from "../io/files.node.ts";
import { npyHeader } from "../io/formats/npy-header.ts";
import { writeAttributes, writeHdf5 } from "../io/hdf5.node.ts";
import { SeriesFile, type SeriesLayout } from "../io/series-file.node.ts";
import type { OutputRun, RunOutput } from "./output.ts";

const [FILE, INITIAL] = ["fields.hdf5", "initial_fields.hdf5"];

/** [n, n, n] (z, y, x), or with x, y, z of a vector as the last axis. */
interface Field {
  name: string;
  values: Float32Array<ArrayBuffer>;
  shape: readonly number[];
  unit: string;
}

export const fields: RunOutput = {
  name: "fields",
  meaning: "density, velocity, displacement and linear density on a grid, as the table fields says",
  files: [FILE, INITIAL, /^(fields_\d{3,}|initial)_[a-z-]+\.npy$/],
  has: ({ fields: { of } }) => of.length > 0,
  needs: (reached, scenario) =>
    inHdf5(scenario) && hasFields(scenario, "density", "velocity") && reached.some((one) => one.fields) ? [FILE] : [],
  writer({ simulation, folder, activity }: OutputRun) {
    const { scenario, outputs, output } = simulation;
    const path = join(folder, FILE);
    const begun = outputs.slice(0, output + 1).some((one) => one.fields);
    let file: SeriesFile | undefined;
    return {
      beforeSteps: async () => {
        if (begun && inHdf5(scenario) && gridFields(scenario).length > 0) {
          file = await SeriesFile.open(path, layoutOf(simulation));
        }
      },
      atSnapshot: async ({ index }) => {
        if (index > 0 || !hasFields(scenario, "displacement", "linear density")) return;
        activity("initial fields");
        await writeInitial(folder, scenario, await initialFields(simulation));
      },
      at: {
        fields: async ({ index }) => {
          if (gridFields(scenario).length === 0) return;
          activity("fields");
          const found = await fieldsNow(simulation);
          if (inHdf5(scenario)) {
            file ??= await SeriesFile.create(path, layoutOf(simulation));
            file.write(index, Object.fromEntries(found.map(({ name, values }) => [name, values])));
          }
          writeNpy(folder, `fields_${String(index).padStart(3, "0")}`, scenario, found);
        },
      },
    };
  },
};

const inHdf5 = ({ fields: { formats } }: Scenario) => formats.includes("hdf5");

/** Names, shapes and units of what is written at every time. */
function gridFields({ fields: settings, units, time }: Scenario): Omit<Field, "values">[] {
  const { length, mass, velocity } = unitSystem(units.system).labels;
  const grid = [settings.cells, settings.cells, settings.cells];
  const density = { name: "Density", shape: grid, unit: `${mass}/(${length})^3` };
  const peculiar = time.clock === "comoving" ? ", peculiar" : "";
  const moving = { name: "Velocity", shape: [...grid, 3], unit: `${velocity}${peculiar}` };
  const wanted: Partial<Record<FieldsSettings["of"][number], Omit<Field, "values">>> = { density, velocity: moving };
  return settings.of.flatMap((one) => wanted[one] ?? []);
}

const AXES = "z, y, x";

function layoutOf({ scenario, outputs }: Simulation): SeriesLayout {
  return {
    times: outputs.filter((one) => one.fields).map(({ time }) => time),
    comoving: scenario.time.clock === "comoving",
    attributes: attributesOf(scenario),
    series: gridFields(scenario).map(({ name, shape, unit }) => ({
      ...{ name, shape, bits: 32 },
      attributes: { unit, axes: `time, ${AXES}` },
    })),
  };
}

const attributesOf = ({ title, units, box }: Scenario) => ({
  ...{ title, gravmesh: version, units: units.system, BoxSize: box.size },
});

/** ρ = Σ m W/h³, and Σ m v W/Σ m W, NaN where there is no mass. A pass over the particles for each number of a cell. */
async function fieldsNow(simulation: Simulation): Promise<Field[]> {
  const { scenario, weights, time } = simulation;
  const { cells } = scenario.fields;
  const grid = periodicGrid({ cells, boxSize: scenario.box.size, assignment: SPECTRUM_ASSIGNMENT });
  const deposited = async (weigh: (masses: Float64Array, velocities: ArrayLike<number>) => Float64Array) => {
    const mesh = new Float64Array(cells ** 3);
    for await (const block of withMasses(simulation.readBlocks({ reuse: true }), weights)) {
      addMass(grid, block.positions, weigh(block.masses, block.velocities), block.masses.keys(), mesh);
    }
    return mesh;
  };
  const density = await deposited((masses) => masses);
  const found: Field[] = [];
  // Canonical momentum a² dx/dt to peculiar velocity a dx/dt.
  const perMomentum = scenario.time.clock === "comoving" ? 1 / time : 1;
  for (const about of gridFields(scenario)) {
    if (about.name === "Density") {
      found.push({ ...about, values: Float32Array.from(density) });
      continue;
    }
    const values = new Float32Array(3 * cells ** 3);
    for (let axis = 0; axis < 3; axis++) {
      const momentum = await deposited((masses, v) => masses.map((mass, i) => mass * v[3 * i + axis]));
      for (let i = 0; i < momentum.length; i++) values[3 * i + axis] = (perMomentum * momentum[i]) / density[i];
    }
    found.push({ ...about, values });
  }
  return found;
}

/** Displacement [length] and linear density contrast at the start, on the points of the first lattice. */
async function initialFields(simulation: Simulation): Promise<Field[]> {
  const { scenario, components } = simulation;
  const { box, fields: settings, time, cosmology } = scenario;
  const component = latticeOf(scenario)!;
  const { perSide: n, offset, velocity: added } = component as typeof component & { perSide: number };
  const range = components.find(({ name }) => name === component.name)!;
  const growth = new Growth(new Background(cosmology));
  const { D1, D2 } = growth.at(time.start);
  const [P1, P2] = [growth.momentum1(time.start), growth.momentum2(time.start)];
  const second = "order" in component && component.order === 2;
  const [total, first] = [0, 1].map(() => new Float32Array(3 * n ** 3));
  for await (const { first: from, count, positions, velocities } of simulation.readBlocks({ reuse: true })) {
    for (let i = Math.max(0, range.first - from); i < Math.min(count, range.first + range.count - from); i++) {
      const point = from + i - range.first;
      const cell = [point % n, Math.floor(point / n) % n, Math.floor(point / n ** 2)];
      for (let axis = 0; axis < 3; axis++) {
        const x = positions[3 * i + axis] - (cell[axis] + 0.5) * (box.size / n) - offset[axis];
        const moved = x - box.size * Math.round(x / box.size);
        const momentum = velocities[3 * i + axis] - added[axis];
        total[3 * point + axis] = moved;
        // D₁ψ₁
        first[3 * point + axis] = second ? (D1 * (P2 * moved - D2 * momentum)) / (D1 * P2 - P1 * D2) : moved;
      }
    }
  }
  const { length } = unitSystem(scenario.units.system).labels;
  const grid = [n, n, n];
  return settings.of.flatMap((one): Field[] => {
    if (one === "displacement") return [{ name: "Displacement", values: total, shape: [...grid, 3], unit: length }];
    if (one !== "linear density") return [];
    return [{ name: "LinearDensity", values: minusDivergence(first, n, box.size), shape: grid, unit: "" }];
  });
}

/** −∇·ψ of a periodic field [n³, xyz] by its modes, without the Nyquist planes, which have no derivative. */
function minusDivergence(psi: Float32Array, n: number, boxSize: number): Float32Array<ArrayBuffer> {
  const fft = new RealFft3(n);
  const sum = new Float64Array(n * n * (n + 2));
  for (let axis = 0; axis < 3; axis++) {
    const modes = fft.forward(Float64Array.from({ length: n ** 3 }, (_, i) => psi[3 * i + axis]));
    for (let at = 0; at < sum.length / 2; at++) {
      const row = Math.floor(at / (n / 2 + 1));
      const m = [at % (n / 2 + 1), row % n, Math.floor(row / n)].map((j) => signed(j, n));
      if (m.includes(n / 2)) continue;
      const k = ((2 * Math.PI) / boxSize) * m[axis];
      sum[2 * at] += k * modes[2 * at + 1];
      sum[2 * at + 1] -= k * modes[2 * at];
    }
  }
  return Float32Array.from(fft.inverse(sum));
}

async function writeInitial(folder: string, scenario: Scenario, found: readonly Field[]): Promise<void> {
  writeNpy(folder, "initial", scenario, found);
  if (!inHdf5(scenario)) return;
  const bytes = found.reduce((sum, { values }) => sum + values.byteLength, 2 ** 14);
  await writeHdf5([join(folder, INITIAL)], bytes, async (file) => {
    writeAttributes(file, { ...attributesOf(scenario), Time: scenario.time.start });
    for (const { name, values: data, shape, unit } of found) {
      const made = file.create_dataset({ name, data, shape: [...shape], dtype: "<f" });
      writeAttributes(made, { unit, axes: AXES });
    }
  });
}

/** STEM_density.npy and so on. */
function writeNpy(folder: string, stem: string, { fields: { formats } }: Scenario, found: readonly Field[]): void {
  if (!formats.includes("npy")) return;
  for (const { name, values, shape } of found) {
    const word = name.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
    writeFileAtomic(join(folder, `${stem}_${word}.npy`), npyBytes(values, shape));
  }
}

function npyBytes(values: Float32Array<ArrayBuffer>, shape: readonly number[]): Uint8Array {
  const header = npyHeader("'<f4'", shape);
  const bytes = new Uint8Array(header.length + values.byteLength);
  bytes.set(header);
  bytes.set(new Uint8Array(values.buffer), header.length);
  return bytes;
}
