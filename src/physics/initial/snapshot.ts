/**
 * Particles from a snapshot file as a component: the centre of the file's box, where it has one, or with `centre` the
 * centre of mass goes to the centre of the box, then offset and bulk velocity are added. Masses and order stay those of
 * the file, species and names unless the deck has others. The caller reads the file (io/), so that this works in a page
 * too.
 */

import { GravmeshError } from "../../foundation/base/errors.ts";
import {
  columnNames,
  FILE_FORMATS,
  type FileReading,
  fileUnits,
  VELOCITY_CONVENTIONS,
} from "../../foundation/deck/file-formats.ts";
import {
  choice,
  filledText,
  flag,
  integer,
  LARGEST_U32,
  numbers,
  optional,
  orWord,
  required,
} from "../../foundation/deck/keys.ts";
import { unitsKey } from "../../foundation/deck/measures.ts";
import { shortest } from "../../foundation/deck/problems.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { Background } from "../cosmology/background.ts";
import { type ParticleSource, type SourceBlock, sourceOf } from "../particles/source.ts";
import { type ComponentRange, SPECIES, type Species } from "../particles/state.ts";
import {
  initialModel,
  type LoadedSnapshot,
  type ModelContext,
  type SnapshotFrame,
  type SnapshotLoader,
  type SnapshotSource,
} from "./model.ts";

export const snapshot = initialModel({
  name: "snapshot",
  meaning: "Particles read from a file: GADGET (HDF5 and binary), TIPSY, NEMO, CSV and NumPy tables",
  species: "stars",
  keys: {
    species: optional(choice("file", ...SPECIES), "file", {
      meaning: "particle type in the snapshots",
    }),
    file: required(filledText, {
      meaning:
        "name of the file, relative to the deck; its masses are used and, with species = file, its particle types",
    }),
    format: optional(choice("auto", ...FILE_FORMATS), "auto", {
      meaning: "format of the file; auto: by how it begins",
    }),
    units: optional(fileUnits, "file", {
      meaning: "units of the file's numbers; file: as it says, deck: those of the deck; velocity may be G = 1",
    }),
    velocities: optional(choice("file", ...VELOCITY_CONVENTIONS), "file", {
      meaning: "what velocities of an expanding box are: √a dx/dt, a dx/dt, dx/dt or a² dx/dt; file: as it says",
    }),
    header: optional(choice("file", "deck"), "file", {
      meaning: "which counts of box, expansion and background where the file's header has others than the deck",
    }),
    columns: optional(columnNames, [], { meaning: "names of the columns of a table that has none" }),
    frame: optional(orWord(integer(0, LARGEST_U32), "only"), "only", {
      meaning: "which snapshot, from 0, of a NEMO file with several",
    }),
    types: optional(numbers, [], { meaning: "particle types that are read, 0 to 5; [] all" }),
    ids: optional(choice("file", "new"), "file", {
      meaning: "new: particles are numbered in the order of the file, whatever ids it has",
    }),
    centre: optional(flag, false, {
      meaning:
        "moves the particles' centre of mass to the centre of the box, or of their galaxy; offset is added, velocities stay",
    }),
  },
  files: ["file"],
  massesDiffer: () => true,
  problems({ centre }, { box }) {
    if (!centre || box.boundary === "isolated") return [];
    const expected = 'false in a box with boundary = "periodic", where no place is the centre';
    return [{ key: "centre", expected, hint: "Give an offset instead" }];
  },
  async particles(component, { box, cosmology, clock, start, loadSnapshot, onNote }) {
    const loaded = await read(component, loadSnapshot);
    const told = differing(component, loaded, { box, cosmology, clock, start });
    for (const note of [...(loaded.notes ?? []), ...told]) onNote?.(note);
    const source = "blocks" in loaded ? loaded : sourceOf(loaded);
    const { count, masses } = source;
    const centre = component.centre ? await centreOfMass(source) : undefined;
    const boxShift = loaded.boxSize > 0 && component.header === "file" ? 0.5 * (box.size - loaded.boxSize) : 0;
    const shift = component.offset.map((distance, k) => distance + (centre ? 0.5 * box.size - centre[k] : boxShift));
    const { velocity } = component;
    return { count, masses, ranges: rangesOf(component, loaded), blocks: () => moved(source, shift, velocity) };
  },
});

