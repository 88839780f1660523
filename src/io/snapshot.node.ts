/**
 * Writes snapshots: GADGET-4 HDF5 that yt and pynbody open as it is (docs/snapshots.md lists every name).
 *
 * Datasets are written in slabs, so that memory stays at a few MB whatever the number of particles.
 */
import { Background } from "../cosmology/background.ts";
import { type SnapshotUnits, unitSystem } from "../deck/units.ts";
import type { ParticleSet } from "../particles/state.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { requireFreeSpace } from "./files.node.ts";
import {
  componentParameters,
  DATASET_UNITS,
  type DatasetName,
  deckParameters,
  PARTICLE_TYPES,
  type ParameterValue,
  particleType,
} from "./gadget.ts";
import { breathe, type Hdf5File, type Hdf5Group, writeHdf5 } from "./hdf5.node.ts";

export { readSnapshot, type Snapshot } from "./snapshot-reader.node.ts";

/** Rows of a slab and, rounded so that the chunks of a dataset are equal, of an HDF5 chunk. */
const SLAB_ROWS = 65_536;
/** Groups, attributes and chunk indices, generously [B]. */
const METADATA_BYTES = 64 * 1024;
/** HDF5 keeps an attribute in an object header message, which ends at 64 KiB. */
const LONGEST_TEXT = 32_000;

export interface SnapshotInfo {
  /** The deck as run: gives box, boundary, units and compression, and goes into /Parameters. */
  scenario: Scenario;
  /** [time] in deck units. */
  time: number;
  /** Version of gravmesh that wrote the file. */
  version?: string;
}

/** Particles of one GADGET type: runs of consecutive ids, in id order. */
interface TypeRows {
  type: number;
  count: number;
  runs: { first: number; count: number }[];
  /** The one mass of all of them [file mass units], or 0 where they differ. */
  tableMass: number;
}

function textAttribute(target: Hdf5Group, name: string, text: string): void {
  let bytes = new TextEncoder().encode(text);
  let kept = text;
  while (bytes.length > LONGEST_TEXT) {
    kept = kept.slice(0, Math.floor((kept.length * LONGEST_TEXT) / bytes.length));
    bytes = new TextEncoder().encode(kept);
  }
  // Fixed length: yt fails on variable-length text. HDF5 has no text of length 0.
  target.create_attribute(name, kept === "" ? " " : kept, [], `S${Math.max(1, bytes.length)}`);
}

function parameterAttribute(target: Hdf5Group, name: string, value: ParameterValue): void {
  if (typeof value === "string") textAttribute(target, name, value);
  else if (typeof value === "number") target.create_attribute(name, Float64Array.of(value), [], "<d");
  else target.create_attribute(name, Float64Array.from(value), [value.length], "<d");
}

function rowsByType(particles: ParticleSet, massFactor: number): TypeRows[] {
  const types: TypeRows[] = [];
  for (let type = 0; type < PARTICLE_TYPES; type++) {
    const runs = particles.components
      .filter((c) => particleType(c.species) === type && c.count > 0)
      .map(({ first, count }) => ({ first, count }));
    if (runs.length === 0) continue;
    const mass = particles.masses[runs[0].first];
    const same = runs.every(({ first, count }) => {
      for (let i = first; i < first + count; i++) if (particles.masses[i] !== mass) return false;
      return true;
    });
    types.push({
      type,
      count: runs.reduce((sum, run) => sum + run.count, 0),
      runs,
      tableMass: same ? mass * massFactor : 0,
    });
  }
  return types;
}

function writeHeader(
  file: Hdf5File,
  rows: TypeRows[],
  { time, redshift }: { time: number; redshift: number },
  boxSize: number,
): void {
  const numbers = new BigUint64Array(PARTICLE_TYPES);
  const table = new Float64Array(PARTICLE_TYPES);
  for (const { type, count, tableMass } of rows) {
    numbers[type] = BigInt(count);
    table[type] = tableMass;
  }
  const header = file.create_group("Header");
  header.create_attribute("NumPart_ThisFile", numbers, [PARTICLE_TYPES], "<Q");
  header.create_attribute("NumPart_Total", numbers, [PARTICLE_TYPES], "<Q");
  header.create_attribute("MassTable", table, [PARTICLE_TYPES], "<d");
  parameterAttribute(header, "Time", time);
  parameterAttribute(header, "Redshift", redshift);
  parameterAttribute(header, "BoxSize", boxSize);
  header.create_attribute("NumFilesPerSnapshot", Int32Array.of(1), [], "<i");
}

