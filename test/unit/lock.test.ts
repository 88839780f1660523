/** One process at a time in a result folder: by any command, however the one before has ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lockFolder, requireUnlocked } from "../../src/run/lock.ts";
import { thisProcess } from "../../src/run/process-identity.ts";
import { run } from "../../src/run/runner.ts";
import { compare } from "../../src/study/compare/compare.ts";
import type { Suite } from "../../src/study/spec.ts";
import { runSuite } from "../../src/study/suite.ts";
import { validate } from "../../src/study/validate/validate.ts";
import { contentsOf } from "../support/cli.ts";

const scripts = mkdtempSync(join(tmpdir(), "gravmesh-lock-"));
const holder = join(scripts, "holder.mjs");
let dir: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  // Takes a folder when it is told to, says how that went, and keeps it until it is told to end.
  buildSync({
    stdin: {
      contents: `
        import { lockFolder } from "./src/run/lock.ts";
        process.stdin.once("data", () => {
          try {
            lockFolder(process.argv[2]);
            console.log("taken");
          } catch (error) {
            console.log(error.message);
          }
          process.stdin.once("data", () => process.exit());
        });
        console.log("ready");`,
      resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
      loader: "ts",
    },
    ...{ bundle: true, platform: "node", format: "esm", outfile: holder },
  });
});
beforeEach(() => {
  dir = mkdtempSync(join(scripts, "folder-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));

/** A process that is about to take the folder. */
async function contender() {
  const child = spawn(process.execPath, [holder, dir], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const says = async () => String((await once(child.stdout, "data"))[0]).trim();
  expect(await says()).toBe("ready");
  return {
    child,
    take: () => {
      child.stdin.write("take\n");
      return says();
    },
    end: async (signal?: "SIGKILL") => {
      const ended = once(child, "exit");
      if (signal) child.kill(signal);
      else child.stdin.write("end\n");
      await ended;
    },
  };
}

const leave = (number: number, owner: object | string) =>
  writeFileSync(
    join(dir, `.gravmesh-lock-${number}`),
    typeof owner === "string"
      ? owner
      : JSON.stringify({ ...thisProcess(), since: "2026-01-02T03:04:05.000Z", ...owner }),
  );
const refused = (message: RegExp) => {
  const before = contentsOf(dir);
  for (const attempt of [lockFolder, requireUnlocked]) {
    let error: unknown;
    try {
      attempt(dir);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ kind: "usage", message: expect.stringMatching(message) });
  }
  expect(contentsOf(dir)).toEqual(before);
};

describe("the lock of a folder", () => {
  it("keeps others out, naming the owner, and goes when it is given back", () => {
    requireUnlocked(join(dir, "none"));
    const lock = lockFolder(dir);
    refused(
      new RegExp(
        `is in use: process ${process.pid} on ${hostname()} writes into it since 20\\d\\d-.*Nothing was changed`,
      ),
    );
    lock.release();
    lock.release();
    expect(readdirSync(dir)).toEqual([]);
    lockFolder(dir).release();
  });

  it("keeps another process out, is taken over when that was killed, and goes with one that ends", async () => {
    const [first, second] = await Promise.all([contender(), contender()]);
    expect(await first.take()).toBe("taken");
    refused(new RegExp(`process ${first.child.pid} on`));
    await first.end("SIGKILL");
    expect(readdirSync(dir)).toHaveLength(1);
    expect(await second.take()).toBe("taken");
    expect(readdirSync(dir)).toHaveLength(1);
    refused(new RegExp(`process ${second.child.pid} on`));
    await second.end();
    expect(readdirSync(dir)).toEqual([]);
  });

  it("goes to one alone of those that take it over at the same time", async () => {
    const contenders = await Promise.all(Array.from({ length: 4 }, contender));
    for (let round = 0; round < 2; round++) leave(1 + round, { start: "another" });
    const said = await Promise.all(contenders.map(({ take }) => take()));
    const winner = contenders[said.indexOf("taken")].child.pid;
    expect(said.filter((text) => text === "taken")).toHaveLength(1);
    for (const text of said) expect(text).toMatch(/^taken$|is in use/);
    const [left] = readdirSync(dir);
    expect(JSON.parse(readFileSync(join(dir, left), "utf8"))).toMatchObject({ pid: winner });
  });

  it("isn't mistaken for that of a later process with the same pid", () => {
    leave(3, { start: "a start long ago" });
    lockFolder(dir).release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it("stays where nobody can see whether its owner lives, which says how to remove it", () => {
    const advice =
      /whether it still does can't be seen from here.*When it has ended, remove .*\.gravmesh-lock-7 and try/;
    for (const owner of [{ host: "elsewhere" }, { place: "another container" }, "", "null", '{"pid": "x"}']) {
      leave(7, owner);
      refused(advice);
    }
    leave(7, { host: "elsewhere", pid: 12 });
    refused(/may be in use: process 12 on elsewhere writes into it since 2026-01-02T03:04:05/);
  });

  it("is named where it can't be made", () => {
    expect(() => lockFolder(join(dir, "none"))).toThrow(/Cannot lock .*none.*no such file or folder/);
  });
});

describe("a folder that another process writes into is refused by", () => {
  const small = ["mesh.cells=16", "particles.0.count=50", "time.end=0.1", "time.step=0.05"];
  const { signal } = new AbortController();
  const watch = () => {};
  const deck = { scenario: "plummer", overrides: small, backend: "cpu" as const };
  const out = () => join(dir, "folder");
  const suite: Suite = {
    ...{ id: "none", title: "", paper: "", hardware: "", about: "" },
    measurements: () => [],
    present: () => ({ tables: [], plots: [], published: [], remarks: [] }),
  } as unknown as Suite;

  it.each([
    ["run", () => run({ ...deck, out: out() }, watch, signal)],
    ["run --force", () => run({ ...deck, out: out(), force: true }, watch, signal)],
    ["run --resume", () => run({ overrides: [], backend: "auto", resume: out() }, watch, signal)],
    [
      "compare --force",
      () => compare({ ...deck, poisson: "fft,multigrid", vary: [], out: out(), force: true }, watch, signal),
    ],
    ["validate --force", () => validate({ ...deck, budget: 1, evolve: false, out: out(), force: true }, watch, signal)],
    [
      "bench SUITE --force",
      () => {
        const acquire = () => Promise.reject(new Error("no device is needed for that"));
        const busy = () => Promise.resolve(0);
        return runSuite(suite, { quick: true, force: true, folder: out(), signal, watch, acquire, busy });
      },
    ],
  ])("%s", async (_name, attempt) => {
    mkdirSync(out());
    writeFileSync(join(out(), "scenario.toml"), "");
    const lock = lockFolder(out());
    const before = contentsOf(dir);
    await expect(attempt()).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/is in use: process/),
    });
    expect(contentsOf(dir)).toEqual(before);
    lock.release();
  });

  it("nobody once that has ended", async () => {
    expect(await run({ ...deck, out: out() }, watch, signal)).toBe(0);
    expect(readdirSync(out()).filter((name) => name.startsWith("."))).toEqual([]);
    expect(await run({ ...deck, out: out(), force: true }, watch, signal)).toBe(0);
  });
});
