/** What stands where a run's files should be: pipes aren't waited for, and each is named in a message. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasCheckpoint, readCheckpoint, removeCheckpoints } from "../../src/run/checkpoint.ts";
import { loadExtensions } from "../../src/run/extensions.ts";
import { makeFolders } from "../../src/run/io/files.node.ts";
import { requireUnlocked } from "../../src/run/lock.ts";
import { loadScenario } from "../../src/run/scenario-source.ts";
import { completeScenario } from "../../src/scenario/parse.ts";

let folder: string;
const at = (name: string) => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gravmesh-strangers-"));
  mkdirSync(at("run/checkpoint"), { recursive: true });
  mkdirSync(at("locked"));
  writeFileSync(at("file"), "");
  symlinkSync(at("loop.toml"), at("loop.toml"));
  spawnSync("mkfifo", [at("pipe.toml"), at("run/checkpoint/state_000001.bin"), at("locked/.gravmesh-lock-1")]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a deck", () => {
  it.each([
    ["pipe.toml", "it is a named pipe, not a regular file"],
    ["loop.toml", "its links lead round in a loop"],
    ["/dev/zero", "it is a device, not a regular file"],
    ["", "it is a folder"],
  ])("%s is refused", (name, reason) => {
    const file = name.startsWith("/") ? name : `${at(name)}${name === "" ? "/" : ""}`;
    expect(() => loadScenario(file, [])).toThrow(`The scenario deck ${file} cannot be read: ${reason}`);
  });

  it("of a name that no system takes is shown by its beginning", () => {
    const name = `${"n".repeat(5000)}.toml`;
    expect(() => loadScenario(name, [])).toThrow(`No scenario deck at ${"n".repeat(200)}…. Scenarios that ship`);
  });
});

describe("a result folder", () => {
  it.each(["/proc/gravmesh", "/proc/gravmesh/deeper"])("%s can't be made, and is told at once", (path) => {
    expect(() => makeFolders(path)).toThrow(/Cannot make \/proc\/gravmesh: no folder can be made there/);
  });

  it("is made with those above it, and left when it is there", () => {
    makeFolders(at("a/b/c"));
    makeFolders(at("a/b/c"));
    expect(() => makeFolders(at("file/x"))).toThrow(/Cannot make the folder .*: something else of that name is there/);
  });

  it("whose checkpoint is a pipe has none that can be used", async () => {
    await expect(readCheckpoint(at("run"), "", async () => undefined)).rejects.toThrow("it is no regular file");
  });

  it("whose checkpoints are a file has none", () => {
    mkdirSync(at("odd"));
    writeFileSync(at("odd/checkpoint"), "mine");
    expect(hasCheckpoint(at("odd"))).toBe(false);
    expect(() => removeCheckpoints(at("odd"))).not.toThrow();
  });

  it("with a pipe for a lock may be in use", () => {
    expect(() => requireUnlocked(at("locked"))).toThrow(/may be in use: .*gravmesh-lock-1 says so/);
  });
});

it("an extension that is a pipe isn't waited for", async () => {
  await expect(loadExtensions([at("pipe.toml")])).rejects.toThrow("it is a named pipe, not a regular file");
  await expect(loadExtensions([at("run")])).rejects.toThrow("it is a folder");
});

it("a model too small for positions in its box is refused", () => {
  const deck = (size: number) => ({
    ...{ title: "T", box: { size }, mesh: { cells: 16 }, time: { end: 1, step: 1 } },
    particles: [{ kind: "plummer" as const, count: 5, cutoff: 3 }],
  });
  expect(() => completeScenario(deck(1e15))).toThrow(/particles\[0\]\.scale: expected at least box\.size\/2\^24/);
  expect(() => completeScenario(deck(1e6))).not.toThrow();
});
