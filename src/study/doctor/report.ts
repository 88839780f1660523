/**
 * The content of doctor.json (docs/doctor.md): the adapter and what was measured on it; no paths, no names of machines
 * or people.
 */

import type { AdapterSummary } from "../../foundation/gpu/adapter.ts";
import type { StagesResult } from "../bench/stages.ts";
import type { CheckComparison } from "./check.ts";

/** Keys stay as they are within a version; a change of one is another version. */
export const FORMAT = { format: "gravmesh-doctor", formatVersion: 1 } as const;

export interface Platform {
  /** "Node v22.3.0" or what the browser calls itself. */
  runtime: string;
  /** "linux 6.1.0 x64"; of a browser what it tells, often nothing. */
  system: string;
  /** "webgpu 0.6.2 (Dawn)", "browser" */
  webgpu: string;
}

export interface CheckResult {
  name: string;
  part: string;
  twin: string;
  passed: boolean;
  comparisons: CheckComparison[];
  /** Entry points of the kernels that ran, "wgsl/engine/mesh/force/gradient.wgsl gradient". */
  kernels: string[];
  /** [s] */
  seconds: number;
  /** Where it ended before it was done: a kernel that doesn't compile, a device that was lost. */
  failure?: string;
}

type Setup = "cells" | "particles" | "boundary" | "assignment" | "distribution" | "pairsOfParticles";
export type ReportedStageTimes = Pick<
  StagesResult,
  Setup | "stepMs" | "timestamps" | "stages" | "particleUpdatesPerSecond"
>;

export interface DirectTimes {
  order: string;
  precision: string;
  targets: number;
  sources: number;
  /** Time of one evaluation. */
  ms: number;
  interactionsPerSecond: number;
}

export interface DoctorRecord {
  format: typeof FORMAT.format;
  formatVersion: typeof FORMAT.formatVersion;
  gravmesh: string;
  /** ISO 8601 */
  date: string;
  platform: Platform;
  /** Null where there is none; `reason` says why. */
  adapter: (AdapterSummary & { features: string[]; limits: Record<string, number> }) | null;
  reason?: string;
  /** "failed": a check failed, or there is no adapter; "interrupted": it was stopped; what there was no time for is in leftOut. */
  status: "complete" | "interrupted" | "failed";
  /** [s] it took, and was to take at most. */
  seconds: number;
  budgetSeconds: number;
  /** Whether direct sums can work in double-single; single works without. */
  doubleSingle: { passed: boolean; detail: string } | null;
  checks: CheckResult[];
  /** Read plus written [byte/s]. */
  copyBandwidth: number | null;
  stages: ReportedStageTimes[];
  direct: DirectTimes[];
  /** What wasn't done, and why. */
  leftOut: { what: string; why: string }[];
  /** Files of all kernels that ran. */
  kernelFiles: string[];
}

/** The checks that failed; of a run without an adapter there are none. */
export const failedChecks = ({ checks }: DoctorRecord): CheckResult[] => checks.filter(({ passed }) => !passed);

/** "error 3e-7, at most 1e-6 (rms difference over rms)" */
export function errorText({ error, allowed, measure, detail }: CheckComparison): string {
  if (measure === "as told") return detail ?? "";
  const number = (value: number) => (measure === "values that differ" ? String(value) : value.toExponential(1));
  const found = error === null ? "no finite number" : number(error);
  return `${found}, at most ${number(allowed ?? 0)} (${measure})`;
}

/** The comparison of a check that is worst, over what is allowed of it; undefined where it has no figures. */
export function worstOf({ comparisons }: CheckResult): CheckComparison | undefined {
  const share = ({ passed, error, allowed }: CheckComparison) => {
    if (!passed) return Number.POSITIVE_INFINITY;
    return allowed ? (error ?? 0) / allowed : 0;
  };
  return [...comparisons].sort((a, b) => share(b) - share(a))[0];
}
