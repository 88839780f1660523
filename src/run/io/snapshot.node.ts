/**
 * Writes snapshots: GADGET-4 HDF5 that yt and pynbody open as it is (docs/snapshots.md lists every name). Particles come in
 * blocks of ids, so that memory stays at a block and a few MB; beyond `particlesPerFile` there are several files.
 */

import { type SnapshotUnits, unitSystem } from "../../foundation/deck/units.ts";
import { Background } from "../../physics/cosmology/background.ts";
import { blocksOf, PARTICLE_FIELDS, type ParticleBlock, type ParticleColumn } from "../../physics/particles/blocks.ts";
import { ParticleMasses } from "../../physics/particles/masses.ts";
import type { IdRange } from "../../physics/particles/reductions.ts";
import { type ComponentRange, galaxyNames } from "../../physics/particles/state.ts";
import { publishAll, requireFreeSpace, type Unpublished } from "./files.node.ts";
import { componentParameters, coreParameters, deckParameters, flagsOf, PARTICLE_TYPES, UNIT_NAMES } from "./gadget.ts";
import { fillHdf5, type Hdf5File, writeAttributes } from "./hdf5.node.ts";
import { COLUMNS, ColumnRows, rowBytes, type SnapshotColumn } from "./snapshot-columns.node.ts";
import type { SnapshotContent, SnapshotDeck, SnapshotInfo, SnapshotParticles } from "./snapshot-particles.ts";
import {
  common,
  idsOfFiles,
  numbersByType,
  PART_NUMBER,
  partNames,
  type RowsOfType,
  rowsByType,
  tableMass,
} from "./snapshot-rows.ts";

export type { SnapshotDeck, SnapshotInfo } from "./snapshot-particles.ts";
export { openSnapshot, readSnapshot, type Snapshot, snapshotMoment } from "./snapshot-reader.node.ts";

/** Groups, attributes and chunk indices of a file, generously [B]. */
const METADATA_BYTES = 64 * 1024;

export type WrittenContent = Omit<SnapshotContent, "blocks">;

interface SnapshotPlan {
  content: WrittenContent;
  info: SnapshotInfo;
  units: SnapshotUnits;
  columns: SnapshotColumn[];
  /** Names of the files, and the ids in each. */
  names: string[];
  files: readonly IdRange[];
  /** Uncompressed [byte]. */
  bytes: number;
  /** The one mass of all particles of each type [file's unit], or 0. */
  massTable: Float64Array;
  comoving: boolean;
  /** Side of the box in the file's unit; 0 where it isn't periodic. */
  boxSize: number;
}

/** Throws "io" where there is no room for all files. */
export function requireDiskSpace({ info, names, bytes }: SnapshotPlan): void {
  if (info.scenario.output.compression === 0) requireFreeSpace(names[0], bytes);
}

/** The files of a snapshot that would be called `file` if it were one; `files`: the ids in each. */
export function snapshotPlan(
  file: string,
  content: WrittenContent,
  info: SnapshotInfo,
  files = idsOfFiles(content.count, info.scenario.output.particlesPerFile ?? content.count) as readonly IdRange[],
): SnapshotPlan {
  const { scenario } = info;
  const { components, masses, bits } = content;
  const comoving = scenario.time.clock === "comoving";
  const units = unitSystem(scenario.units.system).snapshot;
  const { lengthFactor } = units;
  const period = scenario.box.boundary === "periodic" ? scenario.box.size : undefined;
  const factors: Partial<Record<SnapshotColumn["field"], number>> = {
    positions: lengthFactor,
    // The state holds p = a² dx/dt = a v, the file u = v/√a.
    velocities: comoving ? info.time ** -1.5 : 1,
    accelerations: 1 / lengthFactor,
  };
  const fields = [...info.fields, ...(galaxyNames(components).length > 0 ? (["galaxies"] as const) : [])];
  const columns = fields.map(
    (field): SnapshotColumn => ({
      ...{ field, ...COLUMNS[field], factor: factors[field] },
      ...(field === "positions" && { period }),
      ...(field === "velocities" && bits === 64 && { dtype: "<d" }),
    }),
  );
  const massTable = Float64Array.from({ length: PARTICLE_TYPES }, (_, type) =>
    fields.includes("masses") ? tableMass(components, masses, type) : 0,
  );
  const bytes = rowsByType(components, { first: 0, count: content.count }).flatMap((type) =>
    columns.map((column) => (hasColumn(massTable, type, column) ? type.count * rowBytes(column) : 0)),
  );
  return {
    ...{ content, info, columns, files, massTable, comoving, units },
    names: partNames(file, files.length),
    bytes: bytes.reduce((sum, one) => sum + one, METADATA_BYTES * files.length),
    boxSize: period === undefined ? 0 : period * lengthFactor,
  };
}

