/** A study that is a table alone: its cases are measured one after the other on one engine and printed; nothing is written to files. */
import type { GpuContext } from "../foundation/gpu/context.ts";
import { runCases, type StudyEvent, type StudyRecord, waitingCase } from "./cases.ts";
import { isLeftOut, type LeftOut, type MeasurementContext } from "./spec.ts";

export interface TableContext extends Pick<MeasurementContext, "signal" | "progress"> {
  /** Without one in float64 on the CPU. */
  gpu: GpuContext | undefined;
}

export interface TableStudy<Case, Result> {
  cases: readonly Case[];
  label: (one: Case) => string;
  /** The result, or why it can't be measured here. */
  measure: (one: Case, context: TableContext) => Promise<Result | LeftOut>;
}

/** A failure is a warning, and the others are measured; an interruption keeps what there is. `each`: called with every result. */
export async function measureTable<Case, Result>(
  { cases, label, measure }: TableStudy<Case, Result>,
  { gpu, signal, watch }: Pick<TableContext, "gpu" | "signal"> & { watch: (event: StudyEvent<StudyRecord>) => void },
  each?: (result: Result) => void,
) {
  const waiting = cases.map((one, i) => waitingCase<unknown>({ key: `${i}`, label: label(one), parameters: {} }, null));
  const record: StudyRecord = { status: "interrupted", cases: waiting };
  const results: Result[] = [];
  const leftOut: string[] = [];
  await runCases({
    ...{ record, signal, watch, warning: ({ label, message }) => `${label} failed: ${message}` },
    make: async ({ label }, place) => {
      const progress = (fraction: number) => watch({ event: "progress", ...place, fraction });
      progress(0);
      const found = await measure(cases[place.index], { gpu, signal, progress });
      if (isLeftOut(found)) leftOut.push(`${label}: ${found.leftOut}`);
      else {
        results.push(found);
        each?.(found);
      }
    },
  });
  return { results, leftOut, status: record.status };
}
