/** A study that is a table alone: what its runner makes of failures, of what is left out, and of an interruption. */
import { describe, expect, it } from "vitest";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import type { StudyEvent, StudyRecord } from "../../src/study/cases.ts";
import { measureTable, type TableStudy } from "../../src/study/table-study.ts";

function study(acts: Partial<Record<number, () => unknown>>, signal = new AbortController().signal) {
  const events: StudyEvent<StudyRecord>[] = [];
  const told: number[] = [];
  const table: TableStudy<number, number> = {
    cases: [1, 2, 3],
    label: (n) => `size ${n}`,
    measure: async (n) => (acts[n]?.() as number | undefined) ?? 10 * n,
  };
  const watch = (event: StudyEvent<StudyRecord>) => void events.push(event);
  const measuring = measureTable(table, { gpu: undefined, signal, watch }, (result) => told.push(result));
  return measuring.then((found) => ({ ...found, events, told }));
}

describe("a table's cases", () => {
  it("are measured in turn, with progress, each told at once", async () => {
    const { results, status, events, told } = await study({});
    expect([results, status, told]).toEqual([[10, 20, 30], "complete", [10, 20, 30]]);
    expect(events.map(({ event }) => event)).toEqual(["progress", "case", "progress", "case", "progress", "case"]);
    expect(events[2]).toEqual({ event: "progress", key: "1", label: "size 2", index: 1, count: 3, fraction: 0 });
  });

  it("go on after a failure, which is a warning, and after one that is left out", async () => {
    const { results, leftOut, status, events } = await study({
      1: () => ({ leftOut: "no room" }),
      2: () => {
        throw new GravmeshError("device", "the device was lost");
      },
    });
    expect([results, leftOut, status]).toEqual([[30], ["size 1: no room"], "failed"]);
    expect(events).toContainEqual({ event: "warning", message: "size 2 failed: the device was lost" });
  });

  it("stop at an interruption, and keep what has been measured", async () => {
    const stopping = new AbortController();
    const between = await study({ 2: () => stopping.abort() }, stopping.signal);
    expect([between.results, between.status]).toEqual([[10, 20], "interrupted"]);
    const within = await study({
      2: () => {
        throw new GravmeshError("aborted", "stopped");
      },
    });
    expect([within.results, within.status]).toEqual([[10], "interrupted"]);
  });
});
