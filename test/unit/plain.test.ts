/** Text from outside on a terminal: shown, never obeyed; JSON keeps its value. */
import { describe, expect, it } from "vitest";
import { display } from "../../src/doors/cli/display.ts";
import { plain, plainEvent, plainJson } from "../../src/doors/cli/plain.ts";
import { runWords } from "../../src/doors/cli/run.ts";

const HOSTILE = "a\u001b[2J\u009b31m\r\u0007\u202eb\u0000\u007f";
const SHOWN = "a\\u001b[2J\\u009b31m\\u000d\\u0007\\u202eb\\u0000\\u007f";

describe("text from outside", () => {
  it("is shown with its control characters as escapes; lines stay lines", () => {
    expect(plain(HOSTILE)).toBe(SHOWN);
    expect(plain("Σ ∝ e^{−R}, 日本語, é, 🌌\nsecond line")).toBe("Σ ∝ e^{−R}, 日本語, é, 🌌\nsecond line");
  });

  it("is made plain wherever it is in an event; only a message has lines", () => {
    const event = {
      event: "start",
      title: "x\nerror: no",
      names: [HOSTILE],
      at: { message: "two\nlines" },
      n: 1,
      no: null,
    };
    const masses = new Float64Array(1);
    expect(plainEvent({ ...event, masses })).toEqual({
      ...{ event: "start", title: "x\\nerror: no", names: [SHOWN], at: { message: "two\nlines" }, n: 1, no: null },
      masses,
    });
  });

  it("is the same text to who reads the JSON", () => {
    const json = plainJson({ title: HOSTILE });
    expect(JSON.parse(json)).toEqual({ title: HOSTILE });
    expect(json).toMatch(/^[ -~]*$/);
  });
});

describe.each([
  ["a terminal", { isTTY: true }, {}],
  ["a log", {}, {}],
  ["--quiet", {}, { quiet: true }],
  ["--json", {}, { json: true }],
])("%s", (_, screen, options) => {
  it("gets no control character of a title, a folder or a message", () => {
    let text = "";
    const write = (part: string) => (text += part);
    const watch = display(runWords, { ...options, out: { write, ...screen }, err: { write } });
    const start = {
      event: "start",
      version: "0",
      title: HOSTILE,
      folder: HOSTILE,
      backend: "cpu",
      adapter: null,
      ranks: 1,
      notice: null,
    } as const;
    watch({ ...start, particles: 1, cells: 16, levels: 0, integrator: null, steps: 1, end: 1, timeUnit: "time units" });
    watch({ event: "preparation", what: HOSTILE, fraction: 0 });
    watch({ event: "warning", message: HOSTILE });
    const resume = `gravmesh run --resume ${HOSTILE}`;
    watch({ event: "interrupted", time: 0, timeUnit: "time units", step: 0, folder: HOSTILE, resume, report: HOSTILE });
    watch({ event: "error", kind: "input", message: HOSTILE, exitCode: 1 });
    expect(text).toContain("\\u009b31m");
    // What the display itself writes to a terminal: the line erased, bold and colours.
    const ESCAPE = "\u001b";
    for (const own of ["\r", `${ESCAPE}[2K`, ...[1, 22, 31, 33, 39].map((n) => `${ESCAPE}[${n}m`)]) {
      text = text.replaceAll(own, "");
    }
    expect(text).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
  });
});
