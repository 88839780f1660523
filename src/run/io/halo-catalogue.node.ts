/**
 * Catalogues of spherical haloes and their merger trees as files: CSV for a look, HDF5 with full precision. Names and units
 * are those of halotools (Hearin et al. 2017) and Rockstar, which know no others: M☉/h, comoving Mpc/h, peculiar km/s.
 */
import { cumsum } from "d3-array";
import type { TreeHalo, TreeOutput } from "../../engine/diagnostics/halo-trees.ts";
import type { SphericalHalo } from "../../engine/diagnostics/spherical-overdensity.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { HaloDefinition } from "../../physics/cosmology/overdensity.ts";
import { type CsvField, csvNumber, csvText } from "./csv.ts";
import { writeFileAtomic } from "./files.node.ts";
import { datasetIn, type Hdf5Group, hdf5Reason, loadHdf5, writeAttributes, writeHdf5 } from "./hdf5.node.ts";

export const HALO_UNITS = { mass: "Msun/h", length: "Mpc/h", velocity: "km/s" } as const;
/** Of M☉/h in a unit of mass of the cosmological system. */
const SUNS = 1e10;
/** Ids of haloes: so many for each output. */
const IDS = 10_000_000;

interface Column<T> {
  name: string;
  meaning: string;
  unit?: (typeof HALO_UNITS)[keyof typeof HALO_UNITS];
  integer?: true;
  of: (one: T, place: number) => number;
}

const { mass, length, velocity } = HALO_UNITS;
const AXES = ["x", "y", "z"];

/** Columns of a catalogue; `output` numbers it. */
export const haloColumns = (definitions: readonly HaloDefinition[], output: number): Column<SphericalHalo>[] => [
  { name: "halo_id", integer: true, meaning: "its number, unique in the run", of: (_, place) => IDS * output + place },
  { name: "halo_upid", integer: true, meaning: "−1: no halo is within another", of: () => -1 },
  { name: "halo_num_p", integer: true, meaning: "particles within the first radius", of: (one) => one.members.length },
  { name: "halo_centre_particle", integer: true, meaning: "id of the particle at its centre", of: (one) => one.centre },
  ...AXES.map((axis, i) => ({
    ...{
      name: `halo_${axis}`,
      unit: length,
      meaning: "its densest place",
      of: (one: SphericalHalo) => one.position[i],
    },
  })),
  ...AXES.map((axis, i) => ({
    ...{ name: `halo_v${axis}`, unit: velocity, meaning: "mean by mass", of: (one: SphericalHalo) => one.velocity[i] },
  })),
  ...definitions.flatMap((definition, i): Column<SphericalHalo>[] => [
    { name: `halo_m${definition}`, unit: mass, meaning: "mass within the radius", of: (one) => SUNS * one.masses[i] },
    { name: `halo_r${definition}`, unit: length, meaning: "radius of that density", of: (one) => one.radii[i] },
  ]),
  { name: "halo_vrms", unit: velocity, meaning: "dispersion in three dimensions", of: (one) => one.dispersion },
  { name: "halo_vmax", unit: velocity, meaning: "largest circular velocity", of: (one) => one.vMax },
  { name: "halo_rvmax", unit: length, meaning: "where it is", of: (one) => one.rMax },
  { name: "halo_spin_bullock", meaning: "λ′ of Bullock et al. 2001", of: (one) => one.spin },
  { name: "halo_nfw_conc", meaning: "first radius over rs of the NFW fit", of: (one) => one.concentration },
  { name: "halo_rs", unit: length, meaning: "rs of that fit", of: (one) => one.radii[0] / one.concentration },
  { name: "halo_b_to_a", meaning: "axis ratio", of: (one) => one.ratios[0] },
  { name: "halo_c_to_a", meaning: "axis ratio", of: (one) => one.ratios[1] },
];

const idOf = (halo: TreeHalo | undefined) => halo?.id ?? -1;

/** Columns of the table of trees; names as Consistent Trees has them (Behroozi et al. 2013). */
export const treeColumns = (definition: HaloDefinition): Column<TreeHalo>[] => [
  { name: "halo_id", integer: true, meaning: "as in its catalogue", of: ({ id }) => id },
  { name: "halo_snapnum", integer: true, meaning: "number of its catalogue", of: ({ output }) => output },
  { name: "halo_scale_factor", meaning: "its time", of: ({ scaleFactor }) => scaleFactor },
  { name: `halo_m${definition}`, unit: mass, meaning: "as in its catalogue", of: (one) => SUNS * one.mass },
  { name: "halo_desc_id", integer: true, meaning: "its descendant; −1: none", of: (one) => idOf(one.descendant) },
  {
    name: "halo_desc_scale",
    meaning: "time of the descendant",
    of: (one) => one.descendant?.scaleFactor ?? Number.NaN,
  },
  {
    ...{ name: "halo_mmp", integer: true, meaning: "1: it is the main progenitor of its descendant" },
    of: (one) => Number(one.descendant?.mainProgenitor === one),
  },
  { name: "halo_main_prog_id", integer: true, meaning: "−1: none", of: (one) => idOf(one.mainProgenitor) },
  { name: "halo_num_prog", integer: true, meaning: "progenitors", of: (one) => one.progenitors },
  { name: "halo_mergers", integer: true, meaning: "progenitors besides the main one", of: (one) => one.mergers },
  {
    ...{ name: "halo_major_mergers", integer: true, meaning: "of these, with a quarter of its mass or more" },
    of: (one) => one.majorMergers,
  },
  {
    ...{ name: "halo_growth", meaning: "mass over that of the main progenitor" },
    of: (one) => one.mass / (one.mainProgenitor?.mass ?? Number.NaN),
  },
  { name: "halo_scale_of_last_mm", meaning: "last major merger of its main branch", of: (one) => one.lastMajorMerger },
  { name: "halo_half_mass_scale", meaning: "its main branch came to half of its mass", of: (one) => one.halfMass },
  { name: "halo_root_id", integer: true, meaning: "what it is part of in the end", of: (one) => one.root.id },
];

