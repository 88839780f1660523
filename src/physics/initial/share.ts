/** Particles drawn in shares, each on another MPI rank, and checks of all from what was found of each share. */
import { type ErrorKind, GravmeshError } from "../../foundation/base/errors.ts";
import type { IdRange } from "../particles/reductions.ts";
import type { SourceBlock } from "../particles/source.ts";
import { BoxCheck, type Outside } from "./check.ts";
import { aboutParts, checkedBlocks, type DrawnParts, type InitialConditionsOptions, placedParts } from "./source.ts";
import type { DrawJob } from "./worker-pool.ts";

/** What was found of a share; plain data. */
export interface ShareReport {
  /** By the place of the component among those that have particles. */
  outside: { part: number; found: Outside }[];
  /** What ended the drawing, and in which component. */
  fault?: { part: number; kind: ErrorKind; message: string } | undefined;
}

/** Plain data from which any rank can draw any of the particles. */
export type DrawRecipe = Pick<DrawJob, "scenario" | "G">;

/** The recipe's components, set up anew. Throws where one can't be drawn here. */
export async function partsOfRecipe(
  { scenario, G }: DrawRecipe,
  means: Omit<InitialConditionsOptions, "G">,
): Promise<DrawnParts> {
  const options = { G, ...means };
  const { parts } = await placedParts(scenario, options);
  if (parts.some(({ particles }) => "blocks" in particles)) throw new Error("expected particles that are drawn");
  return { scenario, options, parts };
}

export function drawable({ scenario, options, parts }: DrawnParts) {
  return {
    ...aboutParts(parts),
    /** The blocks of these ids. It doesn't throw; what was found is in `report` after the last. */
    async *blocks(ids: IdRange, report: ShareReport): AsyncGenerator<SourceBlock> {
      const done = (part: (typeof parts)[number], check: BoxCheck) =>
        void report.outside.push({ part: parts.indexOf(part), found: check.found });
      const blocks = checkedBlocks(scenario, options, parts, { ids, done });
      try {
        for (;;) {
          const next = await blocks.next().catch((error: unknown) => {
            if (!(error instanceof GravmeshError)) throw error;
            const last = report.outside.at(-1)?.part ?? -1;
            const part = parts.findIndex(({ first, count }, at) => at > last && first + count > ids.first);
            report.fault = { part, kind: error.kind, message: error.message };
          });
          if (!next || next.done) return;
          yield next.value;
        }
      } finally {
        await blocks.return(undefined);
      }
    },
    /** Throws what one process would for all particles; `reports` in the order of ids. */
    requireSound(reports: readonly ShareReport[]): void {
      const faults = reports.flatMap(({ fault }) => fault ?? []);
      for (const [number, { component, first, count }] of parts.entries()) {
        const fault = faults.find(({ kind, part }) => kind === "aborted" || part === number);
        if (fault) throw new GravmeshError(fault.kind, fault.message);
        const found = reports.flatMap(({ outside }) => outside.filter(({ part }) => part === number));
        const check = new BoxCheck({ name: component.name, first, count }, component, scenario.box);
        for (const one of found) check.add(one.found);
        check.finish();
      }
    },
  };
}
