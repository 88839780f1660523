/**
 * GADGET's binary snapshots, SnapFormat 1 and 2, of either byte order, read. Blocks of Fortran's kind, a 32-bit count of
 * bytes before and after each; in format 2 a block of 8 bytes with a name of four letters stands before each (Springel 2005,
 * MNRAS 364, 1105; users' guide to GADGET-2, section 6). The header has 256 bytes (GADGET-2's io_header in allvars.h) or fewer
 * (GADGET-4's in io/snap_io.h). Numbers have the bits that the blocks' sizes tell; types in turn in each.
 */
import { SPECIES } from "../../../physics/particles/state.ts";
import { type ByteFile, binaryColumn, withByteFile } from "../byte-file.node.ts";
import { type CheckedColumn, FIELDS, type Field, type Need, type SnapshotSet, type TypeColumns } from "../column.ts";
import { frameOf } from "../file-frame.ts";
import { fileSetOf, type Header, headerOf, type LookedThrough } from "../file-set.node.ts";
import { PARTICLE_TYPES, type ParameterValue } from "../gadget.ts";
import { consecutiveOffsets, encode, NUMBER_KINDS, type NumberKind } from "../number-kinds.ts";
import type { FileStart } from "./format.ts";

/** Blocks in the order that format 1 has them, and what is in them. */
export const FORMAT_1_BLOCKS: readonly (readonly [name: string, field: Field])[] = [
  ["POS", "coordinates"],
  ["VEL", "velocities"],
  ["ID", "ids"],
  ["MASS", "masses"],
];

export const GADGET2_HEADER = 256;
/** GADGET-4's, of snapshots and with the counts of merger trees. */
const HEADER_SIZES: readonly number[] = [GADGET2_HEADER, 176, 192];

/** A number of the header, or one for each type, and where it is [byte]. */
type Place = readonly [name: string, kind: NumberKind, at: number, count?: number];

const GADGET2: readonly Place[] = [
  ["NumPart_ThisFile", "i4", 0, PARTICLE_TYPES],
  ["MassTable", "f8", 24, PARTICLE_TYPES],
  ["Time", "f8", 72],
  ["Redshift", "f8", 80],
  ["NumPart_Total", "u4", 96, PARTICLE_TYPES],
  ["NumFilesPerSnapshot", "i4", 124],
  ["BoxSize", "f8", 128],
  ["Omega0", "f8", 136],
  ["OmegaLambda", "f8", 144],
  ["HubbleParam", "f8", 152],
  ["NumPart_Total_HighWord", "u4", 168, PARTICLE_TYPES],
  ["Flag_DoublePrecision", "i4", 196],
];
const GADGET4: readonly Place[] = [
  ["NumPart_ThisFile", "i8", 0, PARTICLE_TYPES],
  ["NumPart_Total", "i8", 48, PARTICLE_TYPES],
  ["MassTable", "f8", 96, PARTICLE_TYPES],
  ["Time", "f8", 144],
  ["Redshift", "f8", 152],
  ["BoxSize", "f8", 160],
  ["NumFilesPerSnapshot", "i4", 168],
];

function gadgetHeader(view: DataView, little: boolean): Record<string, ParameterValue> {
  const places = view.byteLength === GADGET2_HEADER ? GADGET2 : GADGET4;
  return Object.fromEntries(
    places.map(([name, kind, at, count = 1]) => {
      const { get, size } = NUMBER_KINDS[kind];
      const values = consecutiveOffsets(at, count, size).map((from) => Number(get(view, from, little)));
      return [name, count === 1 ? values[0] : values];
    }),
  );
}

/** GADGET-1 reserves the bytes of NumPart_Total_HighWord: a file that holds all particles, which its size has to fit, has no others. */
function ofWholeFile(said: Record<string, ParameterValue>): Record<string, ParameterValue> {
  const { NumPart_ThisFile: numbers, NumPart_Total: totals } = said as Record<string, number[]>;
  if (totals.some((n, type) => n !== numbers[type]) && totals.some((n) => n !== 0)) return said;
  return { ...said, NumFilesPerSnapshot: 1, NumPart_Total_HighWord: totals.map(() => 0) };
}

/** GADGET-2's, little-endian; what isn't among the values is 0. */
export function gadget2Header(values: Readonly<Record<string, ParameterValue>>): DataView {
  const view = new DataView(new ArrayBuffer(GADGET2_HEADER));
  for (const [name, kind, at] of GADGET2) {
    const found = [values[name] ?? 0].flat().filter((value) => typeof value === "number");
    encode(view, found, { offsets: [at], stride: NUMBER_KINDS[kind].size, kind, little: true });
  }
  return view;
}

/** The name before a block of format 2 takes so many bytes, its marks without. */
const NAME_BYTES = 8;
const MARK = 4;
const WRAP = 2 ** 32;
const DAMAGED = "The file is damaged, or no GADGET snapshot.";

interface Block {
  label: string | undefined;
  offset: number;
  bytes: number;
}

