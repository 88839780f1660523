/** Result folders, atomic files, diagnostics.csv and checkpoints: nothing half-written, nothing foreign removed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ExactState } from "../../src/engine/backend/backend.ts";
import { columnHeads, diagnosticsOf } from "../../src/engine/diagnostics/columns.ts";
import { bytesText } from "../../src/foundation/base/bytes.ts";
import { piecesOf, wholeArray, wholeArrays } from "../../src/physics/particles/saved-arrays.ts";
import type { Sums } from "../../src/physics/particles/sums.ts";
import {
  type CheckpointProgress,
  deckHash,
  hasCheckpoint,
  readCheckpoint,
  writeCheckpoint,
} from "../../src/run/checkpoint.ts";
import { csvHead } from "../../src/run/io/csv.ts";
import { requireFreeSpace, temporaryName, writeFileAtomic } from "../../src/run/io/files.node.ts";
import { lineOf, parseDiagnostics } from "../../src/run/outputs/diagnostics.ts";
import { type KeptLines, LineFile } from "../../src/run/outputs/line-file.ts";
import { snapshotName } from "../../src/run/outputs/snapshots.ts";
import { prepareResultFolder } from "../../src/run/result-folder.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-io-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(dir, { recursive: true, force: true });
});

const noSpace = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

const initial: Sums = {
  kinetic: 0.25,
  potential: -0.5,
  mass: 1,
  momentum: [0, 0, 0],
  angularMomentum: [0, 0, 0.1],
  centreOfMass: [8, 8, 8],
  virial: -0.5,
  outside: 0,
  lagrangianRadii: [0.1, 0.3, 0.5, 0.8, 1.3, 2],
};
/** The state with these sums, of a run on a static clock. */
const stateOf = (time: number, step: number, sums: Sums, first: Sums = initial) =>
  diagnosticsOf({ time, step, sums, initial: first, energies: sums, boxEnergy: 1 });
const header = csvHead(columnHeads());
const later: Sums = { ...initial, kinetic: 0.25025, momentum: [1 / 3, -1e-9, 0], outside: 3 };

describe("atomic files", () => {
  it("replace the old content and leave no temporary name", () => {
    const file = join(dir, "summary.json");
    writeFileAtomic(file, "old");
    writeFileAtomic(file, Uint8Array.of(110, 101, 119));
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(readdirSync(dir)).toEqual(["summary.json"]);
  });

  it("keep the old content when the disk is full, and say which file and how much", () => {
    const file = join(dir, "report.html");
    writeFileAtomic(file, "old");
    vi.spyOn(fs, "writeFileSync").mockImplementation(() => {
      throw noSpace();
    });
    syncBuiltinESMExports();
    expect(() => writeFileAtomic(file, "x".repeat(5000))).toThrow(
      /No space left for .*report\.html.*4\.9 KiB \(5000 bytes\)/,
    );
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(readdirSync(dir)).toEqual(["report.html"]);
  });

  it("are refused beforehand when they can't fit", () => {
    expect(() => requireFreeSpace(join(dir, "a", "b.hdf5"), 2 ** 60)).toThrow(/b\.hdf5.*1048576 TiB.*free/);
    expect(() => requireFreeSpace(join(dir, "a", "b.hdf5"), 1)).not.toThrow();
    expect([0, 1023, 1536, 5 * 2 ** 30, 200 * 2 ** 20].map(bytesText)).toEqual([
      "0 B",
      "1023 B",
      "1.5 KiB",
      "5.0 GiB",
      "200 MiB",
    ]);
  });
});

