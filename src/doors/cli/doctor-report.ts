/** `gravmesh doctor --report`: the examination of the adapter with a display and signals, into doctor.json and doctor.html. */
import { arch, platform, release } from "node:os";
import { join } from "node:path";
import { acquireNodeContext, webgpuVersion } from "../../foundation/gpu/device.node.ts";
import { withoutChatter } from "../../run/driver-chatter.ts";
import { bandwidth, clock, prefixed } from "../../run/page/numbers.ts";
import { hanging } from "../../run/page/text.ts";
import { ResultFiles } from "../../run/results.ts";
import { BUDGET, examine } from "../../study/doctor/examine.ts";
import { doctorHtml, verdictText } from "../../study/doctor/page.ts";
import { type CheckResult, type DoctorRecord, errorText, failedChecks, worstOf } from "../../study/doctor/report.ts";
import { colours } from "./colours.ts";
import { percentColumn, progressBar, type Words } from "./display.ts";
import { type Flags, session } from "./session.ts";

export interface ReportOptions extends Flags {
  out?: string;
  force?: boolean;
  /** Time that it may take [s]. */
  seconds?: number;
}

type DoctorEvent =
  | { event: "progress"; what: string; fraction: number; elapsedSeconds: number }
  | { event: "check"; check: CheckResult }
  | { event: "end"; folder: string; page: string; record: DoctorRecord };

const BAR = 24;

function checkText(check: CheckResult, columns: number): string {
  const worst = worstOf(check);
  const text = check.failure ?? (worst ? `${worst.what}: ${errorText(worst)}` : "");
  const mark = check.passed ? colours.green("ok    ") : colours.red("FAILED");
  return hanging(`  ${mark} `, `${check.name}: ${text}`, columns);
}

function endText({ record, page }: Extract<DoctorEvent, { event: "end" }>, columns: number): string {
  const { copyBandwidth, stages, direct, leftOut } = record;
  const largest = stages.at(-1);
  const best = Math.max(0, ...direct.map(({ interactionsPerSecond }) => interactionsPerSecond));
  const step = ({ cells, stepMs, particleUpdatesPerSecond: updates }: (typeof stages)[number]) =>
    `${`  step, ${cells}³`.padEnd(16)}${stepMs.toFixed(2)} ms, ${prefixed(updates)} particles/s`;
  return [
    "",
    ...(copyBandwidth ? [`  copies        ${bandwidth(copyBandwidth)}, read and written`] : []),
    ...(largest ? [step(largest)] : []),
    ...(best > 0 ? [`  direct sums   ${prefixed(best)} interactions/s at best`] : []),
    ...leftOut.map(({ what, why }) => hanging("  left out      ", `${what}: ${why}`, columns)),
    "",
    failedChecks(record).length > 0 || !record.adapter ? colours.red(verdictText(record)) : verdictText(record),
    `  page  ${page}`,
  ].join("\n");
}

const words: Words<DoctorEvent> = {
  live: {
    progress: ({ what, fraction, elapsedSeconds }) =>
      `${progressBar(fraction, BAR)} ${percentColumn(fraction)}  ${clock(elapsedSeconds)}  ${what}`,
  },
  lasting: { check: ({ check }, columns) => checkText(check, columns), end: endText },
  stopping: "; what has been checked is kept.",
};

/** Examines and writes; resolves to the exit code: 1 where a check failed or there is no adapter. */
export function doctorReport({ out, force = false, seconds = BUDGET, json, quiet }: ReportOptions): Promise<number> {
  return session({ json, quiet }, words, async (watch, signal) => {
    const files = new ResultFiles<DoctorRecord>(out ?? join("results", "doctor"), "doctor");
    files.requireEmpty(force);
    try {
      files.claim(force);
      const began = performance.now();
      const record = await examine({
        open: () => acquireNodeContext(withoutChatter),
        platform: {
          runtime: `Node ${process.version}`,
          system: `${platform()} ${release()} ${arch()}`,
          webgpu: `webgpu ${webgpuVersion()} (Dawn)`,
        },
        ...{ budget: seconds, signal },
        report: (what, fraction) =>
          watch({ event: "progress", what, fraction, elapsedSeconds: (performance.now() - began) / 1000 }),
        made: (check) => watch({ event: "check", check }),
      });
      return files.close(record, { html: () => doctorHtml(record) }, (at) => watch({ event: "end", ...at, record }));
    } finally {
      files.release();
    }
  });
}
