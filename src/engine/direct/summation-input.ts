/** Checks and copies callers' arrays: "usage" for missing or wrong lengths, "input" for numbers that can't be. */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { ForceOrder } from "./bodies.ts";
import { type MeshParticles, windowsOf } from "./source-mesh.ts";
import type { NewSources, SourceFields } from "./source-records.ts";
import { type EngineTargets, NO_NEIGHBOUR } from "./summation.ts";

export type Numbers = Float64Array | Float32Array | readonly number[];
export type Integers = Uint32Array | readonly number[];

/** Sources; what is left out of an update stays. */
export interface SourceInput {
  /** [3N, xyzxyz…] [length] */
  positions: Numbers;
  /** [N], or one for all [mass]; they are multiplied by G. */
  masses: Numbers | number;
  /** [3N] [velocity]. Needed for jerk and snap, and to predict. */
  velocities?: Numbers;
  /** [3N] [velocity/time]. Needed for snap; in a prediction 0 when left out. */
  accelerations?: Numbers;
  /** [3N] [velocity/time²]; in a prediction 0 when left out. */
  jerks?: Numbers;
  /** [N], or one for all: the times that the above belong to; 0 when left out. */
  times?: Numbers | number;
  /** [N]; a source exerts nothing on a target of the same id. Row numbers when left out. */
  ids?: Integers;
}

export type SourceUpdate = Partial<SourceInput>;

/** Targets of their own, or rows of the sources. */
export type TargetInput =
  | {
      /** [3N, xyzxyz…] [length] */
      positions: Numbers;
      /** [3N] [velocity]; needed for jerk and snap. */
      velocities?: Numbers;
      /** [3N] [velocity/time]; needed for snap. */
      accelerations?: Numbers;
      /** [N] sources of the same id exert nothing; without ids all sources act. */
      ids?: Integers;
    }
  | { rows: Integers };

/** The mesh pipeline's particles on the same device, and their masses. */
export type MeshSourceInput = MeshParticles & {
  /** [N] by id, or one for all [mass]. */
  masses: Numbers | number;
};

const VECTORS = ["positions", "velocities", "accelerations", "jerks"] as const;
const SCALARS = ["masses", "times"] as const;
/** What of a body's motion a force of each order takes. */
const MOTION: Record<ForceOrder | "place", readonly ("velocities" | "accelerations")[]> = {
  place: [],
  acceleration: [],
  jerk: ["velocities"],
  snap: ["velocities", "accelerations"],
};

const BYTES_A_PARTICLE = { positions: 12, ids: 4, images: 4, velocities: 12 } as const;

/** Complete sources, masses multiplied by G. */
export function checkedSources(order: ForceOrder, G: number, input: SourceInput): NewSources {
  const count = countOf(input.positions, "sources", "positions [3N]", "pass three for each source");
  if (input.masses === undefined) throw usage("sources", "masses [N] or one mass for all", "none", "pass them");
  requireMotion(order, input, "sources");
  const fields = checkedFields(G, count, input, "source");
  const ids = fields.ids ?? Uint32Array.from({ length: count }, (_, row) => row);
  return { ...fields, positions: fields.positions!, masses: fields.masses!, ids };
}

/** An update of `rows`; `moving`: whether the sources were set with velocities. */
export function checkedUpdate(
  G: number,
  rows: Integers,
  input: SourceUpdate,
  { count, moving }: { count: number; moving: boolean },
): { rows: Uint32Array; fields: SourceFields } {
  const checked = checkedRows(rows, count, "updateSources");
  if (new Set(checked).size < checked.length) {
    throw new GravmeshError("usage", "updateSources: expected every row once, found a row twice; keep the later entry");
  }
  for (const name of ["velocities", "accelerations", "jerks", "times"] as const) {
    if (input[name] === undefined || moving) continue;
    throw new GravmeshError(
      "usage",
      `updateSources: ${name} of sources that were set without velocities; call setSources with velocities first`,
    );
  }
  return { rows: checked, fields: checkedFields(G, checked.length, input, "updated source") };
}

/** `count`: of the sources. */
export function checkedTargets(
  order: ForceOrder | "place",
  input: TargetInput | undefined,
  count: number,
): EngineTargets {
  if (input === undefined) return undefined;
  if ("rows" in input) return { rows: checkedRows(input.rows, count, "targets") };
  const expected = "positions [3N], or rows of the sources";
  const targets = countOf(input.positions, "targets", expected, "pass three numbers for each target");
  requireMotion(order, input, "targets");
  const needed: SourceUpdate = { positions: input.positions };
  for (const name of MOTION[order]) needed[name] = input[name]!;
  const fields = checkedFields(1, targets, needed, "target");
  const ids = input.ids
    ? checkedIds(input.ids, targets, "target", NO_NEIGHBOUR)
    : new Uint32Array(targets).fill(NO_NEIGHBOUR);
  return { ...fields, count: targets, positions: fields.positions!, ids };
}

export function checkedRadii(radii: Numbers | number, count: number): Float64Array {
  const checked = scalars("radii", radii, count, "target");
  const wrong = checked.findIndex((radius) => radius < 0);
  if (wrong >= 0) {
    throw new GravmeshError("input", `target ${wrong}: expected a radius of 0 or more, found ${checked[wrong]}`);
  }
  return checked;
}