describe("a result folder", () => {
  const fill = (names: string[]) => {
    mkdirSync(join(dir, "run", "checkpoint"), { recursive: true });
    for (const name of names) writeFileSync(join(dir, "run", name), name);
  };
  const run = () => join(dir, "run");

  it("is created with its parents; an empty one or one with foreign files is fine", () => {
    prepareResultFolder(join(dir, "a", "b")).release();
    expect(readdirSync(join(dir, "a", "b"))).toEqual([]);
    fill(["notes.txt"]);
    prepareResultFolder(run()).release();
    expect(readdirSync(run()).sort()).toEqual(["checkpoint", "notes.txt"]);
  });

  it.each([
    "scenario.toml",
    "summary.json",
    "diagnostics.csv",
    "report.html",
    "snapshot_000.hdf5",
    "checkpoint/state_000001.bin",
  ])("that holds %s is refused, untouched", (name) => {
    fill([name]);
    expect(() => prepareResultFolder(run())).toThrow(
      /already holds a run \(.*\)\. Nothing was changed\..*--out.*--force/,
    );
    expect(readFileSync(join(run(), name), "utf8")).toBe(name);
    try {
      prepareResultFolder(run());
    } catch (error) {
      expect(error).toMatchObject({ kind: "usage" });
      expect(/--resume/.test((error as Error).message)).toBe(/^(checkpoint|scenario)/.test(name));
    }
  });

  it("loses only gravmesh's own files to force", () => {
    fill([
      "scenario.toml",
      snapshotName(0),
      snapshotName(1234),
      ".report.html.part-99",
      "snapshot_notes.hdf5",
      "notes.txt",
      "checkpoint/state_000007.bin",
      "checkpoint/.state_000008.bin.part-4",
    ]);
    prepareResultFolder(run(), { force: true }).release();
    expect(readdirSync(run()).sort()).toEqual(["notes.txt", "snapshot_notes.hdf5"]);
  });

  it("that is a file is refused", () => {
    writeFileSync(join(dir, "run"), "");
    expect(() => prepareResultFolder(run(), { force: true })).toThrow(/is a file/);
  });
});

describe("diagnostics.csv", () => {
  it("has the documented columns and nine significant digits", () => {
    expect(header).toBe(
      "time,step,kinetic,potential,total,energy_error,momentum_x,momentum_y,momentum_z,angular_momentum_x,angular_momentum_y," +
        "angular_momentum_z,centre_of_mass_x,centre_of_mass_y,centre_of_mass_z,virial_ratio,outside,r01,r10,r25,r50,r75,r90\n",
    );
    const row = stateOf(0.1 + 0.2, 30, later);
    expect(row.relativeEnergyError).toBeCloseTo(0.001, 12);
    expect(lineOf(row)).toBe(
      "0.3,30,0.25025,-0.5,-0.24975,0.001,0.333333333,-1e-9,0,0,0,0.1,8,8,8,0.778777778,3,0.1,0.3,0.5,0.8,1.3,2\n",
    );
    expect(lineOf(row).split(",")).toHaveLength(columnHeads().length);
  });

  it("survives a zero energy and a zero virial", () => {
    const none: Sums = { ...initial, kinetic: 0, potential: 0, virial: 0 };
    expect(stateOf(0, 0, none, none)).toMatchObject({
      relativeEnergyError: 0,
      momentumError: 0,
      virialRatio: 0,
    });
    const moving = stateOf(0, 0, { ...none, kinetic: 1 }, none);
    // Against a tenth of what there is now: there was none.
    expect(moving).toMatchObject({ relativeEnergyError: 10, virialRatio: 0 });
    expect(parseDiagnostics(header + lineOf(moving))).toMatchObject([{ virialRatio: 0 }]);
  });

  it("reads back, without the half line of a killed run", () => {
    const text = header + [0, 1, 2].map((i) => lineOf(stateOf(i, 10 * i, initial))).join("");
    const rows = parseDiagnostics(text);
    expect(rows).toMatchObject(
      [0, 1, 2].map((i) => ({ time: i, step: 10 * i, kinetic: 0.25, centreOfMass: [8, 8, 8] })),
    );
    expect(rows[2].lagrangianRadii).toEqual(initial.lagrangianRadii);
    expect(header + rows.map(lineOf).join("")).toBe(text);
    expect(parseDiagnostics(`${text}3,30,0.2`)).toEqual(rows);
    expect(() => parseDiagnostics(`${text}3,30\n`)).toThrow(/line 5 is not a row/);
    expect(() => parseDiagnostics("a,b\n")).toThrow(/line 1 .*found "a,b".*--extension/);
  });
});

