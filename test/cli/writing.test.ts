/** What is written where: devices, pipes, sockets and folders stay; stdin and stdout that end early; outputs that others remove. */
import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gravmesh, start, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const at = (name: string) => join(work(), name);
const CSV = "x,y,z,vx,vy,vz,mass\n10,10,10,0,0,0,1\n12,10,10,0,0.7,0,1\n";
const SMALL = ["plummer", "--backend", "cpu", "mesh.cells=16", "particles.0.count=300", "particles.0.cutoff=3"];
const RUN = ["run", ...SMALL, "time.step=0.1", "output.snapshots=2"];
const call = (args: string[], through?: string) => gravmesh(work(), args, through ? { through } : {});

let socket: Server;
beforeAll(async () => {
  writeFileSync(at("in.csv"), CSV);
  spawnSync("mkfifo", [at("pipe")]);
  mkdirSync(at("folder"));
  socket = createServer().listen(at("socket"));
  await new Promise((ready) => socket.once("listening", ready));
  symlinkSync("pipe", at("link"));
  if (process.getuid?.() === 0) spawnSync("mknod", [at("device"), "c", "1", "3"]);
  const made = await call([...RUN, "time.end=0.2", "--out", "source"]);
  expect(made.code, made.stderr).toBe(0);
});
afterAll(() => socket.close());

describe("what isn't a regular file", () => {
  const kind = (name: string) => lstatSync(at(name)).mode & 0o170000;

  it("is never replaced by a file that the command line names", async () => {
    const strange = ["pipe", "socket", "folder", "link", ...(process.getuid?.() === 0 ? ["device"] : [])];
    for (const name of strange) {
      const before = kind(name);
      const movie = ["movie", "source", "--format", "apng", "--out", name, "--force"];
      const { code, stderr } = await call(
        name === "pipe" ? movie : ["convert", "in.csv", name, "--to", "npy", "--force"],
      );
      expect(code, stderr).toBe(2);
      expect(stderr).toMatch(new RegExp(`^error: ${name} is a .*, not a regular file: it is not replaced\\.`));
      expect(kind(name)).toBe(before);
    }
  });

  it("is never replaced in a result folder, which stays as it was", async () => {
    for (const [folder, name] of Object.entries({
      out: "snapshot_000.hdf5",
      val: "validate.json",
      frames: "frame_0000.png",
    })) {
      mkdirSync(at(folder));
      spawnSync("mkfifo", [at(`${folder}/${name}`)]);
    }
    writeFileSync(at("out/diagnostics.csv"), "mine");
    const results = await Promise.all([
      call([...RUN, "time.end=0.1", "--out", "out", "--force"]),
      call(["validate", ...SMALL, "--out", "val", "--force"]),
      call(["movie", "source", "--format", "png", "--out", "frames", "--force"]),
    ]);
    for (const { code, stderr } of results) {
      expect(stderr).toMatch(/ is a named pipe, not a regular file: it is not replaced\./);
      expect(code).toBe(2);
    }
    expect(readFileSync(at("out/diagnostics.csv"), "utf8")).toBe("mine");
    expect(readdirSync(at("out")).sort()).toEqual(["diagnostics.csv", "snapshot_000.hdf5"]);
  });
});

describe("outputs that others remove or replace during a run", () => {
  it("are told at its end", async () => {
    const out = "lost";
    writeFileSync(at("target"), "mine");
    const args = ["time.end=4", "output.checkpointMinutes=1e-6", "--out", out, "--json"];
    const running = start(work(), [...RUN, ...args]);
    await running.until('"event":"checkpoint"');
    for (const name of ["diagnostics.csv", "snapshot_000.hdf5"]) rmSync(at(`${out}/${name}`));
    symlinkSync("../target", at(`${out}/diagnostics.csv`));
    const { code, stdout } = await running.done;
    expect(code).toBe(1);
    const told = JSON.parse(stdout.trim().split("\n").at(-1)!);
    expect(told).toMatchObject({ event: "error", kind: "io", exitCode: 1 });
    expect(told.message).toMatch(/^diagnostics\.csv, snapshot_000\.hdf5 in lost were removed or replaced by others/);
    expect(readFileSync(at("target"), "utf8")).toBe("mine");
  });
});

