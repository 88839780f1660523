/** `gravmesh bench SUITE`: a suite of a paper with a display and signals. */
import { join } from "node:path";
import { engineWithFallback } from "../../run/engine.ts";
import { duration } from "../../run/page/numbers.ts";
import { SUITES } from "../../study/bench/suites/index.ts";
import { runSuite, type SuiteEvent } from "../../study/suite.ts";
import { suiteText } from "../../study/suite-page.ts";
import { busyCores } from "../../study/suite-record.ts";
import { colours } from "./colours.ts";
import { progressBar, type Words } from "./display.ts";
import { suiteOnRanks } from "./ranks.ts";
import { session } from "./session.ts";

interface SuiteFlags {
  quick?: boolean;
  json?: boolean;
  force?: boolean;
  out?: string;
}

const BAR = 20;

export const suiteWords: Words<SuiteEvent> = {
  live: {
    progress: ({ index, count, label, fraction }) => `${progressBar(fraction, BAR)} ${index + 1}/${count} ${label}`,
  },
  lasting: {
    start: ({ title, count, kept, adapter, folder }) => {
      const there = kept > 0 ? `, of which ${kept} are there already` : "";
      return `${colours.bold(title)}\n${count} measurements${there}\non ${adapter}; results in ${folder}`;
    },
    case: ({ index, count, brief, case: { label, status, message, seconds } }) => {
      const place = `  ${index + 1}/${count} ${label}`;
      if (status === "failed") return `${place}  ${colours.red("failed")}: ${message}`;
      if (status === "skipped") return `${place}  ${colours.yellow("not measured")}: ${message}`;
      return `${place}  ${brief}${brief === "" ? "" : "  "}(${duration(seconds ?? 0)})`;
    },
    end: ({ record, page }) => `\n${suiteText(record)}\n\n  page  ${page}`,
  },
  stopping: " after this measurement; what has been measured is kept.",
};

export const suiteCommand =
  (id: string) =>
  async ({ quick = false, json, force = false, out }: SuiteFlags): Promise<number> => {
    const { suite } = await SUITES[id].load();
    return suiteOnRanks(suite, (ranks) =>
      session({ json }, suiteWords, (watch, signal) => {
        const folder = out ?? join("results", quick ? `${id}-quick` : id);
        const acquire = async () => (await engineWithFallback("webgpu")).gpu!;
        return runSuite(suite, { quick, force, folder, signal, watch, acquire, busy: busyCores, ranks });
      }),
    );
  };
