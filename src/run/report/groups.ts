/** Pictures of the last state by galaxy and by species, each by itself, where there are several. */
import { escapeHtml } from "../../page/escape.ts";
import { noteText, section } from "../../page/html.ts";
import { picture } from "../../page/picture-html.ts";
import { calm, commonStretch, densityPng } from "../../page/pictures.ts";
import type { Reductions } from "../../particles/reductions.ts";
import { galaxyNames } from "../../particles/state.ts";
import { moment, type ReportData, type ReportGroup } from "./model.ts";
import { groupMap, type ReportView, shownOf, speciesOf, withMass } from "./particle-views.ts";

/** More galaxies are too many to be told apart. */
const MOST = 6;

export async function reportGroups(particles: Reductions, view: ReportView): Promise<ReportGroup[]> {
  const components = await withMass(particles);
  const galaxies = galaxyNames(components).map((galaxy) => {
    // Without the halo, where there is a disk that it would veil.
    const { ranges, shown } = shownOf(components.filter((one) => one.galaxy === galaxy));
    return { name: shown === "all particles" ? galaxy : `${galaxy}, ${shown}`, ranges };
  });
  const groups = [...(galaxies.length > 1 && galaxies.length <= MOST ? galaxies : []), ...speciesOf(components)];
  const found: ReportGroup[] = [];
  for (const { name, ranges } of view.profiles ? groups : []) {
    found.push({ name, map: await groupMap(particles, ranges, view) });
  }
  return found;
}

/** Empty without groups. */
export function groupSection(data: ReportData): string {
  const { groups = [], units, summary } = data;
  const last = data.snapshots.at(-1)?.time ?? data.diagnostics.at(-1)?.time;
  if (groups.length === 0 || last === undefined) return "";
  const figures = groups.map(({ name, map }) => {
    const smooth = calm(map);
    const image = picture(densityPng(smooth, commonStretch([smooth])), smooth, `Projected density of ${name}`, units);
    return `<figure>${image}<figcaption><b>${escapeHtml(name)}</b></figcaption></figure>`;
  });
  const columns = Math.max(2, Math.min(4, figures.length));
  return section(
    "By galaxy and by species",
    `<div class="pictures" style="--columns:${columns}">${figures.join("")}</div>`,
    noteText(
      `Face-on after ${summary.steps} steps, ${moment(data, data.diagnostics.at(-1)?.time ?? last)}; each with its own colours.`,
    ),
  );
}
