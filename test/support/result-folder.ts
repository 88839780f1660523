/** Runs on the CPU, and their result folders beside each other: everything in them but what a clock has measured. */
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { RunEvent } from "../../src/run/events.ts";
import { type Hdf5Dataset, loadHdf5 } from "../../src/run/io/hdf5.node.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { partOfName } from "../../src/run/io/snapshot-rows.ts";
import { isLockName } from "../../src/run/lock.ts";
import { type RunRequest, run } from "../../src/run/runner.ts";

/** The exit status of a run on the CPU. `look` sees its events, and may stop it. */
export async function runOnCpu(
  request: Partial<RunRequest>,
  look: (event: RunEvent, stop: () => void) => void = () => {},
): Promise<number> {
  const stop = new AbortController();
  const watch = (event: RunEvent) => look(event, () => stop.abort());
  return await run({ overrides: [], backend: "cpu", ...request }, watch, stop.signal);
}

/** The numbers of a data set of a file, and its extents. */
export async function dataSetOf(
  file: string,
  name: string,
): Promise<{ value: Float32Array | Float64Array; shape: number[] }> {
  const hdf5 = await loadHdf5();
  const open = new hdf5.File(file, "r");
  try {
    const { value, shape } = open.get(name) as Hdf5Dataset;
    return { value: value as Float32Array | Float64Array, shape: shape! };
  } finally {
    open.close();
  }
}

/** Of summary.json, what differs from run to run. */
const MEASURED = [
  ...["started", "finished", "resumes", "wallSeconds", "preparationSeconds", "stepSeconds", "outputSeconds"],
  ...["endSeconds", "stepsPerSecond", "particleUpdatesPerSecond", "stages"],
];

/** Name → content, or a digest of it; of HDF5 files, which carry their time of writing, what a reader finds in them. */
export async function contentsOfRun(folder: string): Promise<Record<string, unknown>> {
  const names = readdirSync(folder).filter((name) => name !== "checkpoint");
  const contents = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      // Any part of a set stands for all of it.
      if ((partOfName(name)?.part ?? 0) > 0) return "";
      if (name.startsWith("snapshot_")) {
        const { time, positions, velocities, masses } = await readSnapshot(file);
        return {
          time,
          ...Object.fromEntries(
            Object.entries({ positions, velocities, masses }).map(([k, v]) => [
              k,
              digestOf(new Uint8Array(v.buffer, v.byteOffset, v.byteLength)),
            ]),
          ),
        };
      }
      if (name.startsWith("subsample_")) return digestOf(new Uint8Array((await positionsIn(file)).buffer));
      if (["maps.hdf5", "phantom.hdf5", "bars.hdf5", "orbits.hdf5"].includes(name)) return mapsIn(file);
      if (name.endsWith(".hdf5")) return "";
      const text = readFileSync(file, "utf8");
      if (name === "summary.json") return unmeasured(JSON.parse(text));
      return name === "report.html" ? digestOf(withoutTimes(text)) : text;
    }),
  );
  return Object.fromEntries(names.map((name, i) => [name, contents[i]]));
}

const positionsIn = async (file: string) => (await readSnapshot(file, { need: "positions" })).positions;

/** Name → digest of each data set, and the attributes of it. */
async function mapsIn(file: string): Promise<Record<string, unknown>> {
  const hdf5 = await loadHdf5();
  const open = new hdf5.File(file, "r");
  try {
    return Object.fromEntries(
      open.keys().map((name) => {
        const { value, shape, attrs } = open.get(name) as Hdf5Dataset;
        const data = value as Float32Array | Float64Array;
        const digest = digestOf(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
        return [
          name,
          { shape, digest, ...Object.fromEntries(Object.entries(attrs).map(([key, a]) => [key, a.value])) },
        ];
      }),
    );
  } finally {
    open.close();
  }
}

function unmeasured(summary: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(summary).filter(([key]) => !MEASURED.includes(key)));
}

function withoutTimes(html: string): string {
  return html
    .replace(/<dt>(Wall time|Particle updates)<\/dt><dd>.*?<\/dd>/g, "")
    .replace(/<figure><figcaption><b>Time per stage<\/b>.*?<\/figure>/gs, "");
}

function digestOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** What a process leaves that is killed now: the folder as it is, but for the lock, which is this living process's. */
export function asKilled(folder: string, to: string): string {
  cpSync(folder, to, { recursive: true, filter: (file) => !isLockName(basename(file)) });
  return to;
}