type DeckFrame = Pick<ModelContext, "box" | "cosmology" | "clock" | "start">;

/** Relative tolerances, for files in other units and numbers that were rounded when they were written down. */
const SAME_LENGTH = 1e-4;
const SAME_SCALE_FACTOR = 1e-4;
const SAME_PARAMETER = 1e-3;

/**
 * Throws "input", with all that differs, unless both are of an expanding box with the same scale factor, side and
 * cosmology, or neither is of one. Gives what differs all the same, where the deck counts.
 */
function differing({ name, file, header }: FileComponent, loaded: SnapshotFrame, deck: DeckFrame): string[] {
  const refused = (found: string, advice: string) =>
    new GravmeshError("input", `${file} (component "${name}"): ${found}. ${advice}`);
  if (deck.clock === "static") {
    if (loaded.comoving !== true) return [];
    throw refused(
      `the snapshot is of an expanding box (a = ${shortest(loaded.time)}), the deck has time.clock = "static"`,
      `Set time.clock = "comoving" and time.start = ${shortest(loaded.time)}, or take a snapshot of a static run; ` +
        "units beside file count more than its header",
    );
  }
  if (loaded.comoving === false) {
    throw refused(
      'the snapshot is of a static run (ComovingIntegrationOn = 0), the deck has time.clock = "comoving"',
      'Take a snapshot of an expanding box, or set time.clock = "static"; velocities beside file count more than its header',
    );
  }
  const differences = comovingDifferences(loaded, deck);
  // No dark energy may just mean that the file doesn't set it.
  const isTold = ({ key, found }: Difference) => header === "deck" || (key === "cosmology.darkEnergy" && found === 0);
  const wrong = differences.filter((one) => !isTold(one));
  if (wrong.length === 0) return differences.map(({ text }) => `${file}: ${text}, which counts`);
  const units = wrong.some(({ key }) => key === "box.size") ? unitsFor(loaded, deck) : "";
  const values = wrong.map(({ key, found }) => `${key}=${shortest(found)}`).join(" ");
  const own = `Take another snapshot, or the file's own values: ${values}; header = "deck" beside file has the deck's count`;
  const found = `it doesn't fit the deck: ${wrong.map(({ text }) => text).join("; ")}`;
  if (units === "") throw refused(found, own);
  if (units === undefined)
    throw refused(found, `If the file has other units, say them beside file as ${SHOWN}. ${own}`);
  throw refused(
    found,
    `BoxSize is box.size in other units: say ${units} beside file${wrong.length > 1 ? `. ${own}` : ""}`,
  );
}

const SHOWN = 'units = { length = "Mpc/h", mass = "1e10 Msun/h", velocity = "km/s" }';

/** The units in which the box of a file is the deck's; undefined where they are none of the usual ones. */
function unitsFor({ storedSize = 0 }: SnapshotFrame, { box, cosmology }: DeckFrame): string | undefined {
  const { snapshot: own } = unitSystem("cosmological");
  const size = (own.UnitLength_in_cm * own.lengthFactor * box.size) / storedSize;
  const others = [own.UnitMass_in_g, own.UnitVelocity_in_cm_per_s];
  const keys = [unitsKey([size, ...others], "/h"), unitsKey([size / cosmology.h, ...others], "")];
  return keys.find((key) => !key.includes(" cm"));
}

type FileComponent = Record<"name" | "file", string> & FileReading;
type Difference = Record<"key" | "text", string> & { found: number };

