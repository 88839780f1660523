/**
 * The examination of an adapter: every kernel beside its twin, then the speed of stages and direct sums. Failed checks,
 * kernels that don't compile and lost devices are recorded, and the next check goes on, on another device where it
 * must.
 */

import { pairArithmeticSurvives } from "../../engine/direct/arithmetic.ts";
import { version } from "../../foundation/base/version.ts";
import { withImports } from "../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { KernelSpec } from "../../foundation/gpu/kernel.ts";
import { arithmeticChecks } from "../../foundation/gpu/probe.ts";
import { analysisChecks } from "./analysis-checks.ts";
import { asTold, type Check, onContext } from "./check.ts";
import { measure, SIZES } from "./measure.ts";
import { meshChecks } from "./mesh-checks.ts";
import { type CheckResult, type DoctorRecord, FORMAT, failedChecks, type Platform } from "./report.ts";
import { directRunChecks, runChecks } from "./run-checks.ts";
import { sumChecks } from "./sum-checks.ts";

/** [s] that all may take unless said otherwise. */
export const BUDGET = 270;
/** The share of it that checks may take; the rest is for measurements. */
const CHECKING = 0.7;
/** [s] unless said otherwise. */
const PATIENCE = { software: 180, hardware: 60 };
/** Devices that are opened anew before it is given up. */
const MOST_DEVICES = 4;

export interface Examination {
  /** Another device each time, the caller's to make and ours to destroy. */
  open: () => Promise<GpuContext>;
  platform: Platform;
  /** [s] */
  budget?: number;
  /** A device that doesn't answer for so long has hung [s]. */
  patience?: number;
  /** What is done, and which share of all is done, 0 … 1. */
  report?: (what: string, done: number) => void;
  /** Is called with every check that was made. */
  made?: (check: CheckResult) => void;
  /** Asked between checks: what is left then is left out. */
  signal?: AbortSignal | undefined;
  /** In place of those that there are. */
  checks?: readonly Check[];
  /** Cells per side of the meshes that stages are timed on; none: nothing is timed. */
  sizes?: readonly number[];
}

const arithmetic: Check = {
  name: "arithmetic",
  part: "arithmetic",
  twin: "exact integers, and float64 rounded once",
  run: async (gpu) => (await arithmeticChecks(gpu)).map(asTold),
};

/** All checks; direct sums in the precisions that the adapter can do. */
export function checksFor(precision: "single" | "double-single"): readonly Check[] {
  const direct = [...sumChecks(precision), ...directRunChecks(precision)];
  return [arithmetic, ...meshChecks, ...direct, ...runChecks, ...analysisChecks];
}

/** Messages of a library's user, without the stack, which has paths. */
const said = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 2000);

export async function examine(request: Examination): Promise<DoctorRecord> {
  const { platform, budget = BUDGET, report = () => {}, signal } = request;
  const began = performance.now();
  const spent = () => (performance.now() - began) / 1000;
  const record: DoctorRecord = {
    ...{ ...FORMAT, gravmesh: version, date: new Date().toISOString(), platform, adapter: null, status: "failed" },
    ...{ seconds: 0, budgetSeconds: budget, doubleSingle: null, copyBandwidth: null },
    ...{ checks: [], stages: [], direct: [], leftOut: [], kernelFiles: [] },
  };
  const closed = (): DoctorRecord => {
    const failed = record.adapter === null || failedChecks(record).length > 0;
    const status = failed ? "failed" : signal?.aborted ? "interrupted" : "complete";
    return { ...record, status, seconds: spent(), kernelFiles: record.kernelFiles.sort() };
  };
  const devices = new Devices(request.open, request.patience);
  report("Looking for an adapter …", 0);
  try {
    const { device, adapter } = await devices.get();
    record.adapter = { ...adapter, features: [...device.features].sort(), limits: limitsOf(device) };
  } catch (error) {
    record.reason = said(error);
    return closed();
  }
  try {
    const why = () => (signal?.aborted ? "it was stopped" : undefined);
    record.doubleSingle = await devices
      .get()
      .then((gpu) => devices.answering(pairArithmeticSurvives(gpu)))
      .then(({ passed, detail }) => ({ passed, detail }))
      .catch((error) => ({ passed: false, detail: said(error) }));
    const checks = request.checks ?? checksFor(record.doubleSingle.passed ? "double-single" : "single");
    for (const [k, check] of checks.entries()) {
      // The first is made however little time there is.
      const late = k > 0 && spent() > CHECKING * budget ? "the time was up" : undefined;
      const missed = why() ?? late ?? devices.gone;
      if (missed) {
        record.leftOut.push({ what: check.name, why: missed });
        continue;
      }
      report(check.name, Math.max((0.8 * k) / checks.length, (0.8 * spent()) / budget));
      const result = await checked(check, devices, record.kernelFiles);
      record.checks.push(result);
      request.made?.(result);
    }
    const { sizes = SIZES } = request;
    const missed = why() ?? devices.gone ?? (sizes.length === 0 ? "it wasn't asked for" : undefined);
    if (missed) record.leftOut.push({ what: "measurements", why: missed });
    else {
      const left = () => (signal?.aborted ? 0 : budget - spent());
      const about = (what: string) => report(what, Math.min(0.99, Math.max(0.8, spent() / budget)));
      const options = { into: record, sizes, left, report: about, doubleSingle: record.doubleSingle.passed };
      await devices
        .get()
        .then((gpu) => devices.answering(measure(gpu, options), budget))
        .catch((error) => record.leftOut.push({ what: "the other measurements", why: said(error) }));
    }
  } finally {
    devices.end();
  }
  return closed();
}