/** The background as pynbody and yt look for it; of a static run in the way that they take for not cosmological. */
function backgroundAttributes({ time, cosmology }: Scenario): Record<string, number> {
  if (time.clock === "static") return { Omega0: 0, OmegaLambda: 0, OmegaBaryon: 0, HubbleParam: 1, Hubble: 0 };
  const { today, parameters } = new Background(cosmology);
  return {
    Omega0: today.matter,
    OmegaLambda: today.darkEnergy,
    OmegaBaryon: today.baryons,
    HubbleParam: parameters.h,
    // 100 km/s/Mpc in the file's kpc/h and km/s.
    Hubble: 0.1,
  };
}

function writeParameters(
  file: Hdf5File,
  particles: ParticleSet,
  info: SnapshotInfo,
  units: SnapshotUnits,
  boxSize: number,
) {
  const parameters: Record<string, ParameterValue> = {
    ...backgroundAttributes(info.scenario),
    BoxSize: boxSize,
    UnitLength_in_cm: units.UnitLength_in_cm,
    UnitMass_in_g: units.UnitMass_in_g,
    UnitVelocity_in_cm_per_s: units.UnitVelocity_in_cm_per_s,
    ...deckParameters(info.scenario),
    ...componentParameters(particles.components),
    "gravmesh.version": info.version ?? "unknown",
  };
  const group = file.create_group("Parameters");
  const comoving = info.scenario.time.clock === "comoving" ? 1 : 0;
  group.create_attribute("ComovingIntegrationOn", Int32Array.of(comoving), [], "<i");
  for (const [name, value] of Object.entries(parameters)) parameterAttribute(group, name, value);
  file.create_group("Config");
}

interface Column {
  name: DatasetName;
  dtype: "<d" | "<f" | "<I";
  width: 1 | 3;
  /** Fills `out` [rows·width] with the particles first … first + count − 1, from element `at` on. */
  fill(out: Float64Array | Float32Array | Uint32Array, at: number, first: number, count: number): void;
}

const BYTES = { "<d": 8, "<f": 4, "<I": 4 };
const ARRAYS = { "<d": Float64Array, "<f": Float32Array, "<I": Uint32Array };

function columnsOf(
  particles: ParticleSet & { potential?: Float32Array },
  units: SnapshotUnits & { potentialFactor: number },
  period: number | undefined,
): Column[] {
  const { positions, velocities, masses, potential } = particles;
  const { lengthFactor, velocityFactor, massFactor, potentialFactor } = units;
  const columns: Column[] = [
    {
      name: "Coordinates",
      dtype: "<d",
      width: 3,
      fill(out, at, first, count) {
        for (let i = 0; i < 3 * count; i++) {
          let x = positions[3 * first + i];
          if (period !== undefined && (x < 0 || x >= period)) {
            x -= period * Math.floor(x / period);
            if (x >= period) x = 0;
          }
          out[at + i] = x * lengthFactor;
        }
      },
    },
    {
      name: "Velocities",
      dtype: "<f",
      width: 3,
      fill(out, at, first, count) {
        for (let i = 0; i < 3 * count; i++) out[at + i] = velocities[3 * first + i] * velocityFactor;
      },
    },
    {
      name: "ParticleIDs",
      dtype: "<I",
      width: 1,
      fill(out, at, first, count) {
        for (let i = 0; i < count; i++) out[at + i] = first + i;
      },
    },
    {
      name: "Masses",
      dtype: "<d",
      width: 1,
      fill(out, at, first, count) {
        for (let i = 0; i < count; i++) out[at + i] = masses[first + i] * massFactor;
      },
    },
  ];
  if (potential !== undefined) {
    columns.push({
      name: "Potential",
      dtype: "<f",
      width: 1,
      fill(out, at, first, count) {
        for (let i = 0; i < count; i++) out[at + i] = potential[first + i] * potentialFactor;
      },
    });
  }
  return columns;
}

/** Copies rows [from, to) of a type, which may span several runs of ids, into `out`. */
function fillSlab(
  column: Column,
  rows: TypeRows,
  from: number,
  to: number,
  out: Float64Array | Float32Array | Uint32Array,
) {
  let start = 0;
  for (const run of rows.runs) {
    const a = Math.max(from, start);
    const b = Math.min(to, start + run.count);
    if (a < b) column.fill(out, (a - from) * column.width, run.first + a - start, b - a);
    start += run.count;
  }
}

