/**
 * What a run of a deck would write, when, and about how many bytes of the disk it takes: snapshots, subsamples, maps, rows and
 * checkpoints; what depends on what is found (haloes, spectra, orbits of chosen particles) is left out of the bytes.
 */

import type { OutputKind } from "../engine/time/schedule.ts";
import { massesDiffer } from "../physics/initial/components.ts";
import type { ParticleColumn } from "../physics/particles/blocks.ts";
import { gridNumbers } from "./fields.ts";
import type { Scenario } from "./scenario.ts";
import { scheduleOf } from "./timetables.ts";

export interface OutputPlan {
  what: OutputKind | "checkpoint";
  /** How often; of checkpoints the generations that are kept. */
  count: number;
  /** The first and the last [time]; of checkpoints none. */
  from: number | null;
  to: number | null;
  /** Size of all of them together, at most [bytes]. */
  bytes: number;
}

/** What a particle takes in a file [bytes]; run/io/snapshot-columns.node.ts. */
const FIELD_BYTES: Record<ParticleColumn, number> = {
  ...{ positions: 24, velocities: 12, ids: 4, masses: 8, potential: 4, accelerations: 12 },
};
/** The same of velocities of a direct sum, which keeps all digits. */
const DIRECT_VELOCITIES = 24;
/** A row of diagnostics.csv, and of bars.csv. */
const ROW_BYTES = 350;
/** What a particle takes in a checkpoint (docs/large-runs.md), in an isolated box and between two steps, and in a direct sum. */
const CHECKPOINT_BYTES = { mesh: 24, isolated: 4, midStep: 12, direct: 128 };
/** Two are kept, and a third lies beside them while it is written. */
const CHECKPOINTS = 3;
const PIXEL_BYTES = 4;

/** `components`: how many there are. */
export function outputPlan(
  scenario: Scenario,
  { count, components }: { count: number; components: number },
): OutputPlan[] {
  const { outputs } = scheduleOf(scenario);
  const { output, subsample, maps, fields } = scenario;
  const pixels = maps.axes.length * maps.width * maps.height * (maps.by === "all" ? 1 : components);
  const each: Record<OutputKind, number> = {
    snapshot: count * rowBytes(output.fields, scenario),
    subsample: subsample.every > 0 ? Math.ceil(count / subsample.every) * rowBytes(subsample.fields, scenario) : 0,
    ...{ maps: pixels * PIXEL_BYTES, diagnostics: ROW_BYTES, bars: ROW_BYTES, haloes: 0 },
    fields: fields.formats.length * gridNumbers(fields.of) * fields.cells ** 3 * PIXEL_BYTES,
  };
  const planned = Object.entries(each).flatMap(([kind, bytes]): OutputPlan[] => {
    const what = kind as OutputKind;
    const due = outputs.filter((one) => one[what]);
    if (due.length === 0) return [];
    return [{ what, count: due.length, from: due[0].time, to: due[due.length - 1].time, bytes: due.length * bytes }];
  });
  const { mesh, isolated, midStep, direct } = CHECKPOINT_BYTES;
  const onMesh = mesh + midStep + (scenario.box.boundary === "isolated" ? isolated : 0);
  const bytes = CHECKPOINTS * count * (scenario.gravity === "direct" ? direct : onMesh);
  return [...planned, { what: "checkpoint", count: CHECKPOINTS, from: null, to: null, bytes }];
}

function rowBytes(fields: readonly ParticleColumn[], scenario: Scenario): number {
  const bytes = (field: ParticleColumn) => {
    if (field === "velocities" && scenario.gravity === "direct") return DIRECT_VELOCITIES;
    return field === "masses" && !massesDiffer(scenario) ? 0 : FIELD_BYTES[field];
  };
  return fields.reduce((sum, field) => sum + bytes(field), 0);
}