function comovingDifferences({ time, boxSize, cosmology: said = {} }: SnapshotFrame, deck: DeckFrame) {
  const { box, start, cosmology } = deck;
  const { today, parameters } = new Background(cosmology);
  const differences: Difference[] = [];
  const compare = (what: string, key: string, found: number | undefined, own: number, most: number) => {
    if (found === undefined || Math.abs(found - own) <= most) return;
    differences.push({ key, found, text: `${what} is ${shortest(found)} in the file, ${key} ${shortest(own)}` });
  };
  compare("the scale factor", "time.start", time, start, SAME_SCALE_FACTOR * start);
  compare("the box", "box.size", boxSize > 0 ? boxSize : undefined, box.size, SAME_LENGTH * box.size);
  compare("Ωm", "cosmology.omegaM", said.omegaM, parameters.omegaM, SAME_PARAMETER * parameters.omegaM);
  // What makes space flat follows from Ωm.
  const { omegaM = 0, darkEnergy = 0 } = said;
  const flat = cosmology.darkEnergy === "flat" && omegaM > 0 && Math.abs(omegaM + darkEnergy - 1) <= SAME_PARAMETER;
  if (!flat) compare("dark energy", "cosmology.darkEnergy", said.darkEnergy, today.darkEnergy, SAME_PARAMETER);
  compare("h", "cosmology.h", said.h, parameters.h, SAME_PARAMETER * parameters.h);
  return differences;
}

/** The name of a component without one: its kind, and its number. */
const DEFAULT_NAME = /^snapshot(-\d+)?$/;

/** A file's components; several keep their names, after the component's where one was given. */
function rangesOf(
  { name, species }: { name: string; species: Species | "file" },
  { components, count }: Pick<SnapshotSource, "components" | "count">,
): ComponentRange[] {
  const own = components.length > 0 ? components : [{ name, species: "stars" as const, first: 0, count }];
  const named = (range: ComponentRange) => {
    if (own.length === 1) return name;
    return DEFAULT_NAME.test(name) ? range.name : `${name} ${range.name}`;
  };
  return own.map((range) => ({
    ...{ ...range, name: named(range) },
    species: species === "file" ? range.species : species,
  }));
}

/** Throws a "usage" error without a loader and an "input" error for an empty or inconsistent file. */
async function read(
  { name, file, ...as }: FileComponent,
  load: SnapshotLoader | undefined,
): Promise<LoadedSnapshot | SnapshotSource> {
  if (!load) {
    throw new GravmeshError(
      "usage",
      `component "${name}" is read from ${file}: expected a loadSnapshot option, found none. ` +
        "Pass initialConditions a function that reads the file.",
    );
  }
  const { format, units, velocities: convention, header, columns, frame, types, ids } = as;
  const loaded = await load(file, { format, units, velocities: convention, header, columns, frame, types, ids });
  if ("blocks" in loaded) return loaded;
  const { count, positions, velocities, masses } = loaded;
  const found = `${count} particles, ${positions.length} coordinates, ${velocities.length} velocity components, ${masses.length} masses`;
  if (!(count > 0) || positions.length !== 3 * count || velocities.length !== 3 * count || masses.length !== count) {
    throw new GravmeshError(
      "input",
      `${file} (component "${name}"): expected N > 0 particles with 3N coordinates, 3N velocity ` +
        `components and N masses, found ${found}. The file may be truncated; try another snapshot.`,
    );
  }
  return loaded;
}

/** The centre of mass; for tracers, whose masses are all 0, the mean place [length]. */
async function centreOfMass({ masses, blocks }: ParticleSource): Promise<number[]> {
  const { weights } = masses;
  const sum = [0, 0, 0];
  for await (const { first, count, positions } of blocks()) {
    const weight = weights.every(1, { first, count });
    for (let k = 0; k < 3 * count; k++) sum[k % 3] += weight[Math.floor(k / 3)] * positions[k];
  }
  return sum.map((one) => one / weights.total);
}

async function* moved(
  source: ParticleSource,
  shift: readonly number[],
  velocity: readonly number[],
): AsyncGenerator<SourceBlock> {
  let positions = new Float64Array(0);
  let velocities = new Float64Array(0);
  for await (const { first, count, ...block } of source.blocks()) {
    const length = 3 * count;
    if (positions.length < length) [positions, velocities] = [new Float64Array(length), new Float64Array(length)];
    for (let k = 0; k < length; k++) {
      positions[k] = block.positions[k] + shift[k % 3];
      velocities[k] = block.velocities[k] + velocity[k % 3];
    }
    yield { first, count, positions: positions.subarray(0, length), velocities: velocities.subarray(0, length) };
  }
}
