/** The pictures of report.html: projected density at the snapshot times with scale bars and a colour key. */

import type { Reductions } from "../../physics/particles/reductions.ts";
import { galaxyNames } from "../../physics/particles/state.ts";
import { noteText, section } from "../page/html.ts";
import { html, type Markup, nothing } from "../page/markup.ts";
import { small } from "../page/numbers.ts";
import { densityRamp, evenlyPicked, picture } from "../page/picture-html.ts";
import { calm, commonStretch, densityPng, fittedStrips } from "../page/pictures.ts";
import { moment, type ReportData, type ReportGroup } from "./model.ts";
import { groupMap, type ReportView, shownOf, speciesOf, withMass } from "./particle-views.ts";

/** More pictures than MOST are thinned out evenly to FEWER, a page's worth; the first and the last always stay. */
const MOST_PICTURES = 16;
const FEWER_PICTURES = 12;

/** Section with a figure a snapshot; empty without snapshots. */
export function pictureSection(data: ReportData): Markup {
  const { units, shown } = data;
  if (data.snapshots.length === 0) return nothing;
  const all = data.snapshots.length;
  const picked = all <= MOST_PICTURES ? data.snapshots : evenlyPicked(data.snapshots, FEWER_PICTURES);
  const strips = fittedStrips(picked.flatMap(({ edgeOn }) => edgeOn ?? []));
  const snapshots = picked.map(({ time, faceOn, edgeOn }, i) => ({
    at: moment(data, time),
    faceOn: calm(faceOn),
    edgeOn: edgeOn && calm(strips[i]),
  }));
  const stretch = commonStretch(snapshots.map(({ faceOn }) => faceOn));
  const edgeStretch = commonStretch(snapshots.flatMap(({ edgeOn }) => edgeOn ?? []));
  const figures = snapshots.map(({ at, faceOn, edgeOn }) => {
    const seen = `Projected density of ${shown}${edgeOn ? ", face-on," : ""} at ${at}`;
    const face = picture(densityPng(faceOn, stretch), faceOn, seen, units);
    const edge = edgeOn ? picture(densityPng(edgeOn, edgeStretch), edgeOn, `The same, edge-on, at ${at}`) : nothing;
    return captioned(html`${face}${edge}`, at);
  });
  const edges = snapshots.some(({ edgeOn }) => edgeOn);
  const notes = [
    "The same scale and the same colours at all times, so that they can be compared.",
    edges &&
      stretch &&
      edgeStretch &&
      `The edge-on strips have their own, brightest at ${small(edgeStretch.ceiling / stretch.ceiling)} times the density.`,
    snapshots.some(({ faceOn }) => faceOn.quantum > 0) && "Smoothed where particles are few.",
    snapshots.length < all &&
      `${snapshots.length} of ${all} snapshots, evenly picked, to keep the page small; the result folder has them all.`,
  ];
  const key = stretch ? densityRamp(stretch, ` of ${shown}`, units) : nothing;
  return section(
    `Projected density${edges ? ", face-on and edge-on" : ""}`,
    gallery(columns(snapshots.length), [...figures, key]),
    noteText(notes.filter(Boolean).join(" ")),
  );
}

const captioned = (images: Markup, caption: string) =>
  html`<figure>${images}<figcaption><b>${caption}</b></figcaption></figure>`;

const gallery = (columns: number, parts: readonly Markup[]) =>
  html`<div class="pictures" style="--columns:${columns}">${parts}</div>`;

/** Columns of pictures on a wide page: rows as even as possible. */
function columns(pictures: number): number {
  if (pictures <= 4) return Math.max(2, pictures);
  const empty = (n: number) => (n - (pictures % n)) % n;
  return [4, 3, 5].reduce((best, n) => (empty(n) < empty(best) ? n : best));
}

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

export function groupSection(data: ReportData): Markup {
  const { groups = [], units, summary } = data;
  const last = data.diagnostics.at(-1)?.time ?? data.snapshots.at(-1)?.time;
  if (groups.length === 0 || last === undefined) return nothing;
  const figures = groups.map(({ name, map }) => {
    const smooth = calm(map);
    const png = densityPng(smooth, commonStretch([smooth]));
    return captioned(picture(png, smooth, `Projected density of ${name}`, units), name);
  });
  return section(
    "By galaxy and by species",
    gallery(Math.max(2, Math.min(4, figures.length)), figures),
    noteText(`Face-on after ${summary.steps} steps, ${moment(data, last)}; each with its own colours.`),
  );
}
