/**
 * `gravmesh bench SUITE` makes a suite's measurements one after the other. Each result is in suite.json before the next
 * begins; the same command goes on after an interruption. After a failure the rest goes on, on another device.
 */
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { GravmeshError, isAborted } from "../../base/errors.ts";
import type { GpuContext } from "../../gpu/context.ts";
import { messageOf } from "../../run/failure.ts";
import { ResultFiles } from "../../run/results.ts";
import { suiteHtml } from "./page.ts";
import type { MeasurementRecord, SuiteRecord } from "./page-model.ts";
import { SuiteRanks } from "./ranked.ts";
import { continueRecord, emptyRecord, presentRecord, readRecord } from "./record.ts";
import type { Measurement, MeasurementContext, Suite } from "./spec.ts";

/** What a run reports of itself, as it happens. */
export type SuiteEvent =
  | { event: "start"; suite: string; title: string; folder: string; adapter: string; kept: number; count: number }
  | { event: "progress"; key: string; label: string; index: number; count: number; fraction: number }
  | { event: "measurement"; index: number; count: number; brief: string; measurement: MeasurementRecord }
  | { event: "end"; folder: string; page: string; record: SuiteRecord };

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
  ranks?: SuiteRanks | undefined;
}

/** Runs a suite; resolves to the exit code. Throws "usage" for a folder that can't be used, "device" without an adapter. */
export async function runSuite(suite: Suite, options: SuiteRunOptions): Promise<number> {
  const { quick, force, folder, signal, watch, ranks = new SuiteRanks() } = options;
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
    const kept = record.measurements.filter(isDone).length;
    const count = measurements.length;
    const { name, software } = record.adapter;
    const described = software ? `${name}, a driver that runs on the CPU` : name;
    const about = { suite: suite.id, title: suite.title, folder: resolve(folder), adapter: described };
    watch({ event: "start", ...about, kept, count });

    for (const [index, measurement] of measurements.entries()) {
      const one = record.measurements[index];
      if (isDone(one)) continue;
      if (signal.aborted) break;
      const { key, label } = measurement;
      const progress = (fraction: number) => watch({ event: "progress", key, label, index, count, fraction });
      progress(0);
      await measure(measurement, one, { devices, settings, ranks, signal, progress });
      if (one.status === "waiting") break; // stopped within it
      files.save(record); // whatever happens to the next one
      const brief = isDone(one) ? measurement.brief(one.result) : "";
      watch({ event: "measurement", index, count, brief, measurement: one });
    }

    presentRecord(record, suite);
    record.status = overall(record);
    const html = () => suiteHtml(record);
    return files.close(record, { html }, (at) => watch({ event: "end", ...at, record }));
  } finally {
    files.release();
    devices.drop();
  }
}

const isDone = ({ status }: MeasurementRecord) => status === "done";

/** Makes one measurement; its record says how that ended. It stays "waiting" when it was interrupted. */
async function measure(
  measurement: Measurement,
  record: MeasurementRecord,
  { devices, ...rest }: Omit<MeasurementContext, "gpu"> & { devices: Devices },
): Promise<void> {
  const started = performance.now();
  record.load = loadavg()[0];
  try {
    const context: MeasurementContext = { gpu: await devices.get(), ...rest };
    const reason = measurement.skip?.(context);
    if (reason !== undefined) Object.assign(record, { status: "skipped", message: reason });
    else Object.assign(record, { result: plain(await measurement.run(context), measurement.key), status: "done" });
  } catch (error) {
    devices.drop();
    if (isAborted(error)) return;
    Object.assign(record, { status: "failed", message: messageOf(error) });
  }
  record.date = new Date().toISOString();
  record.seconds = (performance.now() - started) / 1000;
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

function overall({ measurements }: SuiteRecord): SuiteRecord["status"] {
  if (measurements.some(({ status }) => status === "waiting")) return "interrupted";
  return measurements.some(({ status }) => status === "failed") ? "failed" : "complete";
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
