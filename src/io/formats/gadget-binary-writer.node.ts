/** GADGET's binary snapshots written: GADGET-2's header, little-endian, blocks POS, VEL, ID and MASS, one file. */
import { GravmeshError } from "../../base/errors.ts";
import { ByteWriter } from "../byte-writer.node.ts";
import { PARTICLE_TYPES } from "../gadget.ts";
import type { WriteOptions } from "./format.ts";
import { GADGET2_HEADER, gadget2Header } from "./gadget-header.ts";
import { type Field, precisionOf, roundingLost, toFloat32, type Written, type WrittenRows } from "./written.ts";

/** What 32 bits count. */
const MOST_PARTICLES = 2 ** 31 - 1;
const LARGEST_BLOCK = 2 ** 32 - 1;
const NUMBERS = ["coordinates", "velocities", "masses"] as const;

export async function writeGadget(
  file: string,
  written: Written,
  { format, double }: WriteOptions & { format: 1 | 2 },
): Promise<string[]> {
  const { types, count } = written;
  const bits = precisionOf(written, NUMBERS, double);
  const size = bits / 8;
  // A mass of 0 in the header says that each particle has its own.
  const single = types.filter(({ mass }) => !mass);
  const idBits = written.idBits ?? 32;
  if (count > MOST_PARTICLES || 3 * size * count > LARGEST_BLOCK) {
    throw new GravmeshError(
      "usage",
      `${count} particles are too many for one file of GADGET's binary formats, whose blocks have at most 4 GiB. ` +
        "Write HDF5 instead: --to gadget-hdf5.",
    );
  }
  const real = (values: Float64Array, what: string) => (bits === 64 ? values : toFloat32(values, what));
  await ByteWriter.to(file, async (out) => {
    const block = async (label: string, bytes: number, fill: () => Promise<void>) => {
      if (format === 2) {
        const name = new DataView(new ArrayBuffer(16));
        name.setUint32(0, 8, true);
        for (let i = 0; i < 4; i++) name.setUint8(4 + i, label.charCodeAt(i));
        name.setUint32(8, (bytes + 8) >>> 0, true);
        name.setUint32(12, 8, true);
        out.write(name);
      }
      const mark = Uint32Array.of(bytes);
      out.write(mark);
      await fill();
      out.write(mark);
    };
    const each = (field: Field, of: typeof types, values: (rows: WrittenRows) => ArrayBufferView) => async () => {
      for await (const rows of written.rows([field], of)) out.write(values(rows));
    };
    const byType = (value: (type: number) => number) =>
      Array.from({ length: PARTICLE_TYPES }, (_, type) => value(type));
    const of = (type: number) => types.find((one) => one.type === type);
    const header = gadget2Header(
      written.attributes,
      byType((type) => of(type)?.count ?? 0),
      byType((type) => of(type)?.mass ?? 0),
      bits === 64,
    );
    await block("HEAD", GADGET2_HEADER, async () => out.write(header));
    const vectors = 3 * size * count;
    await block(
      "POS ",
      vectors,
      each("coordinates", types, (rows) => real(rows.coordinates, "Coordinates")),
    );
    await block(
      "VEL ",
      vectors,
      each("velocities", types, (rows) => real(rows.velocities, "Velocities")),
    );
    let next = 0;
    const idsOf = ({ ids, count: n }: WrittenRows) => {
      if (ids instanceof BigUint64Array) return ids;
      return ids.length > 0 ? Uint32Array.from(ids) : Uint32Array.from({ length: n }, () => next++);
    };
    await block("ID  ", (count * idBits) / 8, each("ids", types, idsOf));
    const singles = single.reduce((sum, { count: n }) => sum + n, 0);
    if (singles > 0) {
      await block(
        "MASS",
        size * singles,
        each("masses", single, (rows) => real(rows.masses, "Masses")),
      );
    }
  });
  return roundingLost(written, NUMBERS, bits);
}
