/**
 * Writes snapshots: GADGET-4 HDF5 that yt and pynbody open as it is (docs/snapshots.md lists every name).
 *
 * Datasets are written in slabs, so that memory stays at a few MB whatever the number of particles.
 */
import { Background } from "../cosmology/background.ts";
import { type SnapshotUnits, unitSystem } from "../deck/units.ts";
import { commonMass, type ParticleSet, SPECIES } from "../particles/state.ts";
import { DatasetDigest } from "./dataset-digest.node.ts";
import { requireFreeSpace } from "./files.node.ts";
import { componentParameters, DATASET_UNITS, type DatasetName, deckParameters, PARTICLE_TYPES } from "./gadget.ts";
import { breathe, type Hdf5File, type Hdf5Group, rowRanges, writeAttributes, writeHdf5 } from "./hdf5.node.ts";
import type { SnapshotDeck, SnapshotInfo, SnapshotParticles } from "./snapshot-particles.ts";

export type { SnapshotDeck, SnapshotInfo } from "./snapshot-particles.ts";
export { readSnapshot, type Snapshot } from "./snapshot-reader.node.ts";

/** Rows of a slab and, rounded so that the chunks of a dataset are equal, of an HDF5 chunk. */
const SLAB_ROWS = 65_536;
/** HDF5's fletcher32, by the filter's number: a sum with every chunk, which each reader checks. */
const CHECKSUM = { compression: 3, compression_opts: [] as number[] };
/** Groups, attributes and chunk indices, generously [B]. */
const METADATA_BYTES = 64 * 1024;

/** Particles of one GADGET type: runs of consecutive ids, in id order. */
interface TypeRows {
  type: number;
  count: number;
  runs: { first: number; count: number }[];
  /** The one mass of all of them [file mass units], or 0 where they differ. */
  tableMass: number;
}

function rowsByType({ components, masses }: ParticleSet, massFactor: number): TypeRows[] {
  return SPECIES.flatMap((species, type) => {
    const runs = components.filter((one) => one.species === species && one.count > 0);
    if (runs.length === 0) return [];
    const count = runs.reduce((sum, run) => sum + run.count, 0);
    return { type, count, runs, tableMass: (commonMass(masses, runs) ?? 0) * massFactor };
  });
}

function writeHeader(file: Hdf5File, rows: TypeRows[], values: { Time: number; Redshift: number; BoxSize: number }) {
  const numbers = new BigUint64Array(PARTICLE_TYPES);
  const MassTable = new Float64Array(PARTICLE_TYPES);
  for (const { type, count, tableMass } of rows) {
    numbers[type] = BigInt(count);
    MassTable[type] = tableMass;
  }
  const header = { NumPart_ThisFile: numbers, NumPart_Total: numbers, MassTable, ...values };
  writeAttributes(file.create_group("Header"), { ...header, NumFilesPerSnapshot: Int32Array.of(1) });
}

/** Of a static run, in the way that pynbody and yt take for not cosmological. */
const NO_BACKGROUND = { Omega0: 0, OmegaLambda: 0, OmegaBaryon: 0, HubbleParam: 1, Hubble: 0 };
/** 100 km/s/Mpc in the file's kpc/h and km/s. */
const HUBBLE = 0.1;

/** Densities today and h, as pynbody and yt look for them. */
function backgroundOf({ time, cosmology }: SnapshotDeck) {
  if (time.clock === "static") return NO_BACKGROUND;
  const { today, parameters } = new Background(cosmology);
  return {
    ...{ Omega0: today.matter, OmegaLambda: today.darkEnergy, OmegaBaryon: today.baryons },
    ...{ HubbleParam: parameters.h, Hubble: HUBBLE },
  };
}

function writeParameters(file: Hdf5File, particles: ParticleSet, info: SnapshotInfo, boxSize: number): void {
  const units = unitSystem(info.scenario.units.system).snapshot;
  writeAttributes(file.create_group("Parameters"), {
    ComovingIntegrationOn: Int32Array.of(info.scenario.time.clock === "comoving" ? 1 : 0),
    ...backgroundOf(info.scenario),
    BoxSize: boxSize,
    UnitLength_in_cm: units.UnitLength_in_cm,
    UnitMass_in_g: units.UnitMass_in_g,
    UnitVelocity_in_cm_per_s: units.UnitVelocity_in_cm_per_s,
    ...deckParameters(info.scenario),
    ...componentParameters(particles.components),
    "gravmesh.version": info.version ?? "unknown",
  });
  file.create_group("Config");
}

interface Column {
  name: DatasetName;
  dtype: "<d" | "<f" | "<I";
  width: 1 | 3;
  /** Of particle i in i·width …; the particles' numbers themselves without. */
  values?: Float64Array | Float32Array;
  /** Stored = factor · value. */
  factor: number;
  /** Values are brought into [0, period). */
  period?: number | undefined;
}

type Slab = Float64Array | Float32Array | Uint32Array;

