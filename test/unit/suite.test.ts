/** The framework of the benchmark suites on a suite made up for it: files, resuming, failures, tables, page. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { display } from "../../src/doors/cli/display.ts";
import { suiteWords } from "../../src/doors/cli/suite.ts";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { SUITES } from "../../src/study/bench/suites/index.ts";
import { inTurns, timingOf } from "../../src/study/bench/timing.ts";
import { Experiment, type MeasurementContext, type Suite } from "../../src/study/spec.ts";
import { runSuite, type SuiteEvent, type SuiteRunOptions } from "../../src/study/suite.ts";
import { suiteHtml, suiteText } from "../../src/study/suite-page.ts";
import {
  busyCores,
  busyRemark,
  continueRecord,
  emptyRecord,
  presentRecord,
  type SuiteRecord,
} from "../../src/study/suite-record.ts";
import { publishedText, quantity, ratioTo, view } from "../../src/study/table.ts";
import { ADAPTER, presented } from "../support/suites.ts";

const work = mkdtempSync(join(tmpdir(), "gravmesh-suite-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

interface Fake {
  ms: number;
}

/** What `run` of the measurement at this place does instead of returning its figure. */
let acts: Partial<Record<number, (context: MeasurementContext) => void>> = {};
/** Keys in the order in which they were measured. */
let made: string[] = [];
/** Devices handed out, and whether they were destroyed. */
let devices: { destroyed: boolean }[] = [];
let folder = "";
let count = 0;

beforeEach(() => {
  [acts, made, devices] = [{}, [], []];
  folder = join(work, `run-${count++}`);
});

const SIZES = [1, 2, 4];

function fake(changes: { parameters?: Record<string, unknown>; result?: unknown } = {}): Suite {
  const one = new Experiment<{ n: number }, unknown, Fake>({
    key: ({ n }) => `size-${n}`,
    label: ({ n }) => `size ${n} <&>`,
    skip: ({ n }, { settings }) => (n === 4 && settings.quick ? "too large" : undefined),
    run: async ({ n }, context) => {
      made.push(one.key({ n }));
      context.progress(0.5);
      acts[SIZES.indexOf(n)]?.(context);
      return (changes.result ?? { ms: 10 * n }) as Fake;
    },
    brief: ({ ms }) => `${ms} ms`,
  });
  return {
    id: "fake2001",
    title: "A fake & its <suite>",
    paper: "Nobody 2001",
    hardware: "an abacus",
    about: "Nothing.",
    measurements: () => SIZES.map((n) => one.of({ n, ...changes.parameters })),
    present: (results) => {
      const ours = quantity("ours", (n) => results.of(one, { n })?.ms, { text: String });
      return {
        ...view({
          title: "Time",
          ...{ unit: "ms", where: "table 1", over: SIZES, corner: "n" },
          quantities: [ours, quantity("theirs", (n) => 5 * n, { paper: ours, text: String })],
          published: (n) => `time of ${n}`,
        }),
        remarks: [],
      };
    },
  };
}

function device(description = ADAPTER.description): GpuContext {
  const one = {
    destroyed: false,
    adapter: { ...ADAPTER, description },
    destroy: () => Object.assign(one, { destroyed: true }),
  };
  devices.push(one);
  return one as unknown as GpuContext;
}

const events: SuiteEvent[] = [];

function run(suite: Suite, options: Partial<SuiteRunOptions> = {}): Promise<number> {
  events.length = 0;
  const signal = new AbortController().signal;
  const watch = (event: SuiteEvent) => void events.push(event);
  return runSuite(suite, {
    quick: false,
    force: false,
    folder,
    signal,
    watch,
    acquire: async () => device(),
    busy: async () => 0,
    ...options,
  });
}

const recordIn = (where = folder): SuiteRecord => JSON.parse(readFileSync(join(where, "suite.json"), "utf8"));
const statuses = () => recordIn().cases.map(({ status }) => status);

