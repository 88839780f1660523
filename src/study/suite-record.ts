/** suite.json: what a run of a suite was; how it begins, what of an earlier session counts, and how it is written. */
import { readFileSync } from "node:fs";
import { arch, availableParallelism, cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import { sum } from "d3-array";
import { GravmeshError } from "../foundation/base/errors.ts";
import { version } from "../foundation/base/version.ts";
import { type AdapterSummary, adapterName } from "../foundation/gpu/adapter.ts";
import { webgpuVersion } from "../foundation/gpu/device.node.ts";
import { small } from "../run/page/numbers.ts";
import { namesIn } from "../run/results.ts";
import { type CaseRecord, type StudyRecord, waitingCase } from "./cases.ts";
import { isLeftOut, type Presentation, Results, type StudySettings, type Suite, type SuiteAbout } from "./spec.ts";

/** suite.json. */
export interface SuiteRecord extends SuiteAbout, Presentation, StudyRecord {
  suite: string;
  version: string;
  node: string;
  /** Version of the `webgpu` package (Dawn). */
  webgpu: string;
  /** Start of the first session and end of the last, ISO 8601. */
  date: string;
  finished: string;
  sessions: number;
  /** `cores`: logical ones that the process may use; `busyCores`: how many of those other programs used before the session began. */
  machine: { system: string; processor: string; cores: number; memoryBytes: number; busyCores: number };
  /** `name`: description and driver as the adapter gives them. */
  adapter: Pick<AdapterSummary, "vendor" | "architecture" | "software"> & { name: string };
  settings: StudySettings;
}

const SUITE_FILE = "suite.json";

const KEY = /^[a-z0-9][a-z0-9.-]*$/i;

/** How long the processors are watched before anything is measured [ms]. */
const WATCHED = 500;

/** Processors that other programs keep busy, while this one waits. */
export async function busyCores(): Promise<number> {
  /** Times of all processors since they started [ms]. */
  const spent = () => {
    const times = cpus().map((cpu) => cpu.times);
    const all = sum(times, (one) => sum(Object.values(one)));
    return { all, busy: all - sum(times, ({ idle }) => idle) };
  };
  const before = spent();
  await new Promise((resolve) => setTimeout(resolve, WATCHED));
  const after = spent();
  return ((after.busy - before.busy) / Math.max(1, after.all - before.all)) * availableParallelism();
}

/** Share of the processors from which on others disturb the measurements. */
const DISTURBED = 0.2;

/** What to say where the machine had other things to do; nothing where it hadn't. */
export function busyRemark({ busyCores, cores }: SuiteRecord["machine"]): string[] {
  if (busyCores < DISTURBED * cores) return [];
  return [
    `The machine was busy when this began: other programs used ${small(busyCores)} of its ${cores} cores. Times are too long ` +
      "and ratios uncertain; measure again on an idle machine.",
  ];
}

/** Nothing is measured yet; `busy` cores of the machine are others'. Throws when two measurements have the same key, which is a mistake in the suite. */
export function emptyRecord(suite: Suite, settings: StudySettings, on: AdapterSummary, busy = 0): SuiteRecord {
  const { id, title, paper, hardware, about } = suite;
  const { vendor, architecture, software } = on;
  const now = new Date().toISOString();
  const cases = suite.measurements(settings).map((one) => waitingCase<unknown>(one, null));
  const keys = cases.map(({ key }) => key);
  const wrong = keys.find((key, i) => !KEY.test(key) || keys.indexOf(key) < i);
  if (wrong !== undefined) throw new Error(`suite ${id}: the key "${wrong}" is not unique, or no plain name`);
  return {
    ...{ suite: id, title, paper, hardware, about, status: "interrupted" },
    ...{ version, node: process.version, webgpu: webgpuVersion(), date: now, finished: now, sessions: 1 },
    machine: {
      system: `${platform()} ${release()}, ${arch()}`,
      processor: cpus()[0]?.model.trim() ?? "unknown",
      ...{ cores: availableParallelism(), memoryBytes: totalmem(), busyCores: busy },
    },
    adapter: { name: adapterName(on), vendor, architecture, software },
    ...{ settings, cases, comparison: [], tables: [], remarks: [] },
  };
}

/** The suite.json in `folder`, or undefined when there is none. Throws "usage" where the folder holds something else. */
export function readRecord(folder: string): SuiteRecord | undefined {
  const names = namesIn(folder);
  const file = join(folder, SUITE_FILE);
  if (!names.includes(SUITE_FILE)) {
    const first = names.find((name) => !name.startsWith("."));
    if (first === undefined) return undefined;
    throw new GravmeshError(
      "usage",
      `${folder} holds ${first} and no ${SUITE_FILE}: expected an empty folder or a suite's. Choose another with --out, ` +
        "or let the suite's files be added with --force.",
    );
  }
  try {
    const found = JSON.parse(readFileSync(file, "utf8")) as SuiteRecord;
    if (typeof found.suite !== "string" || !Array.isArray(found.cases)) throw new Error("no suite's");
    return found;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new GravmeshError(
      "usage",
      `${file} cannot be read (${why}). Choose another folder with --out, or replace it with --force.`,
      { cause },
    );
  }
}

/** Takes over what `earlier` has measured of the same suite, version, adapter and settings. Throws "usage" otherwise. */
export function continueRecord(record: SuiteRecord, earlier: SuiteRecord, folder: string): void {
  const about = ({ suite, version, adapter, settings, webgpu }: SuiteRecord): Record<string, string> => ({
    suite,
    version: `gravmesh ${version}, webgpu ${webgpu}`,
    adapter: adapter.name,
    settings: settings.quick ? "--quick" : "the full settings",
  });
  const [here, there] = [about(record), about(earlier)];
  const differing = Object.keys(here).filter((key) => here[key] !== there[key]);
  if (differing.length > 0) {
    const changes = differing.map((key) => `${key}: ${there[key]} there, ${here[key]} now`).join("; ");
    throw new GravmeshError(
      "usage",
      `${folder} holds another measurement (${changes}). Nothing was changed. Choose another folder with --out, or replace ` +
        "it with --force.",
    );
  }
  const kept = new Map(earlier.cases.map((one) => [one.key, one]));
  record.cases.forEach((one, i) => {
    const before = kept.get(one.key);
    const same = before && JSON.stringify(before.parameters) === JSON.stringify(one.parameters);
    if (same && before.status === "complete") record.cases[i] = { ...before, label: one.label };
  });
  record.date = earlier.date;
  record.machine.busyCores = Math.max(record.machine.busyCores, earlier.machine.busyCores ?? 0);
  record.sessions = (earlier.sessions ?? 1) + 1;
}

/** What wasn't measured and why, those of the same reason together; nothing where all was. */
function notMeasured(cases: readonly CaseRecord[]): string[] {
  const labels = new Map<string, string[]>();
  for (const { label, status, message, result } of cases) {
    const reason = isLeftOut(result) ? result.leftOut : status === "skipped" ? `${message}` : undefined;
    if (reason !== undefined) labels.set(reason, [...(labels.get(reason) ?? []), label]);
  }
  const texts = [...labels].map(([reason, [first, ...more]]) => {
    return `${first}${more.length === 0 ? "" : ` and ${more.length} more`} (${reason})`;
  });
  return texts.length === 0 ? [] : [`Not measured: ${texts.join("; ")}.`];
}

/** Fills in what is made of the results. */
export function presentRecord(record: SuiteRecord, suite: Suite): void {
  const { cases, machine, settings } = record;
  const done = cases.filter(({ status }) => status === "complete");
  const results = new Results(new Map(done.map(({ key, result }) => [key, result])));
  const { remarks, ...shown } = suite.present(results, settings);
  Object.assign(record, shown, { remarks: [...busyRemark(machine), ...remarks, ...notMeasured(cases)] });
  record.finished = new Date().toISOString();
}
