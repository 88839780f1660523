/**
 * The galaxies of a run, so that each has profiles about its own centre: components that the deck puts at one place with
 * one velocity belong together. Of a galaxy with a disk, the disk is shown, of any other all of it.
 */

import { densityCentre } from "../../diagnostics/density-centre.ts";
import { isRigid } from "../../initial/components.ts";
import type { Reductions } from "../../particles/reductions.ts";
import type { ComponentRange } from "../../particles/state.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { profileRadius, type ReportView, withMass } from "./particle-views.ts";

/** More are no galaxies but stars; they are shown as a whole. */
const MOST = 6;

/** A view of each, `shown` being its name; none where there is but one, or no centre at all. */
export async function galaxyViews(initial: Reductions, scenario: Scenario, whole: ReportView): Promise<ReportView[]> {
  if (!whole.profiles) return [];
  const present = await withMass(initial);
  const groups = new Map<string, { names: string[]; ranges: ComponentRange[] }>();
  for (const { name, offset, velocity } of scenario.particles.filter((component) => !isRigid(component))) {
    const key = String([offset, velocity]);
    const group = groups.get(key) ?? { names: [], ranges: [] };
    group.names.push(name);
    group.ranges.push(...present.filter((range) => belongs(range, name)));
    groups.set(key, group);
  }
  const galaxies = [...groups.values()].filter(({ ranges }) => ranges.length > 0);
  if (galaxies.length < 2 || galaxies.length > MOST) return [];
  const views: ReportView[] = [];
  for (const { names, ranges } of galaxies) views.push(await viewOf(names.join(", "), ranges, initial, whole));
  return views;
}

/** A file's components keep their own names after that of its table. */
function belongs(range: ComponentRange, table: string): boolean {
  return range.name === table || range.name.startsWith(`${table} `);
}

async function viewOf(
  shown: string,
  all: readonly ComponentRange[],
  initial: Reductions,
  whole: ReportView,
): Promise<ReportView> {
  const disks = all.filter(({ species }) => species === "disk");
  const ranges = (disks.length > 0 ? disks : all).map(({ first, count }) => ({ first, count }));
  const view: ReportView = { ...whole, shown, ranges, disk: disks.length > 0, apart: true };
  const { centre } = await densityCentre(initial, ranges);
  return { ...view, radius: Math.min(whole.span / 2, await profileRadius(initial, centre, view)) };
}