describe("a suite", () => {
  it("measures in order, and writes each result before the next begins", async () => {
    acts[1] = () => {
      expect(statuses()).toEqual(["complete", "waiting", "waiting"]);
      expect(recordIn().cases[0].result).toEqual({ ms: 10 });
      expect(recordIn().status).toBe("interrupted");
    };
    expect(await run(fake())).toBe(0);
    expect(made).toEqual(["size-1", "size-2", "size-4"]);
    expect(readdirSync(folder).sort()).toEqual(["suite.html", "suite.json"]);
    expect(recordIn()).toMatchObject({
      status: "complete",
      sessions: 1,
      adapter: { name: "an adapter", software: true },
    });
    expect(devices).toMatchObject([{ destroyed: true }]);
  });

  it("sets the paper's figures beside its own", async () => {
    await run(fake());
    expect(recordIn().comparison[2]).toEqual({
      quantity: "time of 4",
      unit: "ms",
      where: "table 1",
      published: 20,
      ours: 40,
      ratio: 2,
    });
  });

  it("has stable keys in its JSON", async () => {
    await run(fake());
    const record = recordIn();
    expect(Object.keys(record).sort()).toEqual(
      [
        ...["about", "adapter", "cases", "comparison", "date", "finished", "hardware", "machine", "node", "paper"],
        ...["remarks", "sessions", "settings", "status", "suite", "tables", "title", "version", "webgpu"],
      ].sort(),
    );
    expect(Object.keys(record.cases[0])).toEqual([
      ...["key", "label", "parameters", "status", "message", "date", "seconds", "load", "result"],
    ]);
    expect(Object.keys(record.machine)).toEqual(["system", "processor", "cores", "memoryBytes", "busyCores"]);
    expect(record.webgpu).toMatch(/^\d+\.\d+/);
    expect(Number.isNaN(Date.parse(record.date))).toBe(false);
  });

  it("goes on after a failure, on another device, and tries again in the next session", async () => {
    acts[1] = () => {
      throw new GravmeshError("device", "the device was lost");
    };
    expect(await run(fake())).toBe(1);
    expect(statuses()).toEqual(["complete", "failed", "complete"]);
    expect(recordIn()).toMatchObject({
      status: "failed",
      cases: [{}, { message: "the device was lost", result: null }, {}],
    });
    expect(devices).toMatchObject([{ destroyed: true }, { destroyed: true }]);
    [acts, made] = [{}, []];
    expect(await run(fake())).toBe(0);
    expect(made).toEqual(["size-2"]);
    expect(recordIn()).toMatchObject({
      status: "complete",
      cases: [{}, { message: null, result: { ms: 20 } }, {}],
    });
  });

  it.each([[{ ms: Number.NaN }], [{ ms: Number.POSITIVE_INFINITY }]])("takes %s for a failure", async (result) => {
    expect(await run(fake({ result }))).toBe(1);
    expect(recordIn().cases[0]).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/finite.*ms = /),
    });
  });

  it("leaves out what the adapter can't do, which is no failure", async () => {
    expect(await run(fake(), { quick: true })).toBe(0);
    expect(made).toEqual(["size-1", "size-2"]);
    expect(recordIn().cases[2]).toMatchObject({ status: "skipped", message: "too large" });
    expect(recordIn().comparison[2]).toMatchObject({ ours: null, ratio: null });
  });

  it("reports progress and how each measurement ended", async () => {
    await run(fake());
    expect(events[0]).toMatchObject({
      event: "start",
      kept: 0,
      count: 3,
      adapter: "an adapter, a driver that runs on the CPU",
    });
    const fractions = events.flatMap((event) =>
      event.event === "progress" && event.key === "size-2" ? event.fraction : [],
    );
    expect(fractions).toEqual([0, 0.5]);
    const briefs = events.flatMap((event) => (event.event === "case" ? event.brief : []));
    expect(briefs).toEqual(["10 ms", "20 ms", "40 ms"]);
    expect(events.at(-1)).toMatchObject({ event: "end", page: join(folder, "suite.html") });
  });

  it("refuses keys that aren't unique", () => {
    const suite = fake();
    const twice: Suite = {
      ...suite,
      measurements: (settings) => [...suite.measurements(settings), ...suite.measurements(settings)],
    };
    expect(() => emptyRecord(twice, { quick: false }, ADAPTER)).toThrow(/"size-1" is not unique/);
  });
});

