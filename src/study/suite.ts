/**
 * A paper's measurements on the machine at hand, its figures beside ours: `gravmesh bench SUITE`. Each result is in
 * suite.json before the next begins; the same command goes on after an interruption. After a failure the rest goes on, on
 * another device.
 */
import { resolve } from "node:path";
import { GravmeshError } from "../foundation/base/errors.ts";
import type { GpuContext } from "../foundation/gpu/context.ts";
import { ResultFiles } from "../run/results.ts";
import { runCases, type StudyEvent } from "./cases.ts";
import { StudyRanks } from "./ranks.ts";
import type { MeasurementContext, Suite } from "./spec.ts";
import { suiteHtml } from "./suite-page.ts";
import { continueRecord, emptyRecord, presentRecord, readRecord, type SuiteRecord } from "./suite-record.ts";

export type SuiteEvent = StudyEvent<
  SuiteRecord,
  { suite: string; title: string; folder: string; adapter: string; kept: number; count: number }
>;

export interface SuiteRunOptions {
  quick: boolean;
  force: boolean;
  folder: string;
  signal: AbortSignal;
  watch: (event: SuiteEvent) => void;
  /** A device; asked for again when the one before has failed. */
  acquire: () => Promise<GpuContext>;
  /** How busy others keep the machine [cores]. */
  busy: () => Promise<number>;
  /** Processes that measure together; this one alone unless given. */
  ranks?: StudyRanks | undefined;
}

/** Runs a suite; resolves to the exit code. Throws "usage" for a folder that can't be used, "device" without an adapter. */
export async function runSuite(suite: Suite, options: SuiteRunOptions): Promise<number> {
  const { quick, force, folder, signal, watch, ranks = new StudyRanks() } = options;
  const files = new ResultFiles<SuiteRecord>(folder, "suite");
  const earlierRecord = () => (force ? undefined : readRecord(folder));
  files.requireEmpty(true);
  earlierRecord(); // what is wrong with it is said at once
  const settings = { quick };
  const measurements = suite.measurements(settings);
  const devices = new Devices(options.acquire);
  try {
    const { adapter } = await devices.get();
    const record = emptyRecord(suite, settings, adapter, await options.busy());
    files.claim(true);
    const earlier = earlierRecord();
    if (earlier) continueRecord(record, earlier, folder);
    files.save(record);
    const kept = record.cases.filter(({ status }) => status === "complete").length;
    const { name, software } = record.adapter;
    const described = software ? `${name}, a driver that runs on the CPU` : name;
    const about = { suite: suite.id, title: suite.title, folder: resolve(folder), adapter: described };
    watch({ event: "start", ...about, kept, count: measurements.length });
    const of = new Map(measurements.map((one) => [one.key, one]));
    await runCases({
      ...{ record, files, signal, watch },
      brief: ({ key, status, result }) => (status === "complete" ? of.get(key)!.brief(result) : ""),
      make: async (one, place) => {
        const progress = (fraction: number) => watch({ event: "progress", ...place, fraction });
        progress(0);
        try {
          const context: MeasurementContext = { gpu: await devices.get(), settings, ranks, signal, progress };
          const reason = of.get(one.key)!.skip(context);
          if (reason !== undefined) Object.assign(one, { status: "skipped", message: reason });
          else one.result = plain(await of.get(one.key)!.run(context), one.key);
        } catch (error) {
          devices.drop();
          throw error;
        }
      },
    });
    presentRecord(record, suite);
    const html = () => suiteHtml(record);
    return files.close(record, { html }, (at) => watch({ event: "end", ...at, record }));
  } finally {
    files.release();
    devices.drop();
  }
}

/** The result as it will be read again. Throws when it holds what JSON can't. */
function plain(result: unknown, key: string): unknown {
  const text = JSON.stringify(result, (name, value) => {
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new GravmeshError("numerical", `${key}: expected finite numbers, found ${name} = ${value}`);
    }
    return value;
  });
  return text === undefined ? null : JSON.parse(text);
}

/** One device for all measurements, until one of them fails on it. */
class Devices {
  #gpu: GpuContext | undefined;

  constructor(private readonly acquire: () => Promise<GpuContext>) {}

  async get(): Promise<GpuContext> {
    this.#gpu ??= await this.acquire();
    return this.#gpu;
  }

  drop(): void {
    this.#gpu?.destroy();
    this.#gpu = undefined;
  }
}