describe("a file that grows by lines", () => {
  const file = () => join(dir, "rows.csv");
  const text = "head\n0,a\n1,b\n2,c\n3,d\n";
  const rows = text.trim().split("\n").slice(1);
  /** Written as far as `count` rows, kept, and two more. */
  const written = (count: number) => {
    const lines = LineFile.begin(file(), "head");
    for (const row of rows.slice(0, count)) lines.append(row);
    const kept = lines.keep();
    for (const row of rows.slice(count)) lines.append(row);
    expect(readFileSync(file(), "utf8")).toBe(text);
    return JSON.parse(JSON.stringify(kept)) as KeptLines;
  };
  const goOn = (kept: KeptLines) => {
    const said: string[] = [];
    const lines = LineFile.goOn(file(), kept, (message) => said.push(message));
    const start = readFileSync(file(), "utf8");
    for (const row of rows.slice(kept.count)) lines.append(row);
    expect(readFileSync(file(), "utf8")).toBe(text);
    expect(lines.keep()).toEqual(LineFile.goOn(file(), lines.keep(), () => {}).keep());
    return { said, start };
  };

  it("is cut back to what the checkpoint knows, in silence", () => {
    const kept = written(2);
    writeFileSync(file(), `${text}4,half a r`);
    expect(goOn(kept)).toEqual({ said: [], start: "head\n0,a\n1,b\n" });
    expect(readdirSync(dir)).toEqual(["rows.csv"]);
  });

  it.each([
    ["missing", undefined, /is missing: it was made anew/, false],
    ["empty", "", /2 lines below its head, found 0\): it was made anew/, false],
    ["short of a row", "head\n0,a\n", /2 lines below its head, found 1\): it was made anew/, false],
    ["short of a row in its middle", "head\n1,b\n2,c\n", /found others\): .*kept in .*rows\.csv\.found-1/, true],
    ["altered", "head\n0,a\n1,B\n2,c\n", /found others\): .*kept in .*rows\.csv\.found-1/, true],
  ])("is made anew when it is %s, and nothing is lost", (_, found, said, aside) => {
    const kept = written(2);
    if (found === undefined) rmSync(file());
    else writeFileSync(file(), found);
    expect(goOn(kept).said).toEqual([expect.stringMatching(said)]);
    expect(readdirSync(dir)).toEqual(aside ? ["rows.csv", "rows.csv.found-1"] : ["rows.csv"]);
    if (aside) expect(readFileSync(`${file()}.found-1`, "utf8")).toBe(found);
  });

  it("that is too long for the checkpoint is refused when it isn't what it was", () => {
    const long = "x".repeat(3 * 1024 * 1024);
    const lines = LineFile.begin(file(), "head");
    for (const row of [long, long]) lines.append(row);
    const kept = lines.keep();
    expect(kept).toEqual({ count: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    LineFile.goOn(file(), kept, () => {});
    writeFileSync(file(), `head\n${long}\n${long.replace("x", "y")}\n`);
    expect(() => LineFile.goOn(file(), kept, () => {})).toThrow(/isn't as the run left it.*Put it back as it was/);
  });
});

describe("checkpoints", () => {
  const state = (seed: number): ExactState => ({
    format: "webgpu-1",
    arrays: {
      position: Uint32Array.from({ length: 3001 }, (_, i) => Math.imul(i + seed, 2_654_435_761) >>> 0),
      velocity: Float32Array.of(0.1, -0, Number.MIN_VALUE, seed),
      image: Int32Array.of(-5, 7, -1),
      clock: Float64Array.of(1 / 3, seed),
      empty: new Float32Array(0),
    },
  });
  const progress = (step: number): CheckpointProgress => ({
    step,
    time: step / 3,
    initialSums: initial,
    extra: { nested: [1, 2] },
  });
  const hash = deckHash("title = 'x'");
  const write = (step: number) =>
    writeCheckpoint(dir, { state: state(step), progress: progress(step), deckHash: hash });

  it("give back the same bits and progress, and keep two generations", async () => {
    expect(hasCheckpoint(dir)).toBe(false);
    for (const step of [10, 20, 30]) await write(step);
    expect(hasCheckpoint(dir)).toBe(true);
    expect(readdirSync(join(dir, "checkpoint")).sort()).toEqual(["state_000002.bin", "state_000003.bin"]);
    const found = await readCheckpoint(dir, hash);
    expect(found.state).toEqual(state(30));
    expect(Object.is((found.state.arrays.velocity as Float32Array)[1], -0)).toBe(true);
    expect(found.progress).toEqual(progress(30));
    expect(found.skipped).toEqual([]);
  });

  it("are the same file whether arrays are whole or in pieces, and give large ones back in pieces", async () => {
    const large = Float32Array.from({ length: 5_000_000 }, (_, i) => Math.sin(i));
    const saved = state(1).arrays;
    const whole: ExactState = { ...state(1), arrays: { ...saved, large, last: Uint32Array.of(7) } };
    const inPieces = (array: Float32Array | Uint32Array, type: "Float32Array" | "Uint32Array", length: number) => ({
      ...{ type, length: array.length },
      async *pieces() {
        for (let at = 0; at < array.length; at += length) yield array.subarray(at, at + length);
      },
    });
    const arrays = {
      ...whole.arrays,
      position: inPieces(whole.arrays.position as Uint32Array, "Uint32Array", 7),
      large: inPieces(large, "Float32Array", 1_234_567),
    };
    const about = { progress: progress(1), deckHash: hash };
    const [a, b] = [
      await writeCheckpoint(dir, { ...about, state: whole }),
      await writeCheckpoint(dir, { ...about, state: { ...whole, arrays } }),
    ].map((file) => readFileSync(file));
    expect(a.equals(b)).toBe(true);
    const found = await readCheckpoint(dir, hash);
    const pieces: number[] = [];
    for await (const { first } of piecesOf(found.state.arrays.large)) pieces.push(first);
    expect(pieces).toEqual([0, 4 * 2 ** 20]);
    const read = await wholeArrays(found.state.arrays);
    expect(Object.keys(read)).toEqual(Object.keys(whole.arrays));
    // Bytes: millions of numbers take a matcher as many microseconds.
    const bytesOf = (array: ArrayBufferView) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    for (const [name, array] of Object.entries(whole.arrays)) {
      expect(read[name].constructor.name, name).toBe(array.constructor.name);
      expect(bytesOf(read[name]).equals(bytesOf(array)), name).toBe(true);
    }
    const short = { ...arrays.large, length: large.length + 1 };
    const wrong = writeCheckpoint(dir, { ...about, state: { ...whole, arrays: { short } } });
    await expect(wrong).rejects.toThrow(/short: expected 5000001 elements, got 5000000/);
  });

  it("fall back to the generation before when the newest is truncated or damaged", async () => {
    await write(10);
    const newest = await write(20);
    const whole = readFileSync(newest);
    const fallsBack = async (reason: RegExp) => {
      const found = await readCheckpoint(dir);
      expect(found.progress.step).toBe(10);
      expect(found.state).toEqual(state(10));
      expect(found.skipped).toEqual([expect.stringMatching(reason)]);
    };
    for (const size of [0, 20, 60, whole.length - 40, whole.length - 1]) {
      writeFileSync(newest, whole);
      truncateSync(newest, size);
      await fallsBack(/state_000002\.bin: (it is truncated|the file ends early)/);
    }
    for (const at of [50, 3000, whole.length - 1]) {
      const damaged = Buffer.from(whole);
      damaged[at] ^= 1;
      writeFileSync(newest, damaged);
      await fallsBack(/state_000002\.bin: .*(damaged|truncated)/);
    }
    writeFileSync(newest, "something else entirely, and longer than the start of a checkpoint");
    await fallsBack(/not a checkpoint/);
  });

  it("say so when there is none, none complete, or one of another deck", async () => {
    await expect(readCheckpoint(dir)).rejects.toMatchObject({
      kind: "input",
      message: expect.stringMatching(/holds no checkpoint/),
    });
    const file = await write(10);
    await expect(readCheckpoint(dir, deckHash("other"))).rejects.toThrow(/belongs to another scenario/);
    truncateSync(file, 100);
    await expect(readCheckpoint(dir)).rejects.toThrow(/No usable checkpoint.*state_000001\.bin/);
  });

  it("ignore the temporary file of a killed writer, and survive a full disk", async () => {
    await write(10);
    writeFileSync(join(dir, "checkpoint", ".state_000002.bin.part-1"), "half");
    expect((await readCheckpoint(dir)).progress.step).toBe(10);
    vi.spyOn(fs, "statfsSync").mockReturnValue({ bavail: 1, bsize: 4096 } as unknown as fs.StatsFs & fs.BigIntStatsFs);
    syncBuiltinESMExports();
    await expect(write(20)).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(/No space left for .*state_000002\.bin.*needs \d+\.\d KiB/),
    });
    expect(existsSync(join(dir, "checkpoint", "state_000002.bin"))).toBe(false);
    expect((await readCheckpoint(dir)).progress.step).toBe(10);
  });

  it("survive a SIGKILL at any moment of writing", async () => {
    const script = join(dir, "writer.mjs");
    buildSync({
      stdin: {
        contents: `
          import { writeCheckpoint } from "./src/run/checkpoint.ts";
          const progress = ${JSON.stringify(progress(0))};
          for (let step = 1; ; step++) {
            const state = { format: "webgpu-1", arrays: { position: new Uint32Array(200_000).fill(step) } };
            await writeCheckpoint(process.argv[2], { state, progress: { ...progress, step }, deckHash: "x" });
            if (step === 3) console.log("ready");
          }`,
        resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
        loader: "ts",
      },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: script,
    });
    let before = 0;
    for (const delay of [1, 4, 9, 17]) {
      const child = spawn(process.execPath, [script, dir], { stdio: ["ignore", "pipe", "inherit"] });
      await once(child.stdout, "data");
      await new Promise((done) => setTimeout(done, delay));
      child.kill("SIGKILL");
      await once(child, "exit");
      const { state: found, progress: at, skipped } = await readCheckpoint(dir);
      expect(skipped).toEqual([]);
      expect(at.step).toBeGreaterThanOrEqual(3);
      const position = (await wholeArray(found.arrays.position)) as Uint32Array;
      expect(position.every((value) => value === at.step)).toBe(true);
      const number = Number(readdirSync(join(dir, "checkpoint")).sort().at(-1)?.slice(6, 12));
      expect(number).toBeGreaterThan(before);
      before = number;
    }
  });
});

it("writes nothing through a link that waits under the name of a temporary file", () => {
  const [file, mine] = [join(dir, "report.html"), join(dir, "mine")];
  writeFileSync(mine, "mine");
  symlinkSync(mine, temporaryName(file));
  writeFileAtomic(file, "new");
  expect([readFileSync(mine, "utf8"), readFileSync(file, "utf8")]).toEqual(["mine", "new"]);
  expect(lstatSync(file).isSymbolicLink()).toBe(false);
});