/** G·m [N] by id of the mesh's particles. */
export function checkedMeshMasses(order: ForceOrder, G: number, input: MeshSourceInput): Float64Array {
  const { count, boxSize } = input;
  const windows = windowsOf(input);
  const wrong = (expected: string, found: string, advice: string) =>
    usage("setSourcesFromMesh", expected, found, advice);
  if (!Number.isInteger(count) || count < 0)
    throw wrong("a count of 0 or more", `${count}`, "pass the number of particles");
  if (!(boxSize > 0 && Number.isFinite(boxSize)))
    throw wrong("a boxSize above 0", `${boxSize}`, "pass the side of the box");
  if (order === "snap") {
    const advice = "particles on a mesh have no accelerations to pass on";
    throw wrong('order "acceleration" or "jerk"', '"snap"', advice);
  }
  if (order === "jerk" && windows.some(({ velocities }) => !velocities))
    throw wrong("velocities for jerks", "none", 'pass their buffer, or use order "acceleration"');
  const held = windows.reduce((sum, window) => sum + window.count, 0);
  if (held !== count)
    throw wrong(`windows of ${count} particles`, `${held}`, "pass all that the simulation has, and their count");
  for (const window of windows) {
    for (const [name, bytes] of Object.entries(BYTES_A_PARTICLE)) {
      const buffer = window[name as keyof typeof BYTES_A_PARTICLE];
      if (!buffer || buffer.size >= bytes * window.count) continue;
      const expected = `${bytes * window.count} bytes of ${name} for ${window.count} particles`;
      throw wrong(expected, `${buffer.size}`, "pass the count that the buffers hold");
    }
  }
  return scalars("masses", input.masses, count, "particle", G);
}

/** How many bodies there are positions of. */
function countOf(positions: Numbers | undefined, where: string, expected: string, advice: string): number {
  const length = positions?.length;
  if (length !== undefined && length % 3 === 0) return length / 3;
  throw usage(where, expected, length === undefined ? "none" : `${length} numbers`, advice);
}

function requireMotion(order: ForceOrder | "place", input: SourceUpdate, whose: string): void {
  const missing = MOTION[order].find((name) => input[name] === undefined);
  if (!missing) return;
  const expected = `${missing} [3N], which order "${order}" needs`;
  throw usage(whose, expected, "none", "pass them, or create the sum with a lower order");
}

function checkedFields(G: number, count: number, input: SourceUpdate, whose: string): SourceFields {
  const fields: SourceFields = {};
  for (const name of VECTORS) {
    const given = input[name];
    if (given !== undefined) fields[name] = vectors(name, given, count, whose);
  }
  for (const name of SCALARS) {
    const given = input[name];
    if (given !== undefined) fields[name] = scalars(name, given, count, whose, name === "masses" ? G : 1);
  }
  if (input.ids !== undefined) fields.ids = checkedIds(input.ids, count, whose);
  return fields;
}

function vectors(name: string, given: Numbers, count: number, whose: string): Float64Array {
  if (given.length !== 3 * count) {
    throw usage(`${whose}s`, `${name} [3·${count}]`, `${given.length} numbers`, "pass three for each");
  }
  return finite(name, Float64Array.from(given), 3, whose);
}

function scalars(name: string, given: Numbers | number, count: number, whose: string, factor = 1): Float64Array {
  if (typeof given !== "number" && given.length !== count) {
    const expected = `${name} [${count}] or one number for all`;
    throw usage(`${whose}s`, expected, `${given.length} numbers`, "pass one for each");
  }
  const copy = typeof given === "number" ? new Float64Array(count).fill(given) : Float64Array.from(given);
  finite(name, copy, 1, whose);
  return factor === 1 ? copy : copy.map((x) => factor * x);
}

/** `numbers`, `width` a body, unless one isn't finite. */
function finite(name: string, numbers: Float64Array, width: 1 | 3, whose: string): Float64Array {
  const wrong = numbers.findIndex((x) => !Number.isFinite(x));
  if (wrong < 0) return numbers;
  const axis = width === 3 ? ` on axis ${"xyz"[wrong % 3]}` : "";
  const body = `${whose} ${Math.floor(wrong / width)}`;
  throw new GravmeshError("input", `${body}: expected finite ${name}, found ${numbers[wrong]}${axis}`);
}

function checkedIds(given: Integers, count: number, whose: string, none?: number): Uint32Array {
  if (given.length !== count)
    throw usage(`${whose}s`, `ids [${count}]`, `${given.length} numbers`, "pass one for each");
  const ids = Uint32Array.from(given);
  for (let i = 0; i < count; i++) {
    if (ids[i] === given[i] && (ids[i] !== NO_NEIGHBOUR || ids[i] === none)) continue;
    throw new GravmeshError("input", `${whose} ${i}: expected an id from 0 to ${NO_NEIGHBOUR - 1}, found ${given[i]}`);
  }
  return ids;
}

function checkedRows(given: Integers, count: number, where: string): Uint32Array {
  const rows = Uint32Array.from(given);
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] === given[i] && rows[i] < count) continue;
    throw new GravmeshError(
      "usage",
      `${where}: expected rows from 0 to ${count - 1}, found ${given[i]}; there are ${count} sources`,
    );
  }
  return rows;
}

function usage(where: string, expected: string, found: string, advice: string): GravmeshError {
  return new GravmeshError("usage", `direct sum, ${where}: expected ${expected}, found ${found}; ${advice}`);
}
