/** An ensemble on a terminal: a line for all members, one for each that is computed, lines that stay above them. */
import { describe, expect, it } from "vitest";
import { display } from "../../src/doors/cli/display.ts";
import { ensembleWords } from "../../src/doors/cli/ensemble.ts";
import type { EnsembleEvent } from "../../src/study/ensemble/events.ts";
import type { Tally } from "../../src/study/ensemble/member-state.ts";

const tally = (change: Partial<Tally>): Tally => ({
  ...{ waiting: 0, running: 0, interrupted: 0, failed: 0, finished: 0 },
  ...change,
});

const progress = (fraction: number, active: number[]): EnsembleEvent => ({
  event: "progress",
  fraction,
  tally: tally({ finished: 3, failed: 1, running: active.length, waiting: 4 }),
  members: 8,
  active: active.map((index) => ({
    ...{ index, values: { seed: index + 1, "mesh.cells": 64 }, fraction: 0.25, what: "step 12", remainingSeconds: 61 },
  })),
  elapsedSeconds: 10,
  remainingSeconds: 3725,
});

const ended = (index: number, message: string | null): EnsembleEvent => ({
  ...{ event: "member", index, values: { seed: index + 1 }, state: message === null ? "finished" : "failed" },
  ...{ seconds: 12, message, folder: "f", finished: 4, members: 8 },
});

/** What a terminal shows after what was written to it: carriage returns, lines up, erasing; without colours. */
function shownOf(text: string): string[] {
  const lines = [""];
  let [row, column] = [0, 0];
  const plain = text.replaceAll(/\p{Cc}\[\d*m/gu, "");
  for (const part of plain.match(/\p{Cc}\[\d*[AJK]|\r|\n|\P{Cc}+/gu) ?? []) {
    if (part === "\r") column = 0;
    else if (part === "\n") {
      [row, column] = [row + 1, 0];
      lines[row] ??= "";
    } else if (part.startsWith("\u001b")) {
      const count = Number(/\d+/.exec(part)?.[0] ?? 0);
      if (part.endsWith("A")) row -= count;
      else if (part.endsWith("J")) lines.splice(row, lines.length, lines[row].slice(0, column));
      else lines[row] = "";
    } else {
      lines[row] = lines[row].slice(0, column) + part + lines[row].slice(column + part.length);
      column += part.length;
    }
  }
  return lines;
}

function terminal(columns: number, rows: number) {
  let text = "";
  let now = 0;
  const out = { write: (part: string) => (text += part), isTTY: true, columns, rows };
  const watch = display(ensembleWords, { out, err: out, now: () => now });
  return {
    hear: (event: EnsembleEvent) => {
      now += 1000;
      watch(event);
    },
    shown: () => shownOf(text),
  };
}

describe("an ensemble's display", () => {
  it("has a line for all and one for each that is computed, whose number changes", () => {
    const { hear, shown } = terminal(100, 30);
    hear(progress(0.5, [4, 5, 6]));
    expect(shown()).toEqual([
      "████████████░░░░░░░░░░░░  50 %  3 finished, 1 failed, 3 running, 4 left  ETA 1:02:05",
      ...[4, 5, 6].map((i) => `  ███░░░░░░░░░  25 %  member ${i}  seed = ${i + 1}, mesh.cells = 64  step 12  ETA 1:01`),
    ]);
    hear(progress(0.6, [5]));
    expect(shown()).toHaveLength(2);
    hear(ended(5, null));
    hear(ended(6, "no memory"));
    hear(progress(0.7, [7]));
    expect(shown()).toEqual([
      "  member 5  seed = 6  12.0 s  (4 of 8 finished)",
      "  member 6  seed = 7  failed: no memory",
      expect.stringContaining("70 %"),
      expect.stringContaining("member 7"),
    ]);
  });

  it("fits a small terminal", () => {
    const { hear, shown } = terminal(40, 4);
    hear(progress(0.5, [1, 2, 3, 4, 5, 6, 7]));
    hear(progress(0.6, [1, 2, 3, 4, 5, 6, 7]));
    expect(shown()).toHaveLength(3);
    for (const line of shown()) expect(line.length).toBeLessThan(40);
  });
});