describe("an interruption", () => {
  it("between measurements keeps those made; the same command goes on with the rest", async () => {
    const interruption = new AbortController();
    acts[1] = () => interruption.abort();
    expect(await run(fake(), { signal: interruption.signal })).toBe(130);
    expect(statuses()).toEqual(["complete", "complete", "waiting"]);
    expect(recordIn().status).toBe("interrupted");
    expect(existsSync(join(folder, "suite.html"))).toBe(true);
    const before = recordIn();
    [acts, made] = [{}, []];
    expect(await run(fake())).toBe(0);
    expect(made).toEqual(["size-4"]);
    const after = recordIn();
    expect(after.cases.slice(0, 2)).toEqual(before.cases.slice(0, 2));
    expect([after.date, after.sessions, after.status]).toEqual([before.date, 2, "complete"]);
    expect(events[0]).toMatchObject({ kept: 2 });
  });

  it("within a measurement counts that one as not made", async () => {
    acts[1] = () => {
      throw new GravmeshError("aborted", "stopped");
    };
    expect(await run(fake())).toBe(130);
    expect(statuses()).toEqual(["complete", "waiting", "waiting"]);
    expect(made).toEqual(["size-1", "size-2"]);
  });

  it("by a kill loses only the measurement under way", async () => {
    acts[2] = () => cut();
    const copy = join(work, "killed");
    const cut = () => {
      mkdirSync(copy);
      writeFileSync(join(copy, "suite.json"), readFileSync(join(folder, "suite.json")));
    };
    await run(fake());
    [acts, made] = [{}, []];
    expect(await run(fake(), { folder: copy })).toBe(0);
    expect(made).toEqual(["size-4"]);
  });
});

describe("an earlier session", () => {
  const usage = (pattern: RegExp) =>
    expect.objectContaining({ kind: "usage", message: expect.stringMatching(pattern) });

  it("that is complete is shown without measuring again, and measured again with --force", async () => {
    await run(fake());
    made = [];
    expect(await run(fake())).toBe(0);
    expect(made).toEqual([]);
    expect(events.at(-1)).toMatchObject({
      event: "end",
      record: { comparison: [{ ours: 10 }, { ours: 20 }, { ours: 40 }] },
    });
    expect(await run(fake(), { force: true })).toBe(0);
    expect(made).toHaveLength(3);
  });

  it("counts only where the parameters are the same", async () => {
    await run(fake());
    made = [];
    await run(fake({ parameters: { repetitions: 9 } }));
    expect(made).toEqual(["size-1", "size-2", "size-4"]);
    expect(recordIn().cases[0].parameters).toEqual({ n: 1, repetitions: 9 });
  });

  it("on another adapter or with other settings is refused and left alone", async () => {
    await run(fake());
    const before = readFileSync(join(folder, "suite.json"), "utf8");
    await expect(run(fake(), { acquire: async () => device("another") })).rejects.toEqual(
      usage(/holds another measurement \(adapter: an adapter there, another now\).*--out.*--force/),
    );
    await expect(run(fake(), { quick: true })).rejects.toEqual(usage(/settings: the full settings there, --quick now/));
    expect(readFileSync(join(folder, "suite.json"), "utf8")).toBe(before);
  });

  it("of another version is refused", () => {
    const record = emptyRecord(fake(), { quick: false }, ADAPTER);
    expect(() => continueRecord(record, { ...structuredClone(record), version: "0.0.0" }, "there")).toThrow(
      /gravmesh 0\.0\.0/,
    );
    expect(() => continueRecord(record, { ...structuredClone(record), suite: "other1999" }, "there")).toThrow(
      /suite: other1999 there/,
    );
  });

  it("that can't be read is refused, and so is a folder of something else", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "suite.json"), '{"suite": 1');
    await expect(run(fake())).rejects.toEqual(usage(/suite\.json cannot be read/));
    writeFileSync(join(folder, "suite.json"), "{}");
    await expect(run(fake())).rejects.toEqual(usage(/no suite's/));
    rmSync(join(folder, "suite.json"));
    writeFileSync(join(folder, "letter.txt"), "");
    await expect(run(fake())).rejects.toEqual(usage(/holds letter\.txt and no suite\.json/));
    await expect(run(fake(), { folder: join(folder, "letter.txt") })).rejects.toEqual(usage(/is a file/));
    expect(devices).toEqual([]);
    expect(await run(fake(), { force: true })).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(["letter.txt", "suite.html", "suite.json"]);
  });
});