async function checked({ name, part, twin, run }: Check, devices: Devices, files: string[]): Promise<CheckResult> {
  const kernels = new Set<string>();
  const began = performance.now();
  const result = { name, part, twin, passed: false, comparisons: [] as CheckResult["comparisons"] };
  let failure: string | undefined;
  try {
    const gpu = await devices.get();
    const onKernel = (spec: KernelSpec) => {
      for (const path of noted(spec, kernels)) if (!files.includes(path)) files.push(path);
    };
    result.comparisons = await onContext(gpu, { onKernel }, (own) => devices.answering(run(own)));
    result.passed = result.comparisons.every((one) => one.passed);
  } catch (error) {
    failure = said(error);
  }
  await devices.look();
  const seconds = (performance.now() - began) / 1000;
  return { ...result, kernels: [...kernels].sort(), seconds, ...(failure !== undefined && { failure }) };
}

/** Notes a kernel's entry point with its file; the files that it is composed of. */
function noted({ sources, entry }: KernelSpec, kernels: Set<string>): string[] {
  const all = withImports(sources);
  const declares = new RegExp(`@compute[^{]*\\bfn ${entry}\\b`);
  for (const { path, text } of all) if (declares.test(text)) kernels.add(`${path} ${entry}`);
  return all.map(({ path }) => path).filter((path) => path.startsWith("wgsl/"));
}

function limitsOf({ limits }: GPUDevice): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name in limits) {
    const value = limits[name as keyof GPUSupportedLimits];
    if (typeof value === "number") found[name] = value;
  }
  return found;
}

/** The device in use, or the next where that is lost or has hung. */
class Devices {
  #context: GpuContext | undefined;
  #opened = 0;
  /** Why there are no more. */
  gone: string | undefined;

  constructor(
    private readonly open: () => Promise<GpuContext>,
    private readonly patience?: number,
  ) {}

  async get(): Promise<GpuContext> {
    if (this.#context) return this.#context;
    if (this.gone) throw new Error(this.gone);
    this.#opened++;
    this.#context = await this.open();
    return this.#context;
  }

  /** Throws where the work takes longer than a device's answer may [s]; the device is given up then. */
  async answering<T>(work: Promise<T>, patience = this.patience): Promise<T> {
    const software = this.#context?.adapter.software;
    const seconds = patience ?? (software ? PATIENCE.software : PATIENCE.hardware);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#giveUp();
        reject(new Error(`the device gave no answer for ${seconds} s`));
      }, 1000 * seconds);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Gives a device up that was lost meanwhile. */
  async look(): Promise<void> {
    await Promise.resolve(); // a loss is reported after what it ended
    try {
      this.#context?.throwIfLost();
    } catch {
      this.#giveUp();
    }
  }

  end(): void {
    this.#context?.destroy();
    this.#context = undefined;
  }

  #giveUp(): void {
    this.end();
    if (this.#opened >= MOST_DEVICES) this.gone = `${MOST_DEVICES} devices were lost`;
  }
}