interface Layout {
  format: 1 | 2;
  little: boolean;
}

/** The layout of a file that begins so; undefined where it is no GADGET snapshot. */
export function layoutOf({ bytes, size }: FileStart): Layout | undefined {
  if (bytes.length < 24) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const little of [true, false]) {
    const mark = view.getUint32(0, little);
    if (mark === NAME_BYTES && view.getUint32(12, little) === NAME_BYTES) return { format: 2, little };
    const end = MARK + mark;
    if (!HEADER_SIZES.includes(mark) || end + MARK > Math.min(size, bytes.length)) continue;
    if (view.getUint32(end, little) === mark) return { format: 1, little };
  }
  return undefined;
}

/** The block whose first mark is at `at`. Throws "input" where no second one fits. */
function blockAt(file: ByteFile, at: number, little: boolean, label?: string): Block {
  const what = label === undefined ? "a block" : `the block "${label}"`;
  const mark = file.read(at, MARK, `the mark before ${what}`).getUint32(0, little);
  const offset = at + MARK;
  // Larger blocks have the lower 32 bits of their size as marks.
  for (let bytes = mark; offset + bytes + MARK <= file.bytes; bytes += WRAP) {
    if (file.read(offset + bytes, MARK, "a mark").getUint32(0, little) === mark) return { label, offset, bytes };
  }
  const end = offset + mark;
  if (end + MARK > file.bytes) {
    throw file.fault(
      `${what} at byte ${at} should have ${mark} bytes, but the file ends at byte ${file.bytes}.`,
      "It is truncated; copy it again.",
    );
  }
  const found = file.read(end, MARK, "a mark").getUint32(0, little);
  throw file.fault(
    `${what} at byte ${at} has the marks ${mark} before and ${found} after it, which should be equal.`,
    DAMAGED,
  );
}

function blocksOf(file: ByteFile, { format, little }: Layout, most = Infinity): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < file.bytes && blocks.length < most; ) {
    let label: string | undefined;
    if (format === 2) {
      const name = blockAt(file, at, little);
      if (name.bytes !== NAME_BYTES) {
        throw file.fault(`the block at byte ${at} has ${name.bytes} bytes; expected the 8 of a name.`, DAMAGED);
      }
      const { buffer, byteOffset } = file.read(name.offset, 4, "a block's name");
      label = String.fromCharCode(...new Uint8Array(buffer, byteOffset, 4))
        .replace(/[^ -~]/g, "?")
        .trim();
      at = name.offset + NAME_BYTES + MARK;
    }
    const block = blockAt(file, at, little, label);
    blocks.push(block);
    at = block.offset + block.bytes + MARK;
  }
  return blocks;
}

type Wanted = ReturnType<typeof wantedOf>[number];

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, n) => sum + n, 0);

/** `masses`: how many the block MASS has. */
function wantedOf(header: Header, need: Need, masses: number) {
  const count = sumOf(header.numbers);
  const all = FORMAT_1_BLOCKS.map(([name, field]) => {
    const kinds: Partial<Record<number, NumberKind>> = field === "ids" ? { 4: "u4", 8: "u8" } : { 4: "f4", 8: "f8" };
    return { name, field, kinds, rows: field === "masses" ? masses : count };
  });
  return all.filter(({ field, rows }) => rows > 0 && (need === "start" || field === "coordinates" || field === "ids"));
}

type Found = ReturnType<typeof fitting>;

function fitting(file: ByteFile, block: Block, wanted: Wanted) {
  const { name, field, rows, kinds } = wanted;
  const numbers = rows * FIELDS[field].width;
  const size = block.bytes / numbers;
  const kind = kinds[size];
  if (kind) return { ...wanted, offset: block.offset, kind, size };
  const sizes = Object.keys(kinds).map((one) => numbers * Number(one));
  throw file.fault(
    `the block ${name} at byte ${block.offset - MARK} has ${block.bytes} bytes; ` +
      `expected ${sizes.join(" or ")} for the ${rows} particles that the header counts.`,
    "The file is inconsistent, or has other blocks than GADGET writes: POS, VEL, ID and MASS in this order.",
  );
}

/** Whether a block has masses of all particles, where the header has those of all or all but `single`. */
function hasAllMasses(
  file: ByteFile,
  { format, little }: Layout,
  block: Block,
  numbers: readonly number[],
  single: number,
) {
  const count = sumOf(numbers);
  const size = block.bytes / count;
  if (single === count || (size !== 4 && size !== 8) || block.bytes === 8 * single) return false;
  if (format === 2 || single > 0) return true;
  // In format 1 energies of gas may stand there, or potentials, of which no two are equal.
  if (numbers[0] > 0 || count === 1) return false;
  const view = file.read(block.offset, 2 * size, "a block after ID");
  const [one, other] = [0, size].map((at) => NUMBER_KINDS[size === 4 ? "f4" : "f8"].get(view, at, little));
  return one === other && one > 0;
}

