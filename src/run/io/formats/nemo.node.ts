/**
 * NEMO snapshots (snapshot(5NEMO), snapshot.h): sets "SnapShot" of "Parameters" (Nobj, Time) and "Particles" (CoordSystem,
 * Mass, PhaseSpace [N][2][3] or Position and Velocity [N][3]) in a structured file. Particles have no types, but gas
 * may stand first (Ngas). A later snapshot of a series may leave out masses, which are those of the one before.
 */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { FileReading } from "../../../foundation/deck/file-formats.ts";
import { type ByteFile, binaryColumn, withByteFile } from "../byte-file.node.ts";
import { ByteWriter } from "../byte-writer.node.ts";
import type { CheckedColumn, Need, SnapshotSet, TypeColumns } from "../column.ts";
import { consecutiveOffsets, encode, NUMBER_KINDS } from "../number-kinds.ts";
import { printable } from "../regular-file.node.ts";
import type { FileFormat } from "./format.ts";
import { beginSet, endSet, headOf, type Item, isLittle, itemsOf } from "./nemo-items.node.ts";
import { NUMBERS, numberSaid, stored, timeAloneKept, type Written, type WrittenRows } from "./written.ts";

/** CSCode(Cartesian, 3, 2): in three dimensions, positions and velocities. */
const CARTESIAN = (1 << 16) | (3 << 8) | 2;
const isCartesian = (code: number) => code >> 16 === 1 && ((code >> 8) & 0xff) === 3;
const TYPES = { gas: 0, stars: 4 } as const;

function tagged(file: ByteFile, items: readonly Item[], tag: string): Item | undefined {
  const [found, another] = items.filter((item) => item.tag === tag);
  if (!another) return found;
  const places = `before bytes ${found.offset} and ${another.offset}`;
  throw file.fault(`${tag} is twice in one set, ${places}; expected one of each.`, "The file is damaged.");
}

function numberOf(file: ByteFile, item: Item | undefined, little: boolean): number | undefined {
  if (item === undefined || item.dims.length > 0) return undefined;
  const view = file.read(item.offset, item.bytes, item.tag);
  if (item.type === "i") return view.getInt32(0, little);
  if (item.type === "f") return view.getFloat32(0, little);
  return item.type === "d" ? view.getFloat64(0, little) : undefined;
}

type Frame = ReturnType<typeof framesOf>[number];

function framesOf(file: ByteFile, little: boolean) {
  const snapshots = itemsOf(file, little).filter(({ tag }) => tag === "SnapShot");
  let mass: Item | undefined;
  return snapshots.flatMap(({ items }) => {
    const parameters = tagged(file, items, "Parameters")?.items ?? [];
    const particles = tagged(file, items, "Particles")?.items;
    if (!particles) return [];
    mass = tagged(file, particles, "Mass") ?? mass;
    const count = numberOf(file, tagged(file, parameters, "Nobj") ?? tagged(file, parameters, "NBody"), little);
    if (!(count !== undefined && count > 0 && Number.isSafeInteger(count))) {
      throw file.fault(`a SnapShot has Nobj = ${count ?? "none"}; expected a number of particles.`);
    }
    const gas = numberOf(file, tagged(file, parameters, "Ngas"), little) ?? 0;
    if (!(gas >= 0 && gas <= count && Number.isSafeInteger(gas)))
      throw file.fault(`a SnapShot has Ngas = ${gas} of ${count} particles.`);
    const system = numberOf(file, tagged(file, particles, "CoordSystem"), little) ?? CARTESIAN;
    if (!isCartesian(system)) {
      throw file.fault(`a SnapShot has CoordSystem = ${system}; expected ${CARTESIAN}, Cartesian in three dimensions.`);
    }
    return [{ count, gas, time: numberOf(file, tagged(file, parameters, "Time"), little), mass, particles }];
  });
}

function chosen(file: ByteFile, frames: readonly Frame[], { frame = "only" }: FileReading): Frame {
  if (frames.length === 0) throw file.fault("it has no SnapShot with Particles.", "Expected a snapshot of NEMO.");
  const all = frames.map(({ time }, i) => `${i} at time ${time ?? "unknown"}`);
  const shown = all.length > 6 ? [...all.slice(0, 5), "…", all.at(-1)] : all;
  if (frame === "only" && frames.length > 1) {
    throw file.fault(
      `it has ${frames.length} snapshots: ${shown.join(", ")}.`,
      "Say which beside file: frame = 0 for the first (--frame of gravmesh convert).",
    );
  }
  const found = frames[frame === "only" ? 0 : frame];
  if (found) return found;
  throw file.fault(`it has ${frames.length} snapshots and none with frame = ${frame}: ${shown.join(", ")}.`);
}