describe("stdin", () => {
  /** Starts a command that waits for stdin, which `signal` then reaches; what it leaves among temporary files. */
  async function waiting(args: string[], signal: NodeJS.Signals) {
    const tmp = mkdtempSync(at("tmp-"));
    const running = start(work(), args, { env: { TMPDIR: tmp } });
    const open = () => {
      const { stdout } = spawnSync("ls", ["-l", `/proc/${running.child.pid}/fd`], { encoding: "utf8" });
      return stdout.includes(tmp);
    };
    while (!open()) await pause(50);
    const whileWaiting = readdirSync(tmp);
    running.child.kill(signal);
    return { ...(await running.done), left: [...whileWaiting, ...readdirSync(tmp)] };
  }

  it.skipIf(process.platform !== "linux")(
    "is waited for within reach of signals, and SIGKILL leaves nothing of it",
    async () => {
      const results = await Promise.all([
        waiting(["convert", "-", "no.csv"], "SIGTERM"),
        waiting(["run", "-", "--out", "no"], "SIGINT"),
        waiting(["ensemble", "-", "--vary", "seed=1..2", "--out", "no"], "SIGTERM"),
        waiting(["convert", "-", "no.csv"], "SIGKILL"),
      ]);
      expect(results.map(({ code }) => code)).toEqual([130, 130, 130, null]);
      expect(results.flatMap(({ left }) => left)).toEqual([]);
      expect(readdirSync(work()).filter((name) => name.startsWith("no"))).toEqual([]);
    },
  );

  it("that is too long for a deck is left when the limit is reached", async () => {
    const { code, stderr } = await call(["run", "-", "--quiet"], 'yes | "$@"');
    expect(stderr).toBe(
      "error: stdin cannot be read: expected at most 4.0 MiB, found more; is it the file that was meant?\n",
    );
    expect(code).toBe(2);
  });

  it("needs a folder for temporary files", async () => {
    for (const args of [
      ["convert", "-", "no.npy"],
      ["convert", "in.csv", "-", "--to", "npy"],
    ]) {
      const { code, stderr } = await gravmesh(work(), args, { through: '"$@" < in.csv', env: { TMPDIR: "/nowhere" } });
      expect(stderr).toMatch(
        /^error: Cannot make a temporary folder in \/nowhere: no such file.* Set TMPDIR [^\n]*\n$/,
      );
      expect(code).toBe(1);
    }
  });
});

describe("stdout", () => {
  it("that is full is told once, that has no reader ends convert quietly", async () => {
    const full = await call(["convert", "in.csv", "-", "--to", "csv"], '"$@" > /dev/full');
    expect(full).toMatchObject({ code: 1, stderr: "error: stdout can't be written: no space left on device.\n" });
    writeFileSync(at("long.csv"), CSV + "12,10,10,0,0.7,0,1\n".repeat(20_000));
    const unread = await call(["convert", "long.csv", "-", "--to", "csv"], 'set -o pipefail; "$@" | head -1');
    expect(unread).toMatchObject({ code: 141, stderr: "" });
  });

  it("may be that of a dry run in a folder that holds a run, of which it changes nothing", async () => {
    const before = spawnSync("ls", ["-lRi", "--full-time", at("source")]).stdout.toString();
    const { code, stdout } = await call([...RUN, "time.end=0.2", "--out", "source", "--dry-run", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).warnings).toContain("source holds a run already, which only --force replaces");
    expect(spawnSync("ls", ["-lRi", "--full-time", at("source")]).stdout.toString()).toBe(before);
  });
});

it("the same particles in HDF5 are the same bytes at any time", async () => {
  for (const name of ["one.hdf5", "two.hdf5"]) {
    expect((await call(["convert", "in.csv", name, "--quiet"])).code).toBe(0);
    await pause(1000 - (Date.now() % 1000)); // HDF5's clock counts seconds
  }
  expect(readFileSync(at("one.hdf5")).equals(readFileSync(at("two.hdf5")))).toBe(true);
});
