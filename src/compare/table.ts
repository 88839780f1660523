/** A comparison as text: three tables for the terminal, one for compare.csv; docs/compare.md lists the columns. */

import { csvText } from "../io/csv.ts";
import { bytesText } from "../io/files.node.ts";
import { errorText, exponential, maybe, milliseconds, prefixed } from "../page/numbers.ts";
import { table } from "../page/text.ts";
import type { CompareVariant, Comparison } from "./record.ts";

/** Stages of any variant, in the order of the step. */
export function stagesOf(variants: readonly CompareVariant[]): string[] {
  return [...new Set(variants.flatMap(({ stages }) => stages.map(({ stage }) => stage)))];
}

export function stageTime({ stages }: CompareVariant, name: string): number | undefined {
  return stages.find(({ stage }) => stage === name)?.millisecondsPerStep;
}

/** What the command prints at the end. */
export function comparisonText({ variants }: Comparison): string {
  const [first, ...others] = variants;
  const stages = stagesOf(variants);
  const parts = [
    `Against ${first.label}: potential φ and acceleration a of the particles at the first step,\n` +
      "in units of their rms; rms distance of the particles at the end, in cells",
    table(
      ["", "φ rms", "φ max", "a rms", "a max", "distance"],
      others.map(({ label, potential, acceleration, positionCells }) => [
        label,
        maybe(potential?.rms, exponential),
        maybe(potential?.largest, exponential),
        maybe(acceleration?.rms, exponential),
        maybe(acceleration?.largest, exponential),
        maybe(positionCells, (cells) => (cells < 1e-3 && cells > 0 ? exponential(cells) : cells.toFixed(3))),
      ]),
    ),
    "Relative energy error and momentum error, at the end and at most",
    table(
      ["", "energy", "at most", "momentum", "at most"],
      variants.map((variant) => [
        variant.label,
        maybe(variant.energyError, errorText),
        maybe(variant.largestEnergyError, exponential),
        maybe(variant.momentumError, exponential),
        maybe(variant.largestMomentumError, exponential),
      ]),
    ),
    "Wall time a step and per stage [ms], particle updates a second, memory",
    table(
      ["", "step", ...stages, "updates/s", "memory"],
      variants.map((variant) => [
        variant.label,
        maybe(variant.millisecondsPerStep, milliseconds),
        ...stages.map((stage) => maybe(stageTime(variant, stage), milliseconds)),
        maybe(variant.particleUpdatesPerSecond, prefixed),
        maybe(variant.memoryBytes, bytesText),
      ]),
    ),
  ];
  const stories = variants.flatMap(({ label, status, message, time }) => {
    if (status === "failed") return [`${label} failed: ${message}`];
    if (status === "interrupted") return [`${label} was stopped at time ${time}`];
    return status === "waiting" ? [`${label} was not run`] : [];
  });
  return [...parts, ...stories].join("\n\n");
}

/** Every column of compare.csv after the keys that vary and before the stages, and after them. */
const COLUMNS: Record<string, (variant: CompareVariant) => string | number | null | undefined> = {
  status: ({ status }) => status,
  time: ({ time }) => time,
  steps: ({ steps }) => steps,
  potential_rms: ({ potential }) => potential?.rms,
  potential_max: ({ potential }) => potential?.largest,
  acceleration_rms: ({ acceleration }) => acceleration?.rms,
  acceleration_max: ({ acceleration }) => acceleration?.largest,
  position_rms_cells: ({ positionCells }) => positionCells,
  energy_error: ({ energyError }) => energyError,
  energy_error_max: ({ largestEnergyError }) => largestEnergyError,
  momentum_error: ({ momentumError }) => momentumError,
  momentum_error_max: ({ largestMomentumError }) => largestMomentumError,
  step_ms: ({ millisecondsPerStep }) => millisecondsPerStep,
  particle_updates_per_second: ({ particleUpdatesPerSecond }) => particleUpdatesPerSecond,
  memory_bytes: ({ memoryBytes }) => memoryBytes,
};

/** compare.csv: a header, then a row a variant; empty fields where nothing was measured. */
export function comparisonCsv({ variants, varied }: Comparison): string {
  const stages = stagesOf(variants);
  const keys = Object.keys(varied);
  const header = ["variant", ...keys, ...Object.keys(COLUMNS), ...stages.map((stage) => `${stage}_ms`), "message"];
  const rows = variants.map((variant) => [
    variant.label,
    ...keys.map((key) => variant.settings[key]),
    ...Object.values(COLUMNS).map((value) => value(variant)),
    ...stages.map((stage) => stageTime(variant, stage)),
    variant.message,
  ]);
  return csvText(header, rows);
}