function foundIn(file: ByteFile, layout: Layout, header: Header, need: Need): Map<Field, Found> {
  const [, ...blocks] = blocksOf(file, layout);
  const count = sumOf(header.numbers);
  const single = header.numbers.reduce((sum, n, type) => sum + (header.table[type] > 0 ? 0 : n), 0);
  const mass = layout.format === 1 ? blocks[FORMAT_1_BLOCKS.length - 1] : blocks.find(({ label }) => label === "MASS");
  const all = need === "start" && mass !== undefined && hasAllMasses(file, layout, mass, header.numbers, single);
  const wanted = wantedOf(header, need, all ? count : single);
  const found = new Map<Field, Found>();
  for (const one of wanted) {
    const place = FORMAT_1_BLOCKS.findIndex(([name]) => name === one.name);
    const [block, another] = layout.format === 1 ? [blocks[place]] : blocks.filter(({ label }) => label === one.name);
    if (another) {
      const places = `at bytes ${block.offset - MARK} and ${another.offset - MARK}`;
      throw file.fault(`the block ${one.name} is there twice, ${places}.`, DAMAGED);
    }
    if (block) found.set(one.field, fitting(file, block, one));
    else if (one.name !== "ID" || layout.format === 1) {
      const there = blocks.map(({ label, bytes }) => (label ? `${label} (${bytes} bytes)` : `${bytes} bytes`));
      throw file.fault(
        `the block ${one.name} is missing; after the header there are ${there.join(", ") || "none"}.`,
        one.name === "MASS" ? "The header has no mass for some types, so that their particles need one each." : "",
      );
    }
  }
  return found;
}

function typesOf(file: ByteFile, layout: Layout, header: Header, need: Need): TypeColumns[] {
  const blocks = foundIn(file, layout, header, need);
  let before = 0;
  let masses = 0;
  const all = blocks.get("masses")?.rows === sumOf(header.numbers);
  return header.numbers.flatMap((count, type) => {
    if (count === 0) return [];
    const path = SPECIES[type];
    const column = (field: Field, from: number): CheckedColumn | undefined => {
      const block = blocks.get(field);
      if (!block) return undefined;
      const { name, offset, size, kind } = block;
      const stride = FIELDS[field].width * size;
      return binaryColumn({
        ...{ file: file.name, path: `${name} of ${path}`, rows: count, kind, little: layout.little },
        ...{ offsets: consecutiveOffsets(offset + from * stride, FIELDS[field].width, size), stride },
      });
    };
    const first = before;
    before += count;
    const mass = header.table[type];
    const single = need === "start" && (all || !(mass > 0)) ? column("masses", masses) : undefined;
    if (all || !(mass > 0)) masses += count;
    return [
      {
        ...{ type, path, count, coordinates: column("coordinates", first)! },
        ...(mass > 0 || !single ? { masses: mass, doubled: single } : { masses: single }),
        ...{ velocities: column("velocities", first), ids: column("ids", first) },
      },
    ];
  });
}

function headerIn(file: ByteFile, layout: Layout): Header {
  const [block] = blocksOf(file, layout, 1);
  if (layout.format === 2 && block?.label !== "HEAD") {
    throw file.fault(`the first block is "${block?.label}"; expected "HEAD".`, DAMAGED);
  }
  if (!HEADER_SIZES.includes(block.bytes)) {
    throw file.fault(
      `the header has ${block.bytes} bytes; expected the ${GADGET2_HEADER} of GADGET-2's, or the ${HEADER_SIZES.slice(1).join(" or ")} of GADGET-4's.`,
    );
  }
  const said = gadgetHeader(file.read(block.offset, block.bytes, "the header"), layout.little);
  return headerOf(file, ofWholeFile(said));
}

function layoutIn(file: ByteFile, format: 1 | 2): Layout {
  const bytes = file.readUpTo(0, GADGET2_HEADER + 2 * MARK);
  const layout = layoutOf({ bytes, size: file.bytes });
  if (layout?.format === format) return layout;
  const start = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const found = layout ? `it is of format ${layout.format}` : `it begins with the bytes ${start || "of nothing"}`;
  const expected = format === 1 ? "256 as the mark of the header" : "8 as the mark of the first name";
  throw file.fault(`this is no GADGET snapshot of format ${format}: ${found}; expected ${expected}.`);
}

/** Throws "input" for a set of which a file is missing, damaged or of another snapshot. */
export function openGadget(name: string, format: 1 | 2, need: Need): Promise<SnapshotSet> {
  const look = (file: ByteFile): LookedThrough => {
    const layout = layoutIn(file, format);
    const header = headerIn(file, layout);
    return {
      ...{ name: file.name, fault: (found, advice) => file.fault(found, advice) },
      ...{ header, parameters: {}, types: typesOf(file, layout, header, need) },
      ...{ ours: false, perH: true, hasUnits: true },
      // A header that doesn't say that its box expands may be anything.
      velocities: frameOf(header.attributes, header.time).comoving ? "gadget" : undefined,
    };
  };
  return fileSetOf(`gadget-${format}`, name, (part) => withByteFile(part, look));
}