/** Throws when tags aren't closed in the order in which they were opened. */
function requireWellFormed(html: string): void {
  const open: string[] = [];
  const empty = new Set(["meta", "link", "!doctype", "br"]);
  for (const [, closing, name, selfClosing] of html
    .replace(/<style>[\s\S]*?<\/style>/g, "")
    .matchAll(/<(\/?)([a-z!][a-z0-9]*)\b(?:"[^"]*"|[^">])*?(\/?)>/gi)) {
    if (empty.has(name.toLowerCase()) || selfClosing) continue;
    if (!closing) open.push(name);
    else if (open.pop() !== name) throw new Error(`</${name}> closes nothing`);
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join(", ")}`);
}

describe("the page", () => {
  it("is well-formed, self-contained, and shows our figures and the paper's", async () => {
    await run(fake());
    const html = readFileSync(join(folder, "suite.html"), "utf8");
    requireWellFormed(html);
    expect(html).toContain("A fake &amp; its &lt;suite&gt;");
    expect(/<script|https?:|NaN|undefined|<suite>/.exec(html)).toBeNull();
    expect(html).toContain("Time [ms] (table 1)");
    expect(html).toMatch(/time of 4 \[ms\]<small>table 1<\/small><\/th><td>20<\/td><td>40<\/td><td>2<\/td>/);
    expect(html).toContain("a driver that runs on the CPU: no GPU was used");
  });

  it("tells what is missing", async () => {
    const record = presented(fake(), new Map(), { quick: false });
    Object.assign(record.cases[1], { status: "failed", message: "it broke." });
    const html = suiteHtml(record);
    requireWellFormed(html);
    expect(html).toContain("size 2 &lt;&amp;&gt; failed: it broke.</li>");
    expect(html).toContain("size 1 &lt;&amp;&gt; waits to be measured.</li>");
    expect(html).not.toContain("Measured here");
  });
});

describe("the terminal", () => {
  function screen(isTTY: boolean) {
    let text = "";
    return { isTTY, columns: 60, write: (more: string) => (text += more), text: () => text };
  }

  it("gets a line a measurement, then tables", async () => {
    await run(fake(), { quick: true });
    const out = screen(false);
    const watch = display(suiteWords, { out, err: out });
    for (const event of events) watch(event);
    // Colours are on where CI is set.
    const text = stripVTControlCharacters(out.text());
    expect(text).toMatch(
      /3 measurements\non an adapter, a driver that runs on the CPU; results in .*\n {2}1\/3 size 1 <&> {2}10 ms {2}\(/,
    );
    expect(text).toMatch(/3\/3 size 4 <&> {2}not measured: too large/);
    expect(text).toMatch(/time of 2 \[ms\] +table 1 +10 +20 +2\n {2}1 more of its figures/);
    expect(text).not.toContain("\r");
  });

  it("gets one live line where it is a terminal", async () => {
    await run(fake());
    const out = screen(true);
    const watch = display(suiteWords, { out, err: out, now: () => 1000 * events.length });
    const progress = events.find(({ event }) => event === "progress")!;
    watch({ ...progress, fraction: 0.5 } as SuiteEvent);
    expect(out.text()).toBe("\r\u001b[2K██████████░░░░░░░░░░ 1/3 size 1 <&>");
  });

  it("gets one JSON object a line with --json", async () => {
    await run(fake());
    const out = screen(true);
    const watch = display(suiteWords, { json: true, out, err: out });
    for (const event of events) watch(event);
    const lines = out
      .text()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ event }) => event)).toEqual(["start", "progress", "case", "case", "case", "end"]);
    expect(lines.at(-1).record.status).toBe("complete");
  });

  it("says when the machine was busy", async () => {
    const busy = await busyCores();
    expect(busy).toBeGreaterThanOrEqual(0);
    expect(busy).toBeLessThanOrEqual(availableParallelism());
    const machine = { system: "", processor: "", cores: 2, memoryBytes: 0, busyCores: 1.25 };
    expect(busyRemark(machine)).toEqual([expect.stringMatching(/^The machine was busy.* 1\.3 of its 2 cores/)]);
    expect(busyRemark({ ...machine, busyCores: 0.3 })).toEqual([]);
  });
});

describe("what wasn't measured", () => {
  it("is told once a reason", () => {
    const record = emptyRecord(fake(), { quick: false }, ADAPTER);
    Object.assign(record.cases[0], { status: "skipped", message: "too large" });
    Object.assign(record.cases[1], { status: "skipped", message: "too large" });
    Object.assign(record.cases[2], { status: "complete", result: { leftOut: "too slow" } });
    presentRecord(record, fake());
    const told = "Not measured: size 1 <&> and 1 more (too large); size 4 <&> (too slow).";
    expect(record.remarks).toEqual([told]);
    expect(suiteText(record)).toContain(told);
    expect(suiteHtml(record)).toContain("size 1 &lt;&amp;&gt; and 1 more (too large)");
  });
});

describe("published figures", () => {
  it.each([
    [10, 5, 0.5, "10"],
    [[2, 4], 3, 1, "2 to 4"],
    [[2, 4], 1, 0.5, "2 to 4"],
    [[2, 4], 8, 2, "2 to 4"],
    [{ atLeast: 10 }, 30, 1, "at least 10"],
    [{ atLeast: 10 }, 5, 0.5, "at least 10"],
    [{ atMost: 10 }, 5, 1, "at most 10"],
    [{ atMost: 10 }, 15, 1.5, "at most 10"],
  ] as const)("%j beside %d: ratio %d", (value, ours, ratio, text) => {
    expect(ratioTo(value, ours)).toBe(ratio);
    expect(publishedText(value)).toBe(text);
  });
});

describe("timing", () => {
  const control = { signal: new AbortController().signal, progress: () => {} };

  it("keeps best, median and spread", () => {
    expect(timingOf([4, 2, 3])).toEqual({ best: 2, median: 3, spread: 2 / 3, repetitions: 3 });
    expect(timingOf([1, 2, 3, 10]).median).toBe(2.5);
  });

  it("goes in turns, leaves out what sits a turn out, and stops where it is told to", async () => {
    const order: string[] = [];
    const job = (name: string) => async (turn: number) => {
      order.push(`${name}${turn}`);
      return name === "a" && turn === 0 ? undefined : turn;
    };
    expect(await inTurns([job("a"), job("b")], { repetitions: 2, ...control })).toEqual([[1], [0, 1]]);
    expect(order).toEqual(["a0", "b0", "a1", "b1"]);
    expect((await inTurns([job("b")], { repetitions: 9, longest: 0, ...control }))[0]).toHaveLength(2);
    const stopped = inTurns([job("b")], { repetitions: 1, ...control, signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ kind: "aborted" });
  });
});

describe("the suites that ship", () => {
  describe.each(Object.keys(SUITES))("%s", (id) => {
    it.each([true, false])("has a list of measurements and survives having none made, quick: %s", async (quick) => {
      const { suite } = await SUITES[id].load();
      expect(suite.id).toBe(id);
      const record = presented(suite, new Map(), { quick }); // throws where keys aren't unique
      expect(record.cases.length).toBeGreaterThan(0);
      expect(record.comparison.length).toBeGreaterThan(0);
      expect(record.comparison.filter(({ ours }) => ours !== null)).toEqual([]);
      expect(record.tables.flatMap(({ rows }) => rows)).toEqual([]);
      requireWellFormed(suiteHtml(record));
      expect(suiteText(record)).not.toMatch(/NaN|undefined|Infinity/);
    });
  });
});