function typesOf(file: ByteFile, frame: Frame, little: boolean, need: Need): TypeColumns[] {
  const { count, gas, particles, mass } = frame;
  const required = (item: Item | undefined, tag: string, dims: readonly number[]): Item => {
    if (!item) {
      const there = particles.map((one) => printable(one.tag)).join(", ") || "nothing";
      throw file.fault(`${tag} is missing; the particles have ${there}.`);
    }
    if ((item.type === "f" || item.type === "d") && item.dims.join() === dims.join()) return item;
    const found = `${item.type}[${item.dims.join("][")}]`;
    throw file.fault(
      `${item.tag} is ${found}; expected f or d[${dims.join("][")}] for the ${count} particles of Nobj.`,
    );
  };
  const phase = tagged(file, particles, "PhaseSpace");
  const both = phase && required(phase, "PhaseSpace", [count, 2, 3]);
  const x = both ?? required(tagged(file, particles, "Position"), "PhaseSpace", [count, 3]);
  const v =
    need === "positions" ? undefined : (both ?? required(tagged(file, particles, "Velocity"), "Velocity", [count, 3]));
  const m = need === "positions" ? undefined : required(mass, "Mass", [count]);
  return (["gas", "stars"] as const).flatMap((path): TypeColumns[] => {
    const [first, rows] = path === "gas" ? [0, gas] : [gas, count - gas];
    if (rows === 0) return [];
    /** From number `from` of each row on. */
    const column = (item: Item, width: 1 | 3, from: number): CheckedColumn => {
      const kind = item.type === "d" ? "f8" : "f4";
      const { size } = NUMBER_KINDS[kind];
      const stride = item.bytes / item.dims[0];
      const offsets = consecutiveOffsets(item.offset + first * stride + from * size, width, size);
      return binaryColumn({ file: file.name, path: item.tag, rows, stride, kind, little, offsets });
    };
    return [
      {
        ...{ type: TYPES[path], path, count: rows, ids: undefined, coordinates: column(x, 3, 0) },
        ...{ velocities: v && column(v, 3, both ? 3 : 0), masses: m ? column(m, 1, 0) : 0 },
      },
    ];
  });
}

function openNemo(name: string, need: Need, as: FileReading): SnapshotSet {
  return withByteFile(name, (file) => {
    const little = isLittle(file.readUpTo(0, 4));
    if (little === undefined)
      throw file.fault("this is no structured file of NEMO: it doesn't begin with one of its magic numbers.");
    const frame = chosen(file, framesOf(file, little), as);
    const { time } = frame;
    return {
      ...{ name, format: "nemo", parts: [{ file: name, types: typesOf(file, frame, little, need) }] },
      ...{ header: time === undefined ? {} : { Time: time }, parameters: {}, time },
      ...{ ours: false, velocities: undefined, perH: true, hasUnits: false },
    };
  });
}

async function writeNemo(file: string, written: Written): Promise<string[]> {
  const { count, types } = written;
  if (count >= 2 ** 31)
    throw new GravmeshError("usage", `${count} particles are too many for NEMO, which counts to 2^31.`);
  // The same type throughout, as NEMO's programs have it.
  const bits = NUMBERS.some((field) => written.bits(field) === 64) ? 64 : 32;
  const type = bits === 64 ? "d" : "f";
  await ByteWriter.to(file, async (out) => {
    const item = (kind: string, tag: string, data: ArrayBufferView | string, dims?: readonly number[]) => {
      out.write(headOf(kind, tag, dims));
      out.write(data);
    };
    const history = "gravmesh convert\0";
    item("c", "History", history, [history.length]);
    out.write(beginSet("SnapShot"));
    out.write(beginSet("Parameters"));
    item("i", "Nobj", Int32Array.of(count));
    const gas = types.find((one) => one.type === TYPES.gas)?.count ?? 0;
    if (gas > 0) item("i", "Ngas", Int32Array.of(gas));
    item("d", "Time", Float64Array.of(numberSaid(written, "Time")));
    out.write(endSet());
    out.write(beginSet("Particles"));
    item("i", "CoordSystem", Int32Array.of(CARTESIAN));
    out.write(headOf(type, "Mass", [count]));
    for await (const masses of written.column("masses", bits)) out.write(masses);
    out.write(headOf(type, "PhaseSpace", [count, 2, 3]));
    for await (const rows of written.rows(["coordinates", "velocities"])) out.write(phaseSpace(rows, bits));
    out.write(endSet());
    out.write(endSet());
  });
  const kept = types.every(({ type: of }) => of === TYPES.gas || of === TYPES.stars);
  return timeAloneKept(written, kept ? [] : ["types other than gas, which NEMO doesn't have"]);
}

function phaseSpace(rows: WrittenRows, bits: 32 | 64): DataView {
  const size = bits / 8;
  const layout = { stride: 6 * size, kind: bits === 64 ? "f8" : "f4", little: true } as const;
  const view = new DataView(new ArrayBuffer(6 * size * rows.count));
  for (const [k, field] of (["coordinates", "velocities"] as const).entries()) {
    encode(view, stored(rows, field, bits), { ...layout, offsets: consecutiveOffsets(3 * k * size, 3, size) });
  }
  return view;
}

export const nemo: FileFormat = {
  name: "nemo",
  about: "NEMO's structured binary snapshots, of either byte order",
  endings: [".nemo"],
  gadget: false,
  hasUnits: false,
  passes: 2,
  recognise: ({ bytes }) => isLittle(bytes) !== undefined,
  open: async (file, need, as) => openNemo(file, need, as),
  write: writeNemo,
};