function writeHeader(file: Hdf5File, plan: SnapshotPlan, rows: readonly RowsOfType[]): void {
  const { content, info, massTable, comoving, boxSize, files, units } = plan;
  const time = comoving ? info.time : info.time * units.lengthFactor;
  const total = numbersByType(rowsByType(content.components, { first: 0, count: content.count }));
  const { Omega0, OmegaLambda, HubbleParam } = backgroundOf(info.scenario);
  writeAttributes(file.create_group("Header"), {
    NumPart_ThisFile: numbersByType(rows),
    NumPart_Total: total,
    ...{ MassTable: massTable, Time: time, Redshift: comoving ? 1 / time - 1 : 0, BoxSize: boxSize },
    ...{ NumFilesPerSnapshot: Int32Array.of(files.length), Omega0, OmegaLambda, HubbleParam, ...flagsOf(true) },
  });
}

/** The background of a static run, as pynbody and yt know runs that aren't cosmological. */
const NO_BACKGROUND = { Omega0: 0, OmegaLambda: 0, OmegaBaryon: 0, HubbleParam: 1, Hubble: 0 };
/** 100 km/s/Mpc in the file's kpc/h and km/s. */
const HUBBLE = 0.1;

function backgroundOf({ time, cosmology }: SnapshotDeck) {
  if (time.clock === "static") return NO_BACKGROUND;
  const { today, parameters } = new Background(cosmology);
  return {
    ...{ Omega0: parameters.omegaM, OmegaLambda: today.darkEnergy, OmegaBaryon: today.baryons },
    ...{ HubbleParam: parameters.h, Hubble: HUBBLE },
  };
}

function writeParameters(file: Hdf5File, { info, boxSize, content, files, units }: SnapshotPlan, range: IdRange): void {
  const { every = 1, components } = content;
  writeAttributes(file.create_group("Parameters"), {
    ComovingIntegrationOn: Int32Array.of(info.scenario.time.clock === "comoving" ? 1 : 0),
    ...backgroundOf(info.scenario),
    BoxSize: boxSize,
    ...Object.fromEntries(UNIT_NAMES.map((name) => [name, units[name]])),
    ...deckParameters(info.scenario),
    ...componentParameters(components),
    ...coreParameters(info.cores ?? [], units.lengthFactor),
    ...(every > 1 && { "gravmesh.every": every }),
    // Files that are exchanged would give particles the places of others, where there are no ids.
    ...(files.length > 1 && { [PART_NUMBER]: files.findIndex(({ first }) => first === range.first) }),
    "gravmesh.version": info.version ?? "unknown",
  });
  file.create_group("Config");
}

/** Whether a type has the column: one mass for all of it stands in the header. */
const hasColumn = (massTable: Float64Array, { type }: RowsOfType, { field }: SnapshotColumn) =>
  field !== "masses" || massTable[type] === 0;

interface Piece {
  block: ParticleBlock;
  ids: IdRange;
}

/** Blocks in pieces that end where a file does. */
async function* piecesOf(blocks: AsyncIterable<ParticleBlock>, files: readonly IdRange[]): AsyncGenerator<Piece> {
  for await (const block of blocks) {
    for (const file of files) {
      const ids = common(file, block);
      if (ids) yield { block, ids };
    }
  }
}

