/** The folder of an ensemble: made once, gone on with by the same command, added to, refused to another. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { lockFolder } from "../../src/run/lock.ts";
import { type EnsembleRequest, openEnsemble, reportPlan, runEnsemble } from "../../src/study/ensemble/run-ensemble.ts";
import { contentsOf } from "../support/cli.ts";

const root = mkdtempSync(join(tmpdir(), "gravmesh-ensemble-folder-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(root, "f-")), "ensemble");
});

const request = (change: Partial<EnsembleRequest> = {}): EnsembleRequest => ({
  ...{ scenario: "plummer", overrides: [], vary: ["seed=1..3"], latinSeed: 1, backend: "cpu", out: folder },
  ...{ program: ["/nowhere/gravmesh"] },
  ...change,
});
const indices = async (change: Partial<EnsembleRequest> = {}) =>
  (await openEnsemble(request(change))).ensemble.members.map(({ values }) => values.seed);

describe("an ensemble's folder", () => {
  it("is made once, and takes further members behind those that are there", async () => {
    expect(await indices()).toEqual([1, 2, 3]);
    const before = contentsOf(folder);
    expect(Object.keys(before).sort()).toEqual(["deck.toml", "ensemble.json"]);
    expect(await indices()).toEqual([1, 2, 3]);
    expect(contentsOf(folder)).toEqual(before);
    expect(await indices({ vary: ["seed=1..5"] })).toEqual([1, 2, 3, 4, 5]);
    expect(
      (await openEnsemble(request({ scenario: undefined, vary: [], out: undefined, resume: folder }))).ensemble.members,
    ).toHaveLength(5);
    // A command that was killed between its two files.
    rmSync(join(folder, "ensemble.json"));
    expect(await indices()).toEqual([1, 2, 3]);
  });

  it.each<[string, Partial<EnsembleRequest>, RegExp]>([
    ["deck", { scenario: "uniform" }, /the deck: deck.toml there is not uniform/],
    ["override", { overrides: ["mesh.cells=32"] }, /overrides: there "", now "mesh.cells=32"/],
    ["backend", { backend: "webgpu" }, /backend: there "cpu", now "webgpu"/],
    ["key", { vary: ["mesh.cells=32,64"] }, /what varies: there \["seed"\], now \["mesh.cells"\]/],
    ["value", { vary: ["seed=2..4"] }, /member 0: there seed = 1, now seed = 2/],
    ["smaller number", { vary: ["seed=1..2"] }, /member 2: there seed = 3, now no such member: 2 instead of 3/],
    ["sampling", { latin: 3 }, /sampling: there {"kind":"grid"}/],
  ])("is refused to another %s, with what differs", async (_, change, message) => {
    await openEnsemble(request());
    const before = contentsOf(folder);
    await expect(openEnsemble(request(change))).rejects.toThrow(message);
    await expect(openEnsemble(request(change))).rejects.toThrow(/Nothing was changed/);
    expect(contentsOf(folder)).toEqual(before);
  });

  it("isn't made for a member that it wouldn't have", async () => {
    await expect(openEnsemble(request({ member: 3 }))).rejects.toThrow(/has no member 3: expected 0 to 2\./);
    expect(existsSync(join(folder, "ensemble.json"))).toBe(false);
    await openEnsemble(request({ member: 2 }));
    expect(existsSync(join(folder, "ensemble.json"))).toBe(true);
  });

  it("is replaced by --force with the runs of its members, and nothing else", async () => {
    await openEnsemble(request());
    const member = join(folder, "member_001");
    mkdirSync(member);
    for (const name of ["scenario.toml", "summary.json", "error.txt", "mine.txt"])
      writeFileSync(join(member, name), "x");
    mkdirSync(join(folder, "member_002"));
    expect(await indices({ vary: ["seed=7..8"], force: true })).toEqual([7, 8]);
    expect(Object.keys(contentsOf(member))).toEqual(["mine.txt"]);
    expect(existsSync(join(folder, "member_002"))).toBe(false);
  });

  it("isn't replaced while a member is computed", async () => {
    await openEnsemble(request());
    const member = join(folder, "member_001");
    mkdirSync(member);
    const lock = lockFolder(member);
    await expect(openEnsemble(request({ vary: ["seed=7..8"], force: true }))).rejects.toThrow(/is in use/);
    lock.release();
    expect(JSON.parse(readFileSync(join(folder, "ensemble.json"), "utf8")).members).toHaveLength(3);
  });

  it("isn't made in one that holds something else, nor by --dry-run", async () => {
    mkdirSync(folder);
    const plans: unknown[] = [];
    await reportPlan(request(), (event) => plans.push(event));
    expect(plans).toMatchObject([{ event: "plan", members: [{ index: 0, state: "waiting" }, {}, {}] }]);
    expect(contentsOf(folder)).toEqual({});
    writeFileSync(join(folder, "thesis.tex"), "");
    await expect(openEnsemble(request())).rejects.toThrow(/is not empty \(thesis.tex\), and holds no ensemble/);
  });

  it("goes on as it is with --resume", async () => {
    await openEnsemble(request());
    const resume = { resume: folder, out: undefined };
    await expect(openEnsemble(request(resume))).rejects.toThrow(/leave out plummer, --vary seed=1..3\. To add members/);
    const bare = { ...resume, scenario: undefined, vary: [] };
    await expect(openEnsemble(request({ ...bare, backend: "webgpu" }))).rejects.toThrow(/begun with --backend cpu/);
  });

  it("keeps why a member's process couldn't be started", async () => {
    const events: { event: string }[] = [];
    const quiet = new AbortController().signal;
    const code = await runEnsemble(request({ vary: ["seed=1..2"] }), (event) => events.push(event), quiet);
    expect(code).toBe(1);
    expect(events.filter(({ event }) => event === "member")).toMatchObject([
      { index: 0, state: "failed", message: expect.stringContaining("could not be started") },
      { index: 1, state: "failed" },
    ]);
    expect(events.at(-1)).toMatchObject({ event: "end", failed: [0, 1] });
  });
});
