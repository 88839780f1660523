/** An ensemble's record and the states of its members, read from folders. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { lockFolder } from "../../src/run/lock.ts";
import { readEnsemble } from "../../src/study/ensemble/ensemble.ts";
import { memberStatus } from "../../src/study/ensemble/member-state.ts";

const root = mkdtempSync(join(tmpdir(), "gravmesh-ensemble-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
function folderWith(files: Record<string, string>): string {
  const folder = join(root, `f${count++}`);
  mkdirSync(join(folder, "checkpoint"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const record = {
  ...{ format: "gravmesh-ensemble-1", version: "0.1.0", title: "T", overrides: [], sampling: { kind: "grid" } },
  ...{ scenario: "plummer", filesFrom: "/decks", backend: "cpu", extensions: [] },
  varied: [{ key: "seed", values: [1, 2] }],
  members: [0, 1].map((index) => ({ index, folder: `member-00${index}`, values: { seed: index + 1 } })),
};
const summary = {
  ...{ status: "complete", particles: 3, time: 1, steps: 10, wallSeconds: 2, energyError: 1e-5 },
  ...{ largestEnergyError: 2e-5, momentumError: null, warnings: [] },
};

describe("an ensemble's record", () => {
  it("is read as it was written", () => {
    expect(readEnsemble(folderWith({ "ensemble.json": JSON.stringify(record) }))).toEqual(record);
  });

  it("is refused with the place where it isn't one", () => {
    expect(() => readEnsemble(folderWith({}))).toThrow(/is no ensemble: expected ensemble.json/);
    expect(() => readEnsemble(join(root, "nowhere"))).toThrow(/is no ensemble/);
    expect(() => readEnsemble(folderWith({ "ensemble.json": "{" }))).toThrow(/is no JSON/);
    const without = { ...record, members: [record.members[1]] };
    expect(() => readEnsemble(folderWith({ "ensemble.json": JSON.stringify(without) }))).toThrow(/members: expected/);
    const other = { ...record, format: "gravmesh-ensemble-9" };
    expect(() => readEnsemble(folderWith({ "ensemble.json": JSON.stringify(other) }))).toThrow(/at format/);
  });
});

describe("a member's state", () => {
  const withSummary = (change: object, more: Record<string, string> = {}) =>
    folderWith({ "summary.json": JSON.stringify({ ...summary, ...change }), ...more });

  it("follows from its folder", () => {
    expect(memberStatus(join(root, "none")).state).toBe("waiting");
    expect(memberStatus(folderWith({})).state).toBe("waiting");
    expect(memberStatus(folderWith({ "scenario.toml": "" })).state).toBe("interrupted");
    expect(memberStatus(withSummary({}))).toEqual({ state: "finished", summary });
    expect(memberStatus(withSummary({ status: "interrupted" })).state).toBe("interrupted");
    const energy = memberStatus(withSummary({ status: "failed", warnings: ["the energy error is 5"] }));
    expect(energy).toMatchObject({ state: "failed", message: "the energy error is 5" });
    expect(memberStatus(folderWith({ "error.txt": "no adapter\n" }))).toEqual({
      state: "failed",
      message: "no adapter",
    });
    expect(memberStatus(folderWith({ "summary.json": "{}" }))).toMatchObject({
      state: "failed",
      message: expect.stringMatching(/damaged/),
    });
  });

  it("is running while a process holds the folder, whatever an earlier one left there", () => {
    const folder = withSummary({ status: "interrupted" }, { "error.txt": "killed" });
    expect(memberStatus(folder).state).toBe("failed");
    const lock = lockFolder(folder);
    expect(memberStatus(folder).state).toBe("running");
    lock.release();
    expect(memberStatus(folder).state).toBe("failed");
  });
});