async function writeColumn(
  group: Hdf5Group,
  column: Column,
  rows: TypeRows,
  units: SnapshotUnits,
  { compression, comoving }: { compression: number; comoving: boolean },
) {
  const shape = (n: number) => (column.width === 1 ? [n] : [n, column.width]);
  const chunk = Math.ceil(rows.count / Math.ceil(rows.count / SLAB_ROWS));
  const dataset = group.create_dataset({
    name: column.name,
    data: new ARRAYS[column.dtype](0),
    shape: shape(0),
    maxshape: shape(rows.count),
    chunks: shape(chunk),
    dtype: column.dtype,
    ...(compression > 0 ? { compression: "gzip" as const, compression_opts: [compression] } : {}),
  });
  dataset.resize(shape(rows.count));
  for (let from = 0; from < rows.count; from += chunk) {
    const to = Math.min(rows.count, from + chunk);
    const slab = new ARRAYS[column.dtype]((to - from) * column.width);
    fillSlab(column, rows, from, to, slab);
    dataset.write_slice(
      column.width === 1
        ? [[from, to]]
        : [
            [from, to],
            [0, column.width],
          ],
      slab,
    );
    await breathe();
  }
  if (column.name === "ParticleIDs") return;
  const { a, h, length, mass, velocity } = DATASET_UNITS[column.name];
  const attributes = {
    a_scaling: comoving ? a : 0,
    h_scaling: comoving ? h : 0,
    length_scaling: length,
    mass_scaling: mass,
    velocity_scaling: velocity,
    to_cgs: units.UnitLength_in_cm ** length * units.UnitMass_in_g ** mass * units.UnitVelocity_in_cm_per_s ** velocity,
  };
  for (const [name, value] of Object.entries(attributes))
    dataset.create_attribute(name, Float64Array.of(value), [], "<d");
}

/** Bytes that a snapshot of these particles takes, uncompressed. */
export function snapshotBytes(particles: ParticleSet & { potential?: Float32Array }): number {
  const perParticle = 3 * 8 + 3 * 4 + 4 + (particles.potential ? 4 : 0);
  const listed = rowsByType(particles, 1).reduce((sum, rows) => sum + (rows.tableMass === 0 ? rows.count : 0), 0);
  return METADATA_BYTES + particles.count * perParticle + listed * BYTES["<d"];
}

/**
 * Writes `particles` to `file`, atomically. Coordinates are float64: they keep all 32 bits of a fixed-point position.
 * Isolated runs have BoxSize 0, so that readers don't wrap particles that left the mesh.
 * @throws GravmeshError "io": the disk is full, the folder is missing or not writable; an older file stays.
 */
export async function writeSnapshot(
  file: string,
  particles: ParticleSet & { potential?: Float32Array },
  info: SnapshotInfo,
): Promise<void> {
  const { scenario } = info;
  const units = unitSystem(scenario.units.system).snapshot;
  const period = scenario.box.boundary === "periodic" ? scenario.box.size : undefined;
  const boxSize = period === undefined ? 0 : period * units.lengthFactor;
  const comoving = scenario.time.clock === "comoving";
  const time = comoving ? info.time : (info.time * units.lengthFactor) / units.velocityFactor;
  // The state holds p = a² dx/dt = a v, the file u = v/√a.
  const stored = {
    ...units,
    velocityFactor: units.velocityFactor * (comoving ? info.time ** -1.5 : 1),
    potentialFactor: units.velocityFactor ** 2,
  };
  const compression = scenario.output.compression;
  const bytes = snapshotBytes(particles);
  if (compression === 0) requireFreeSpace(file, bytes);
  await writeHdf5(file, bytes, async (hdf5) => {
    const types = rowsByType(particles, units.massFactor);
    writeHeader(hdf5, types, { time, redshift: comoving ? 1 / time - 1 : 0 }, boxSize);
    writeParameters(hdf5, particles, info, units, boxSize);
    for (const rows of types) {
      const group = hdf5.create_group(`PartType${rows.type}`);
      for (const column of columnsOf(particles, stored, period)) {
        if (column.name === "Masses" && rows.tableMass !== 0) continue;
        await writeColumn(group, column, rows, units, { compression, comoving });
      }
    }
  });
}
