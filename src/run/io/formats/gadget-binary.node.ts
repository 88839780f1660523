/**
 * GADGET's binary formats: SnapFormat 1 has its blocks in a fixed order, SnapFormat 2 gives them names. Written with
 * GADGET-2's header, little-endian, the blocks POS, VEL, ID and MASS, in one file.
 */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { ByteWriter } from "../byte-writer.node.ts";
import { FIELDS } from "../column.ts";
import { PARTICLE_TYPES } from "../gadget.ts";
import type { FileFormat } from "./format.ts";
import { FORMAT_1_BLOCKS, GADGET2_HEADER, gadget2Header, layoutOf, openGadget } from "./gadget-binary-reader.node.ts";
import { numberSaid, precisionOf, roundingLost, type Written } from "./written.ts";

const MOST_PARTICLES = 2 ** 31 - 1;
const LARGEST_BLOCK = 2 ** 32 - 1;

async function writeGadget(file: string, written: Written, format: 1 | 2, double: boolean): Promise<string[]> {
  const { types, count } = written;
  const bits = precisionOf(written, double);
  if (count > MOST_PARTICLES || 3 * (bits / 8) * count > LARGEST_BLOCK) {
    throw new GravmeshError(
      "usage",
      `${count} particles are too many for one file of GADGET's binary formats, whose blocks have at most 4 GiB. ` +
        "Write HDF5 instead: --to gadget-hdf5.",
    );
  }
  const byType = (value: (of: (typeof types)[number]) => number) =>
    Array.from({ length: PARTICLE_TYPES }, (_, type) => types.filter((of) => of.type === type).map(value)[0] ?? 0);
  const counts = byType((of) => of.count);
  const said = ["Time", "Redshift", "BoxSize", "Omega0", "OmegaLambda"].map((name) => [
    name,
    numberSaid(written, name),
  ]);
  const header = gadget2Header({
    ...{ ...Object.fromEntries(said), HubbleParam: numberSaid(written, "HubbleParam", 1) },
    ...{ NumPart_ThisFile: counts, NumPart_Total: counts, MassTable: byType(({ mass }) => mass ?? 0) },
    ...{ NumFilesPerSnapshot: 1, Flag_DoublePrecision: bits === 64 ? 1 : 0 },
  });
  await ByteWriter.to(file, async (out) => {
    type Content = Iterable<DataView> | AsyncIterable<ArrayBufferView>;
    const block = async (label: string, bytes: number, content: Content) => {
      const mark = Uint32Array.of(bytes);
      if (format === 2) {
        out.write(Uint32Array.of(8));
        out.write(label.padEnd(4));
        out.write(Uint32Array.of((bytes + 8) >>> 0, 8));
      }
      out.write(mark);
      for await (const piece of content) out.write(piece);
      out.write(mark);
    };
    await block("HEAD", GADGET2_HEADER, [header]);
    for (const [label, field] of FORMAT_1_BLOCKS) {
      // A mass of 0 in the header says that each particle has its own.
      const of = field === "masses" ? types.filter(({ mass }) => !mass) : types;
      const rows = of.reduce((sum, type) => sum + type.count, 0);
      const size = (field === "ids" ? written.bits("ids") : bits) / 8;
      const numbered = field === "ids" && written.idBits === undefined;
      const content = numbered ? numbersTo(count) : written.column(field, field === "ids" ? undefined : bits, of);
      if (rows > 0) await block(label, FIELDS[field].width * size * rows, content);
    }
  });
  return roundingLost(written, bits);
}

/** Ids of particles without any: 0, 1, … */
function* numbersTo(count: number): Generator<DataView> {
  const BLOCK = 2 ** 17;
  for (let first = 0; first < count; first += BLOCK) {
    const ids = Uint32Array.from({ length: Math.min(BLOCK, count - first) }, (_, i) => first + i);
    yield new DataView(ids.buffer);
  }
}

const snapFormat = (format: 1 | 2): FileFormat => ({
  name: `gadget-${format}`,
  about: `GADGET's binary SnapFormat ${format}`,
  endings: [`.gadget${format}`, `.g${format}`],
  gadget: true,
  hasUnits: false,
  passes: 4,
  recognise: (start) => layoutOf(start)?.format === format,
  open: (file, need) => openGadget(file, format, need),
  write: (file, written, { double }) => writeGadget(file, written, format, double),
});

export const gadget1 = snapFormat(1);
export const gadget2 = snapFormat(2);
