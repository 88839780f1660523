/** `gravmesh convert` as a command line: what it prints, its events and its exit codes. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { invoke } from "../../src/doors/cli/invoke.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-command-"));
  writeFileSync(join(dir, "in.csv"), "x,y,z,vx,vy,vz,mass,species\n1,2,3,4,5,6,7,disk\n2,3,4,5,6,7,8.1,halo\n");
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(dir, { recursive: true, force: true });
});

const at = (name: string) => join(dir, name);

async function said(...args: string[]) {
  const heard = { out: "", err: "" };
  const take = (name: "out" | "err") => (text: string | Uint8Array) => {
    heard[name] += text;
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(take("out"));
  vi.spyOn(process.stderr, "write").mockImplementation(take("err"));
  await invoke(["convert", ...args]);
  return { ...heard, out: stripVTControlCharacters(heard.out), code: process.exitCode };
}

it("says what it wrote, and what isn't in it", async () => {
  const { out, err, code } = await said(at("in.csv"), at("out.tipsy"));
  expect({ err, code }).toEqual({ err: "", code: 0 });
  expect(out).toMatch(
    /out\.tipsy: 2 particles, csv → tipsy, \d+\.\d+ s\n {2}not in it: digits beyond float32 of coordinates/,
  );
  expect(out).toContain("not in it: the types disk, which became star particles\n");
});

it("gives events", async () => {
  const { out } = await said(at("in.csv"), at("out.npz"), "--json");
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const common = { from: "csv", to: "npz", particles: 2 };
  expect(events[0]).toEqual({ event: "progress", ...common, fraction: 0 });
  expect(events.at(-1)).toEqual({
    event: "end",
    ...common,
    ...{ lost: [], assumed: [] },
    file: at("out.npz"),
    seconds: expect.any(Number),
  });
});

it("names formats, columns and units", async () => {
  writeFileSync(at("bare"), "1 2 3 4 5 6 7\n");
  const named = ["--columns", "x,y,z,vx,vy,vz,mass", "--units", "kpc, 1e10 Msun, km/s"];
  expect(await said(at("bare"), at("out"), "--from", "csv", "--to", "csv", "--quiet", ...named)).toEqual({
    ...{ out: "", err: "", code: 0 },
  });
  expect(readFileSync(at("out"), "utf8")).toMatch(/^x,y,.*\n# Particles = 1\n(# Unit.*\n){3}1,2,3,4,5,6,7,stars\n$/);
});

it("takes types and new ids", async () => {
  writeFileSync(
    at("ids.csv"),
    "id,x,y,z,vx,vy,vz,mass,type\n7,1,2,3,4,5,6,7,1\n7,2,3,4,5,6,7,8,1\n7,0,0,0,0,0,0,9,4\n",
  );
  const chosen = ["--types", "1", "--ids", "new", "--quiet"];
  expect(await said(at("ids.csv"), at("out.csv"), ...chosen)).toEqual({ out: "", err: "", code: 0 });
  expect(readFileSync(at("out.csv"), "utf8")).toMatch(/\n1,2,3,4,5,6,7,0,halo\n2,3,4,5,6,7,8,1,halo\n$/);
});

it.each([
  [["in.csv", "out.xyz"], 2, "out.xyz: its ending says no format. Name one with --to"],
  [["in.csv", "in.csv", "--force"], 2, "is the file that is read"],
  [["in.csv", "out.npy", "--to", "npz", "--frame", "x"], 2, "expected a whole number from 0 up"],
  [["in.csv", "out.hdf5", "--units", "kpc, stone, km/s"], 2, "--units: expected names of length, mass and velocity"],
  [["in.csv", "out.hdf5", "--units", "kpc"], 2, "--units: expected names of length, mass and velocity"],
  [["in.csv", "out.hdf5", "--types", "dark"], 2, "expected a whole number"],
  [["in.csv", "out.hdf5", "--types", "1,3"], 1, "in.csv: it has no particles of type 3"],
  [["no.csv", "out.npy"], 1, "no.csv cannot be read: there is no such file"],
  [["in.csv", "out.npy", "--from", "tipsy"], 1, "in.csv: this is no TIPSY file of float32"],
] as const)("refuses %j", async (args, code, message) => {
  const paths = args.map((arg) => (/^\w+\.\w+$/.test(arg) ? at(arg) : arg));
  const { err, code: found } = await said(...paths);
  expect(err).toContain(message);
  expect(found).toBe(code);
  expect(existsSync(at("out.npy"))).toBe(false);
});