export interface CatalogueHead {
  scaleFactor: number;
  /** Side of the box [Mpc/h]. */
  boxSize: number;
  definitions: readonly HaloDefinition[];
  /** Mean densities within the radii, over that of matter. */
  overdensities: readonly number[];
  members: number;
  /** Of the lightest particle [1e10 Msun/h]. */
  particleMass: number;
}

export const catalogueName = (output: number) => `haloes_${String(output).padStart(3, "0")}`;

function csv<T>(file: string, columns: readonly Column<T>[], rows: readonly T[], comment: string): void {
  const field = ({ integer, of }: Column<T>, row: T, place: number): CsvField =>
    integer ? String(of(row, place)) : of(row, place);
  const lines = rows.map((row, place) => columns.map((column) => field(column, row, place)));
  const names = columns.map(({ name }) => name);
  writeFileAtomic(file, csvText(names, lines, comment));
}

function hdf5<T>(group: Hdf5Group, columns: readonly Column<T>[], rows: readonly T[]): void {
  for (const { name, meaning, unit, integer, of } of columns) {
    const data = integer ? BigInt64Array.from(rows, (row, i) => BigInt(of(row, i))) : Float64Array.from(rows, of);
    const made = group.create_dataset({ name, data, shape: [rows.length], dtype: integer ? "<q" : "<d" });
    writeAttributes(made, { ...(unit && { unit }), meaning });
  }
}

const UNITS = Object.entries(HALO_UNITS).map(([what, unit]) => `${what} in ${unit}`);
const HEAD_BYTES = 2 ** 17;
const ROW_BYTES = 300;

/** PATH.csv, and PATH.hdf5 with a group Haloes and the ids of their particles, halo by halo. Throws "io". */
export async function writeCatalogue(
  path: string,
  output: number,
  haloes: readonly SphericalHalo[],
  head: CatalogueHead,
): Promise<void> {
  const columns = haloColumns(head.definitions, output);
  const about = `spherical haloes at scale factor ${csvNumber(head.scaleFactor)}, at least ${head.members} particles`;
  csv(`${path}.csv`, columns, haloes, [about, ...UNITS].join("; "));
  const particles = haloes.reduce((sum, one) => sum + one.members.length, 0);
  await writeHdf5([`${path}.hdf5`], HEAD_BYTES + ROW_BYTES * haloes.length + 4 * particles, async (file) => {
    writeAttributes(file, {
      ...{ redshift: 1 / head.scaleFactor - 1, scale_factor: head.scaleFactor, Lbox: head.boxSize },
      ...{ particle_mass: SUNS * head.particleMass, minimum_members: head.members },
      ...{ definitions: head.definitions.join(" "), overdensities: head.overdensities },
    });
    hdf5(file.create_group("Haloes"), columns, haloes);
    const ids = new Uint32Array(particles);
    let at = 0;
    for (const { members } of haloes) {
      ids.set(members, at);
      at += members.length;
    }
    const members = file.create_group("Members");
    const made = members.create_dataset({ name: "particle_id", data: ids, shape: [particles], dtype: "<I" });
    writeAttributes(made, { meaning: "of each halo in turn its halo_num_p particles, the most bound first" });
  });
}

/** What trees need of a catalogue. Throws "input" where the file isn't one. */
export async function readCatalogue(file: string, definition: HaloDefinition): Promise<TreeOutput> {
  const library = await loadHdf5();
  try {
    const open = new library.File(file, "r");
    try {
      const column = (name: string) =>
        Array.from(datasetIn(open, name)?.value as ArrayLike<number | bigint>, (value) => Number(value));
      const ids = Uint32Array.from(column("Members/particle_id"));
      const ends = cumsum(column("Haloes/halo_num_p"));
      return {
        scaleFactor: Number(open.attrs.scale_factor.value),
        ids: column("Haloes/halo_id"),
        masses: column(`Haloes/halo_m${definition}`).map((suns) => suns / SUNS),
        members: Array.from(ends, (end, i) => ids.subarray(ends[i - 1] ?? 0, end)),
      };
    } finally {
      open.close();
    }
  } catch (cause) {
    throw new GravmeshError("input", `${file} is no catalogue of this run's haloes: ${hdf5Reason(cause)}`, { cause });
  }
}

/** PATH.csv and PATH.hdf5, a row a halo of any output. Throws "io". */
export async function writeTrees(path: string, haloes: readonly TreeHalo[], definition: HaloDefinition): Promise<void> {
  const columns = treeColumns(definition);
  csv(`${path}.csv`, columns, haloes, ["merger trees of spherical haloes", ...UNITS].join("; "));
  await writeHdf5([`${path}.hdf5`], HEAD_BYTES + ROW_BYTES * haloes.length, async (file) =>
    hdf5(file.create_group("Trees"), columns, haloes),
  );
}
