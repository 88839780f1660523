/**
 * Malformed files of particles: a sound one of every format, cut, with bytes that are wrong, with counts and marks that are
 * huge, with numbers that are none; read by a deck and by convert.
 */
import type { Choice, MalformedCase, Setup } from "./case.ts";
import { goodDeck } from "./decks.ts";

const N = 8;

const bytesOf = (values: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>) => Buffer.from(values.buffer);
const reals = (count: number, at: (k: number) => number) =>
  bytesOf(Float32Array.from({ length: count }, (_, k) => at(k)));
const int = (...values: number[]) => bytesOf(Int32Array.from(values));
const POSITIONS = reals(3 * N, (k) => 1 + (k % 5));
const VELOCITIES = reals(3 * N, (k) => 0.1 * (k % 3));
const MASSES = reals(N, () => 0.125);

function gadget(format: 1 | 2): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(256);
  header.writeInt32LE(N, 4);
  header.writeInt32LE(N, 100);
  header.writeInt32LE(1, 124);
  header.writeDoubleLE(8, 128);
  const block = (name: string, data: Buffer<ArrayBuffer>) => {
    const label = format === 2 ? [int(8), Buffer.from(name), int(data.length + 8, 8)] : [];
    return Buffer.concat([...label, int(data.length), data, int(data.length)]);
  };
  const ids = int(...Array.from({ length: N }, (_, i) => i));
  const blocks: [string, Buffer<ArrayBuffer>][] = [
    ...([
      ["HEAD", header],
      ["POS ", POSITIONS],
      ["VEL ", VELOCITIES],
      ["ID  ", ids],
      ["MASS", MASSES],
    ] as [string, Buffer<ArrayBuffer>][]),
  ];
  return Buffer.concat(blocks.map(([name, data]) => block(name, data)));
}

function tipsy(): Buffer {
  const file = Buffer.alloc(32 + 36 * N);
  for (const [at, value] of [
    [8, N],
    [12, 3],
    [20, N],
  ])
    file.writeInt32BE(value, at);
  for (let i = 0; i < N; i++) for (let k = 0; k < 9; k++) file.writeFloatBE(0.1 * (k + 1), 32 + 36 * i + 4 * k);
  return file;
}

function nemo(): Buffer {
  const item = (type: string, tag: string, data = Buffer.alloc(0), dims: number[] = []) =>
    Buffer.concat([
      Buffer.from(Uint16Array.of(dims.length > 0 ? 2962 : 2450).buffer),
      Buffer.from(type === ")" ? ")\0" : `${type}\0${tag}\0`),
      ...(dims.length > 0 ? [int(...dims, 0)] : []),
      data,
    ]);
  const phase = reals(6 * N, (k) => 1 + (k % 7));
  return Buffer.concat([
    ...[item("(", "SnapShot"), item("(", "Parameters"), item("i", "Nobj", int(N)), item(")", "")],
    ...[item("(", "Particles"), item("f", "Mass", MASSES, [N]), item("f", "PhaseSpace", phase, [N, 2, 3])],
    ...[item(")", ""), item(")", "")],
  ]);
}

function npy(): Buffer {
  const text = `{'descr': [('pos', '<f4', (3,)), ('vel', '<f4', (3,)), ('mass', '<f4')], 'fortran_order': False, 'shape': (${N},), }`;
  const head = Buffer.from(`\x93NUMPY\x01\x00__${text.padEnd(117)}\n`, "latin1");
  head.writeUInt16LE(head.length - 10, 8);
  const rows = Array.from({ length: N }, (_, i) => [
    ...[POSITIONS.subarray(12 * i, 12 * i + 12), VELOCITIES.subarray(12 * i, 12 * i + 12)],
    MASSES.subarray(4 * i, 4 * i + 4),
  ]);
  return Buffer.concat([head, ...rows.flat()]);
}

/** One member, stored: what is wrong with an archive needs no sum to be right. */
function npz(): Buffer {
  const data = npy();
  const name = Buffer.from("pos.npy");
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt32LE(data.length, 18);
  local.writeUInt32LE(data.length, 22);
  local.writeUInt16LE(name.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt32LE(data.length, 20);
  central.writeUInt32LE(data.length, 24);
  central.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(30 + name.length + data.length, 16);
  return Buffer.concat([local, name, data, central, name, end]);
}

const csv = () =>
  Buffer.from(`x,y,z,vx,vy,vz,mass\n${Array.from({ length: N }, (_, i) => `${i % 5},1,2,0,0.1,0,0.125\n`).join("")}`);

const SOUND: Record<string, () => Buffer> = {
  ...{ "gadget-1": () => gadget(1), "gadget-2": () => gadget(2), tipsy, nemo, csv, npy, npz },
};

/** What 4 bytes may be made. */
const HUGE = [0x7fffffff, 0xffffffff, 0x80000000, 0, 0x7fc00000, 0x7f800000];
const PER_FORMAT = 14;

export function formatCases(choice: Choice): MalformedCase[] {
  const deck = (format: string): Setup => ({
    write: "deck.toml",
    text: goodDeck().replace(
      /\[\[particles\]\][\s\S]*$/,
      `[[particles]]\nkind = "snapshot"\nfile = "s.bin"\nformat = "${format}"\noffset = [0, 0, 0]\n`,
    ),
  });
  return Object.entries(SOUND).flatMap(([format, make]) => {
    const cases: MalformedCase[] = [];
    const add = (title: string, bytes: Buffer) => {
      const setup = [
        deck(choice.uniform() < 0.5 ? format : "auto"),
        { write: "s.bin", base64: bytes.toString("base64") },
      ];
      const run = ["run", "./deck.toml", "--backend", "cpu", "--out", "out", "--quiet"];
      const target = choice.of(["o.csv", "o.npz", "o.g2", "o.nemo", "o.hdf5", "o.tipsy"]);
      const args = choice.uniform() < 0.5 ? run : ["convert", "s.bin", target, "--from", format, "--quiet"];
      cases.push({ kind: "format", title: `${format}: ${title}`, setup, args });
    };
    add("sound", make());
    for (let i = 0; i < PER_FORMAT; i++) {
      const bytes = make();
      const at = choice.below(bytes.length - 4);
      if (i % 3 === 0) add(`cut at ${at}`, bytes.subarray(0, at));
      else if (i % 3 === 1) {
        const value = choice.of(HUGE);
        if (choice.uniform() < 0.5) bytes.writeUInt32LE(value, at);
        else bytes.writeUInt32BE(value, at);
        add(`${value.toString(16)} at ${at}`, bytes);
      } else {
        bytes[at] = choice.below(256);
        add(`${bytes[at]} at ${at}`, bytes);
      }
    }
    return cases;
  });
}