async function writeFile(
  file: Hdf5File,
  plan: SnapshotPlan,
  pieces: AsyncGenerator<Piece>,
  range: IdRange,
): Promise<void> {
  const { content, info, comoving, massTable, units } = plan;
  const { components, every = 1 } = content;
  const { compression } = info.scenario.output;
  const rows = rowsByType(components, range);
  const galaxyOf = galaxyNumbers(components);
  writeHeader(file, plan, rows);
  writeParameters(file, plan, range);
  const open = rows.map((type) => {
    const group = file.create_group(`PartType${type.type}`);
    const columns = plan.columns
      .filter((column) => hasColumn(massTable, type, column))
      .map((column) => ({
        field: column.field,
        rows: new ColumnRows(group, column, { rows: type.count, compression, comoving, units, ours: true }),
      }));
    return { runs: type.runs, columns };
  });
  for (let next = range.first; next < range.first + range.count; ) {
    const { value, done } = await pieces.next();
    if (done || value.ids.first !== next) throw new Error(`expected particles from ${next} on, got others or none`);
    const { block, ids } = value;
    for (const { runs, columns } of open) {
      for (const run of runs) {
        const part = common(run, ids);
        if (part === undefined) continue;
        for (const { field, rows } of columns) {
          if (field === "ids") await rows.append(part.count, (row) => every * (part.first + row));
          else if (field === "galaxies") await rows.append(part.count, galaxyOf(part.first));
          else await rows.append(part.count, rowsIn(block, field, part));
        }
      }
    }
    next += ids.count;
  }
  for (const { columns } of open) for (const { rows } of columns) rows.finish();
}

/** From a particle to the number of its galaxy, from 1 on in the order of the components; 0 where it has none. */
function galaxyNumbers(components: readonly ComponentRange[]): (id: number) => number {
  const names = galaxyNames(components);
  return (id) => {
    const own = components.find(({ first, count }) => id >= first && id < first + count)?.galaxy;
    return own === undefined ? 0 : names.indexOf(own) + 1;
  };
}

function rowsIn(block: ParticleBlock, field: Exclude<ParticleColumn, "ids">, { first, count }: IdRange) {
  const values = block[field];
  if (!values) throw new Error(`expected blocks of particles with ${field}`);
  const width = values.length / block.count;
  return values.subarray(width * (first - block.first), width * (first - block.first + count));
}

/**
 * Writes particles, block after block, to `file`, atomically; where they are too many for one file to those that partNames()
 * has for it. Gives the names of all files. Coordinates are float64: they keep all 32 bits of a fixed-point position.
 * Isolated runs have BoxSize 0, so that readers don't wrap particles that left the mesh.
 * @throws GravmeshError "io": the disk is full, the folder is missing or not writable; older files stay.
 */
export async function writeSnapshotBlocks(
  file: string,
  content: SnapshotContent,
  info: SnapshotInfo,
): Promise<string[]> {
  const plan = snapshotPlan(file, content, info);
  requireDiskSpace(plan);
  publishAll(await fillSnapshotFiles(plan, content.blocks()), plan.bytes);
  return plan.names;
}

/** The files with the numbers `own` under temporary names, from their particles. Throws "io"; nothing is left then. */
export async function fillSnapshotFiles(
  plan: SnapshotPlan,
  blocks: AsyncIterable<ParticleBlock>,
  own?: readonly number[],
): Promise<Unpublished[]> {
  const parts = own ?? [...plan.files.keys()];
  const ranges = parts.map((part) => plan.files[part]);
  const count = ranges.reduce((sum, range) => sum + range.count, 0);
  const pieces = piecesOf(blocks, ranges);
  try {
    return await fillHdf5(
      parts.map((part) => plan.names[part]),
      Math.ceil((plan.bytes * count) / plan.content.count),
      (hdf5, index) => writeFile(hdf5, plan, pieces, ranges[index]),
    );
  } finally {
    await pieces.return(undefined);
  }
}

/** Writes particles in arrays likewise: all there is of them. */
export async function writeSnapshot(
  file: string,
  particles: SnapshotParticles,
  info: Omit<SnapshotInfo, "fields"> & Partial<SnapshotInfo>,
): Promise<void> {
  const { count, components, masses, velocities } = particles;
  const content: SnapshotContent = {
    ...{ count, components, masses: ParticleMasses.of(masses, components) },
    bits: velocities instanceof Float64Array ? 64 : 32,
    async *blocks() {
      yield* blocksOf(particles, { potential: true, accelerations: true });
    },
  };
  const fields = PARTICLE_FIELDS.filter((field) => field === "ids" || particles[field] !== undefined);
  await writeSnapshotBlocks(file, content, { fields, ...info });
}
