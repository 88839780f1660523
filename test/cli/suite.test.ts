/** `gravmesh bench SUITE` through the built bin: help, what it refuses, an interruption and how it goes on. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SuiteRecord } from "../../src/study/suite-record.ts";
import { eventsOf, gravmesh, start, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const bench = (...args: string[]) => gravmesh(work(), ["bench", ...args]);

describe("gravmesh bench", () => {
  it("lists the suites, and explains one", async () => {
    const { code, stdout } = await bench("--help");
    expect(code).toBe(0);
    expect(stdout).toMatch(/stages[\s\S]*force[\s\S]*aubert2009/);
    const one = await bench("aubert2009", "--help");
    expect(one.stdout).toMatch(/--quick[\s\S]*--out[\s\S]*--json[\s\S]*\$ gravmesh bench aubert2009 --quick/);
  });

  it("names the nearest suite where there is none of that name", async () => {
    const near = await bench("aubert209", "--quick");
    expect(near).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/bench aubert209: .*Did you mean aubert2009\?/),
    });
    const far = await bench("xyz");
    expect(far).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Expected one of stages, view, force, .*aubert2009/),
    });
  });

  it("refuses options that it doesn't know and folders that hold something else", async () => {
    expect((await bench("aubert2009", "--fast")).code).toBe(2);
    writeFileSync(join(work(), "notes.txt"), "");
    const { code, stderr } = await bench("aubert2009", "--quick", "--out", "notes.txt");
    expect([code, stderr]).toEqual([2, expect.stringMatching(/notes\.txt is a file/)]);
  });
});

describe("an interrupted suite", () => {
  const recordIn = (): SuiteRecord => JSON.parse(readFileSync(join(work(), "stopped", "suite.json"), "utf8"));
  const done = () => recordIn().cases.filter(({ status }) => status === "complete");
  const args = ["bench", "aubert2009", "--quick", "--out", "stopped", "--json"];

  it("keeps what it measured and says what it was measured on", async () => {
    const running = start(work(), args);
    await running.until('"event":"case"');
    running.child.kill("SIGINT");
    const { code, stdout } = await running.done;
    expect(code).toBe(130);
    const events = eventsOf(stdout);
    expect(events[0]).toMatchObject({ event: "start", suite: "aubert2009", kept: 0 });
    expect(events.at(-1)).toMatchObject({ event: "end", record: { status: "interrupted" } });
    const record = recordIn();
    expect(record).toMatchObject({ suite: "aubert2009", status: "interrupted", settings: { quick: true } });
    expect(record.adapter.name).not.toBe("");
    expect(record.cases[0]).toMatchObject({ status: "complete", parameters: { cells: 32, histogram: "sort" } });
    expect(readFileSync(join(work(), "stopped", "suite.html"), "utf8")).toContain("waits to be measured");
  });

  it("goes on with the rest, also after a kill", async () => {
    const before = done();
    const running = start(work(), args);
    await running.until('"event":"case"');
    running.child.kill("SIGKILL");
    const { stdout } = await running.done;
    expect(eventsOf(stdout.slice(0, stdout.indexOf("\n")))[0]).toMatchObject({ event: "start", kept: before.length });
    const after = done();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
  });
});
