/** How a run shows itself: the live line at any width, plain lines, JSON, quiet. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { display, progressLine } from "../../src/doors/cli/display.ts";
import { runWords } from "../../src/doors/cli/run.ts";
import type { ProgressEvent, RunEvent } from "../../src/run/events.ts";
import {
  clock,
  duration,
  exponentText,
  prefixed,
  shortNumber,
  signedError,
  withCommas,
} from "../../src/run/page/numbers.ts";
import { hanging, labelled, textTable } from "../../src/run/page/text.ts";

const progress = (fraction: number): ProgressEvent => ({
  event: "progress",
  time: 5 * fraction,
  timeUnit: "time units",
  step: Math.round(500 * fraction),
  fraction,
  stepsPerSecond: 12.34,
  particleUpdatesPerSecond: 2.5e7,
  energyError: -3.2e-5,
  conserved: "energy",
  elapsedSeconds: 10,
  remainingSeconds: 3725,
});

function screen(columns?: number) {
  let text = "";
  return {
    write: (part: string) => (text += part),
    isTTY: columns !== undefined,
    ...(columns && { columns }),
    text: () => text,
  };
}

function watching(options: { json?: boolean; quiet?: boolean; columns?: number }) {
  const out = screen(options.columns);
  const err = screen();
  let now = 0;
  const watch = display(runWords, { json: options.json, quiet: options.quiet, out, err, now: () => now });
  const at = (ms: number) => {
    now = ms;
    return watch;
  };
  return { out, err, at };
}

describe("the live line", () => {
  it("fits any width and keeps what matters most", () => {
    for (let width = 10; width <= 200; width++) {
      for (const fraction of [0, 0.001, 0.5, 0.999, 1]) {
        expect(progressLine(progress(fraction), width).length).toBeLessThanOrEqual(width);
      }
    }
    expect(progressLine(progress(0.5), 140)).toBe(
      `${"█".repeat(14)}${"░".repeat(14)}  50 %  t = 2.5 time units  ETA 1:02:05  step 250  12.3 steps/s  ΔE/E -3.2e-5  25.0 M updates/s`,
    );
    expect(progressLine(progress(0.5), 47)).toBe(
      `${"█".repeat(4)}${"░".repeat(4)}  50 %  t = 2.5 time units  ETA 1:02:05`,
    );
    expect(progressLine(progress(0.5), 10)).toBe("50 %");
  });

  it("is redrawn in place, not more often than the eye follows, and gives way to lines that stay", () => {
    const { out, err, at } = watching({ columns: 40 });
    at(0)(progress(0.1));
    at(10)(progress(0.11));
    at(200)(progress(0.2));
    at(210)({ event: "warning", message: "careful" });
    expect(out.text().split("\r\u001b[2K")).toHaveLength(4);
    expect(out.text().endsWith("\r\u001b[2K")).toBe(true);
    expect(err.text()).toMatch(/careful\n$/);
  });
});

describe("times", () => {
  it("are told with the deck's unit, or as scale factor with redshift", () => {
    const line = (time: number, timeUnit: string) => progressLine({ ...progress(0.5), time, timeUnit }, 120);
    expect(line(0.5, "kpc/(km/s)")).toContain("t = 0.5 kpc/(km/s)  ETA");
    expect(line(0.5, "scale factor")).toContain("a = 0.5 (z = 1)  ETA");
    const { out, at } = watching({});
    const start = {
      event: "start",
      version: "0",
      title: "T",
      folder: "f",
      backend: "cpu",
      adapter: null,
      ranks: 1,
      notice: null,
    } as const;
    const about = {
      particles: 8,
      cells: 16,
      levels: 0,
      integrator: null,
      steps: 10,
      end: 1,
      resumedAt: { time: 0.5, step: 5 },
    };
    at(0)({ ...start, ...about, timeUnit: "scale factor" });
    expect(out.text()).toContain("to a = 1 (z = 0) in 10 steps");
    expect(out.text()).toContain("resumed at a = 0.5 (z = 1), step 5");
  });

  it("stand beside an energy error that is marked where it is large", () => {
    const line = (energyError: number, timeUnit = "time units") =>
      progressLine({ ...progress(0.5), energyError, timeUnit }, 120);
    expect(line(1e-5)).toContain("ΔE/E +1.0e-5  ");
    expect(line(-0.025)).toContain("ΔE/E -2.5e-2!  ");
    expect(line(0.025, "scale factor")).toContain("ΔE/E +2.5e-2  "); // the residual of a comoving box
  });
});

describe("what is done before the first step", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const preparing = (detail?: string): RunEvent => ({
    ...{ event: "preparation", what: "Preparing the pipeline", fraction: 0 },
    ...(detail !== undefined && { detail }),
  });
  const lastLine = (text: string) => text.split("\r\u001b[2K").at(-1);

  it("is told thing by thing, with a clock that goes on while one of them lasts", () => {
    const { out, at } = watching({ columns: 60 });
    at(0)({ event: "preparation", what: "Drawing initial conditions", fraction: 0.5 });
    expect(lastLine(out.text())).toBe("Drawing initial conditions 50 %");
    at(10)(preparing());
    expect(lastLine(out.text())).toBe("Preparing the pipeline …");
    at(11)(preparing("compiling kernel 1, scan"));
    at(12)(preparing("compiling kernel 2, order/count"));
    expect(lastLine(out.text())).toBe("Preparing the pipeline  compiling kernel 2, order/count …");
    at(3100);
    vi.advanceTimersByTime(1000);
    expect(lastLine(out.text())).toBe("Preparing the pipeline 0:03  compiling kernel 2, order/co …");
    at(65_100)(preparing("first force and sums"));
    expect(lastLine(out.text())).toBe("Preparing the pipeline 1:05  first force and sums …");
    at(65_200)(progress(0));
    at(70_000);
    const shown = out.text();
    vi.advanceTimersByTime(5000);
    expect(out.text()).toBe(shown);
  });

  it("is a line of a log where it lasts, and an event of --json once a second", () => {
    const log = watching({});
    log.at(0)(preparing());
    for (let k = 1; k <= 12; k++) log.at(500 * k)(preparing(`compiling kernel ${k}, name`));
    expect(log.out.text()).toBe("Preparing the pipeline  compiling kernel 10, name …\n");
    const json = watching({ json: true });
    json.at(0)(preparing());
    for (let k = 1; k <= 12; k++) json.at(200 * k)(preparing(`compiling kernel ${k}, name`));
    const events = json.out.text().trim().split("\n");
    expect(events.map((line) => JSON.parse(line).detail)).toEqual([
      undefined,
      ...[1, 6, 11].map((k) => `compiling kernel ${k}, name`),
    ]);
  });
});

describe("what is done besides steps", () => {
  const writing = (what: string, fraction = 1): RunEvent => ({ event: "activity", what, fraction });

  it("is said beside the bar at once, so that 100 % doesn't stand without a word", () => {
    const { out, at } = watching({ columns: 61 });
    at(0)(progress(1));
    at(5)(writing("report"));
    expect(out.text().endsWith(`\r\u001b[2K${"█".repeat(28)} 100 %  writing report …`)).toBe(true);
    const narrow = watching({ columns: 30 });
    narrow.at(0)(writing("snapshot 3", 0.5));
    expect(narrow.out.text()).toBe("\r\u001b[2K50 %  writing snapshot 3 …");
  });

  it("doesn't hide the steps where it is over in no time, as it was the last time", () => {
    const { out, at } = watching({ columns: 120 });
    const last = () => out.text().split("\r\u001b[2K").at(-1);
    const row = { event: "diagnostics" } as RunEvent;
    at(0)(writing("diagnostics", 0));
    expect(last()).toContain("writing diagnostics"); // nobody knows yet
    at(100)(row);
    at(200)(progress(0.1));
    at(201)(writing("diagnostics", 0.1));
    expect(last()).toContain("ETA 1:02:05  step 50");
    at(210)(row);
    at(211)(writing("snapshot 0", 0.1));
    expect(last()).toContain("writing snapshot 0");
    at(9000)({ event: "snapshot", index: 0, time: 0.5, file: "f" });
    expect(last()).toContain("ETA 1:02:05  step 50"); // its steps go on
    at(9100)(progress(0.2));
    at(9101)(writing("snapshot 1", 0.2));
    expect(last()).toContain("writing snapshot 1"); // this takes long
    at(9102)(writing("report", 0.2));
    at(9103)({ event: "warning", message: "careful" });
    at(9104)({ event: "snapshot", index: 1, time: 1, file: "f" });
    expect(last()).toBe(""); // nothing is drawn anew below what stays
  });

  it("leaves progress of --json its turn", () => {
    const { out, at } = watching({ json: true });
    for (let k = 0; k < 50; k++) {
      at(100 * k)(progress(k / 50));
      at(100 * k + 1)(writing("diagnostics", k / 50));
    }
    expect(out.text().match(/"progress"/g)).toHaveLength(5);
  });

  it("is an event of --json, and a line of a log when it is time for one", () => {
    const json = watching({ json: true });
    for (const what of ["snapshot 1", "haloes", "report"]) json.at(10)(writing(what, 0.5));
    expect(json.out.text().match(/"activity"/g)).toHaveLength(3);
    const log = watching({});
    log.at(100)(writing("haloes"));
    log.at(6000)(writing("report"));
    expect(log.out.text()).toBe("100 %  writing report …\n");
  });
});

describe("without a terminal", () => {
  it("a plain line comes every few seconds", () => {
    const { out, at } = watching({});
    for (let second = 1; second <= 12; second++) at(1000 * second)(progress(second / 20));
    expect(out.text()).toBe(
      " 25 %  t = 1.25 time units  ETA 1:02:05  step 125  12.3 steps/s  ΔE/E -3.2e-5  25.0 M updates/s\n" +
        " 50 %  t = 2.5 time units  ETA 1:02:05  step 250  12.3 steps/s  ΔE/E -3.2e-5  25.0 M updates/s\n",
    );
  });

  it("which says what the last one said isn't repeated", () => {
    const { out, at } = watching({});
    for (const [k, fraction] of [0.5, 0.5, 0.5, 0.55, 0.55, 0.5].entries()) at(6000 * (k + 1))(progress(fraction));
    expect(out.text().match(/^ \d+ %/gm)).toEqual([" 50 %", " 55 %", " 50 %"]);
  });

  it("quiet leaves warnings and errors, on stderr", () => {
    const { out, err, at } = watching({ quiet: true });
    at(9000)(progress(0.5));
    at(9000)({ event: "warning", message: "careful" });
    at(9000)({ event: "error", kind: "io", message: "full", exitCode: 1 });
    expect(out.text()).toBe("");
    expect(err.text()).toMatch(/warning:.* careful\nerror:.* full|careful\n.*full/);
  });

  it("json puts each event on a line, progress once a second", () => {
    const { out, err, at } = watching({ json: true });
    for (let tenth = 0; tenth < 25; tenth++) at(100 * tenth)(progress(tenth / 100));
    at(2500)({ event: "warning", message: "two\nlines" });
    const lines = out.text().trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(["progress", "progress", "progress", "warning"]);
    expect(err.text()).toBe("");
  });
});

describe("numbers", () => {
  it("are short", () => {
    expect([0, 7, 999, 1234, 98_765, 1.5e9, 0.123].map(prefixed)).toEqual([
      "0",
      "7",
      "999",
      "1.23 k",
      "98.8 k",
      "1.50 G",
      "0.12",
    ]);
    expect([0, 59.6, 65, 3725, Number.NaN].map(clock)).toEqual(["0:00", "1:00", "1:05", "1:02:05", "–"]);
    expect([0.5, 12.34, 125, 3725].map(duration)).toEqual(["0.50 s", "12.3 s", "2:05 min", "1:02:05 h"]);
  });

  it("stand under each other in tables", () => {
    expect(
      textTable(
        ["stage", "ms"],
        [
          ["order", "1.5"],
          ["x", "12.25"],
        ],
      ),
    ).toBe("  stage     ms\n  ─────  ─────\n  order    1.5\n  x      12.25");
  });
});

describe("text on a terminal", () => {
  it("goes on below where it began, and isn't broken elsewhere", () => {
    const rows = [
      ["ranks", "Open MPI: mpirun -n 2 gravmesh run DECK"],
      ["folder", `/${"x".repeat(40)}`],
    ] as const;
    expect(labelled(rows, 36)).toBe(
      `  ranks   Open MPI: mpirun -n 2\n          gravmesh run DECK\n  folder  /${"x".repeat(40)}`,
    );
    expect(labelled(rows)).toBe(`  ranks   ${rows[0][1]}\n  folder  ${rows[1][1]}`);
    expect(hanging("  \u001b[32mok    \u001b[39m ", "as long as this line is", 29)).toBe(
      "  \u001b[32mok    \u001b[39m as long as this line\n         is",
    );
    expect(hanging("a long label  ", "and its text", 30)).toBe("a long label  and its text");
  });

  it("has numbers that can be pasted", () => {
    expect([0, 1.25e-5].map(exponentText)).toEqual(["0", "1.3e-5"]);
    expect([0, 1.25e-5, -1].map(signedError)).toEqual(["0", "+1.3e-5", "-1.0e+0"]);
    expect(withCommas(`${shortNumber(20_000)} particles, off by ${shortNumber(2e-5)}`)).toBe(
      `20,000 particles, off by ${shortNumber(2e-5)}`,
    );
  });
});
