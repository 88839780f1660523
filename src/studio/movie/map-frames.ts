/** Frames from maps.hdf5, the projected densities that a run has written while it ran. */

import { join } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { MapAxis } from "../../physics/particles/reductions.ts";
import { type ReadMap, type ReadMaps, readMapFile } from "../../run/io/map-file.node.ts";
import { MAPS_FILE } from "../../run/outputs/maps.ts";
import { timeUnitOf, unitLabels } from "../../run/page/units.ts";
import { coreEdges } from "../view/cores.ts";
import { type FrameSource, type FramesRequest, type SourcePanel, VIEW_ANGLES, VIEW_NAMES, VIEWS } from "./frames.ts";

const viewOf = (axis: MapAxis) => VIEW_NAMES.find((name) => VIEWS[name] === axis)!;

/** Where the file lacks what is asked for, why; "usage" is thrown where it is `required`, "input" where it can't be read. */
export async function mapFrames(
  folder: string,
  request: FramesRequest,
  required: boolean,
): Promise<FrameSource | string> {
  const path = join(folder, MAPS_FILE);
  const file = await readMapFile(path);
  const { title, system, comoving, times, width, height, maps } = file;
  const { by } = request;
  if (times.length === 0) {
    throw new GravmeshError("input", `${path}: none of its maps has been written yet. Wait for the run, or resume it.`);
  }
  const shown = by === undefined || by === file.by ? shownMaps(maps, request) : [];
  if (shown.length === 0) {
    const why = lacking(path, file, by);
    if (required) throw new GravmeshError("usage", `${why}, or take --from snapshots.`);
    return why;
  }
  const axes = VIEW_NAMES.map((name) => VIEWS[name]).filter((axis) => shown.some((map) => map.axis === axis));
  const groups = [...new Set(shown.map(({ group }) => group))];
  const panels = shown.map(({ axis, group, span, components, particleMass }): SourcePanel => {
    const of = groups.length > 1 ? (group ?? "all") : components;
    return {
      ...{ row: axes.indexOf(axis), column: groups.indexOf(group), label: `${viewOf(axis)}, ${of}` },
      ...{ width, height, span, edgeOn: axis !== "z" },
      quantum: particleMass / (span / width) ** 2,
    };
  });
  return {
    ...{ from: "maps", title, times, panels },
    units: unitLabels(system),
    timeUnit: timeUnitOf(system, comoving ? "comoving" : "static"),
    maps: async (frame) => {
      const values = await file.read(frame, shown);
      return values.map((one) => ({ values: one, width, height }));
    },
    levels: async (frame) => {
      const { cores, centres, period } = await file.levels(frame, shown);
      const seen = shown.map(({ axis }, i) => ({ ...VIEW_ANGLES[viewOf(axis)], centre: centres[i], period }));
      return { cores, edges: seen.map((view) => coreEdges(cores, view)) };
    },
  };
}

const inOrder = (maps: readonly ReadMap[]) =>
  VIEW_NAMES.flatMap((name) => maps.filter(({ axis }) => axis === VIEWS[name]).sort((a, b) => a.column - b.column));

/** The maps that are asked for, view by view; none where some of it is missing. */
function shownMaps(maps: readonly ReadMap[], { views, only, by }: FramesRequest): ReadMap[] {
  const groups = new Set(maps.map(({ group }) => group));
  const grouped = by !== undefined || only !== undefined;
  const wanted = (group: string | undefined) => {
    if (!grouped) return groups.has(undefined) ? group === undefined : true;
    return only ? group !== undefined && only.includes(group) : group !== undefined;
  };
  const found = inOrder(maps).filter(
    ({ axis, group }) => wanted(group) && (views === undefined || views.some((name) => VIEWS[name] === axis)),
  );
  const lacks =
    views?.some((name) => !found.some(({ axis }) => axis === VIEWS[name])) ||
    only?.some((name) => !found.some(({ group }) => group === name));
  return lacks ? [] : found;
}

function lacking(path: string, { maps, by: written }: ReadMaps, by: FramesRequest["by"]): string {
  const has = inOrder(maps).map(({ axis, group }) => [viewOf(axis), ...(group ? [group] : [])].join(" of "));
  const found = `${path}: expected maps of what is to be shown, found ${has.join(", ")}`;
  const other =
    by === undefined || by === written
      ? "Other maps want a new run, with maps.axes and maps.by"
      : `They were written with maps.by="${written}": --by ${by} wants a new run, with maps.by="${by}"`;
  return `${found}. ${other}`;
}
