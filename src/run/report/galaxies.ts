/** Galaxies of the deck, or components at one place, each with profiles about its centre, of its disk if it has one. */
import { densityCentre } from "../../engine/diagnostics/density-centre.ts";
import { galaxiesOf } from "../../engine/diagnostics/galaxies.ts";
import { isRigid } from "../../physics/initial/components.ts";
import { orientation } from "../../physics/initial/frames.ts";
import { turnedInto } from "../../physics/particles/harmonics.ts";
import type { Reductions, Vector } from "../../physics/particles/reductions.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { belongs } from "../encounters.ts";
import { idRanges, profileRadius, type ReportView, speciesViews, withMass } from "./particle-views.ts";

/** More are no galaxies but stars; they are shown as a whole. */
const MOST = 6;

interface Group {
  name: string;
  ranges: ComponentRange[];
  normal?: Vector;
}

/** A view of each, `shown` being its name; none where there is but one, or no centre at all. */
export async function galaxyViews(initial: Reductions, scenario: Scenario, whole: ReportView): Promise<ReportView[]> {
  if (!whole.profiles) return [];
  const present = await withMass(initial);
  const named = namedGroups(present, scenario);
  const found = named.length > 0 ? named : groupsByPlace(present, scenario);
  const groups = found.filter(({ ranges }) => ranges.length > 0);
  if (groups.length < 2 || groups.length > MOST) return [];
  const views: ReportView[] = [];
  for (const group of groups) views.push(await viewOf(group, initial, whole, scenario));
  return views;
}

/** The galaxies that particles know they belong to. */
function namedGroups(components: readonly ComponentRange[], { galaxy: galaxies }: Scenario): Group[] {
  return galaxiesOf(components).map(({ name }) => {
    const own = galaxies.find((one) => one.name === name);
    const ranges = components.filter(({ galaxy, count }) => galaxy === name && count > 0);
    return { name, ranges, ...(own && { normal: turnedInto(orientation(own, galaxies), 0, 0, 1) }) };
  });
}

function groupsByPlace(components: readonly ComponentRange[], { particles }: Scenario): Group[] {
  const groups = new Map<string, { names: string[]; ranges: ComponentRange[] }>();
  for (const { name, offset, velocity } of particles.filter((component) => !isRigid(component))) {
    const key = String([offset, velocity]);
    const group = groups.get(key) ?? { names: [], ranges: [] };
    group.names.push(name);
    group.ranges.push(...components.filter((range) => range.count > 0 && belongs(range, name)));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ names, ranges }) => ({ name: names.join(", "), ranges }));
}

async function viewOf(
  { name: shown, ranges: all, normal }: Group,
  initial: Reductions,
  whole: ReportView,
  scenario: Scenario,
) {
  const disks = all.filter(({ species }) => species === "disk");
  const disk = disks.length > 0;
  const ranges = idRanges(disk ? disks : all);
  const tilted = disk && normal && normal[2] !== 1;
  const { centre } = await densityCentre(initial, ranges);
  // A tilted disk has no radius in the x-y plane.
  const far = await profileRadius(initial, centre, scenario.box, { disk: disk && !tilted, ranges });
  const species = await speciesViews(initial, centre, all, scenario);
  const radius = Math.min(whole.span / 2, far);
  return { ...whole, shown, ranges, disk, apart: true, ...(tilted && { normal }), radius, species };
}