const ARRAYS = { "<d": Float64Array, "<f": Float32Array, "<I": Uint32Array };

const realType = (values: Float64Array | Float32Array) => (values instanceof Float64Array ? "<d" : "<f");

function columnsOf(
  { positions, velocities, masses, potential }: SnapshotParticles,
  units: SnapshotUnits & { potentialFactor: number },
  period: number | undefined,
): Column[] {
  const columns: Column[] = [
    { name: "Coordinates", dtype: "<d", width: 3, values: positions, factor: units.lengthFactor, period },
    { name: "Velocities", dtype: realType(velocities), width: 3, values: velocities, factor: units.velocityFactor },
    { name: "ParticleIDs", dtype: "<I", width: 1, factor: 1 },
    { name: "Masses", dtype: "<d", width: 1, values: masses, factor: units.massFactor },
  ];
  if (potential) {
    columns.push({ name: "Potential", dtype: "<f", width: 1, values: potential, factor: units.potentialFactor });
  }
  return columns;
}

function within(period: number, x: number): number {
  if (x >= 0 && x < period) return x;
  const moved = x - period * Math.floor(x / period);
  return moved >= period ? 0 : moved;
}

/** Rows [from, to) of a type, which may span several runs of ids. */
function slabOf({ values, width, factor, period, dtype }: Column, { runs }: TypeRows, from: number, to: number): Slab {
  const slab = new ARRAYS[dtype]((to - from) * width);
  let start = 0;
  for (const { first, count } of runs) {
    const last = width * (Math.min(to, start + count) - from);
    const shift = width * (first + from - start);
    for (let k = width * Math.max(0, start - from); k < last; k++) {
      const value = values ? values[k + shift] : k + shift;
      slab[k] = (period === undefined ? value : within(period, value)) * factor;
    }
    start += count;
  }
  return slab;
}

async function writeColumn(
  group: Hdf5Group,
  column: Column,
  rows: TypeRows,
  units: SnapshotUnits,
  { compression, comoving }: { compression: number; comoving: boolean },
) {
  const { name, dtype, width } = column;
  const shape = (n: number) => (width === 1 ? [n] : [n, width]);
  const chunk = Math.ceil(rows.count / Math.ceil(rows.count / SLAB_ROWS));
  const dataset = group.create_dataset({
    ...{ name, dtype, data: new ARRAYS[dtype](0) },
    ...{ shape: shape(0), maxshape: shape(rows.count), chunks: shape(chunk) },
    // The library sets one filter alone; gzip's format has a sum of its own.
    ...(compression > 0 ? { compression: "gzip" as const, compression_opts: [compression] } : CHECKSUM),
  });
  dataset.resize(shape(rows.count));
  const digest = new DatasetDigest();
  for (let from = 0; from < rows.count; from += chunk) {
    const to = Math.min(rows.count, from + chunk);
    const slab = slabOf(column, rows, from, to);
    digest.add(slab);
    dataset.write_slice(rowRanges(from, to, width === 1 ? undefined : width), slab);
    await breathe();
  }
  digest.writeTo(dataset);
  if (name === "ParticleIDs") return;
  const { a, h, length, mass, velocity } = DATASET_UNITS[name];
  writeAttributes(dataset, {
    a_scaling: comoving ? a : 0,
    h_scaling: comoving ? h : 0,
    length_scaling: length,
    mass_scaling: mass,
    velocity_scaling: velocity,
    to_cgs: units.UnitLength_in_cm ** length * units.UnitMass_in_g ** mass * units.UnitVelocity_in_cm_per_s ** velocity,
  });
}

/** Bytes that a snapshot of these particles takes, uncompressed. */
export function snapshotBytes(particles: SnapshotParticles): number {
  const perParticle = 3 * 8 + 3 * particles.velocities.BYTES_PER_ELEMENT + 4 + (particles.potential ? 4 : 0);
  const listed = rowsByType(particles, 1).reduce((sum, rows) => sum + (rows.tableMass === 0 ? rows.count : 0), 0);
  return METADATA_BYTES + particles.count * perParticle + listed * 8;
}

/**
 * Writes `particles` to `file`, atomically. Coordinates are float64: they keep all 32 bits of a fixed-point position.
 * Isolated runs have BoxSize 0, so that readers don't wrap particles that left the mesh.
 * @throws GravmeshError "io": the disk is full, the folder is missing or not writable; an older file stays.
 */
export async function writeSnapshot(file: string, particles: SnapshotParticles, info: SnapshotInfo): Promise<void> {
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
    writeHeader(hdf5, types, { Time: time, Redshift: comoving ? 1 / time - 1 : 0, BoxSize: boxSize });
    writeParameters(hdf5, particles, info, boxSize);
    for (const rows of types) {
      const group = hdf5.create_group(`PartType${rows.type}`);
      for (const column of columnsOf(particles, stored, period)) {
        if (column.name === "Masses" && rows.tableMass !== 0) continue;
        await writeColumn(group, column, rows, units, { compression, comoving });
      }
    }
  });
}
