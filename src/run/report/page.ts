/** report.html: shows what ReportData holds, which outputs/report.ts makes from particles. */
import { bytesText } from "../../foundation/base/bytes.ts";
import { concernOf, concernText, energyErrorOnPage, worstRow } from "../page/concern.ts";
import {
  charts,
  computedOn,
  deckDetails,
  htmlTable,
  meshTile,
  remarks,
  section,
  type Tile,
  tiles,
} from "../page/html.ts";
import { type Markup, nothing } from "../page/markup.ts";
import { changeText, duration, large, shortNumber, thinGrouped } from "../page/numbers.ts";
import { pageHtml } from "../page/shell.ts";
import { momentOnPage, unit, withUnit } from "../page/units.ts";
import { type PairFigures, pairsText } from "../pair-figures.ts";
import { barSection } from "./bars.ts";
import { clusteringFigures } from "./clustering.ts";
import { cosmology } from "./cosmology.ts";
import { conservation, structure, timing } from "./curves.ts";
import { centreFigures, componentFigures, encounters, orbitFigures } from "./encounters.ts";
import { haloFigures } from "./haloes.ts";
import { lightConeFigures } from "./light-cone.ts";
import { moment, type ReportData } from "./model.ts";
import { groupSection, pictureSection } from "./pictures.ts";

const ENERGY = { energy: "Energy error", jacobi: "Error of Jacobi's integral", none: "Change of energy" };

function keyNumbers(data: ReportData): Markup {
  const { summary, diagnostics, units, direct } = data;
  const last = diagnostics.at(-1);
  const sum = direct && { label: "Direct summation", value: direct.integrator };
  const list: Tile[] = [
    { label: "Particles", value: thinGrouped(summary.particles) },
    sum
      ? { ...sum, more: `softening ${withUnit(shortNumber(direct.softening), units.length)}` }
      : meshTile(`${summary.cells}³`, data.boundary, data.boxSize, units),
    { label: "Steps", value: thinGrouped(summary.steps), more: last ? `to ${momentOnPage(last.time, units)}` : "" },
    { label: "Wall time", value: duration(summary.wallSeconds) },
    ...pairTile(summary.pairs, units),
    { label: "Particle updates", value: `${large(summary.particleUpdatesPerSecond)}/s` },
  ];
  if (last !== undefined) {
    const clock = data.comoving ? "comoving" : data.conserved === "none" ? "driven" : "static";
    const [error, largest] = [last, worstRow(diagnostics)!].map((row) => Math.abs(row.relativeEnergyError));
    const more = [concernText(largest, clock), `largest ${energyErrorOnPage(largest, clock)}`];
    list.push({
      ...{ label: ENERGY[data.conserved ?? "energy"], value: energyErrorOnPage(error, clock) },
      ...{ concern: concernOf(largest, clock), more: more.filter(Boolean).join("; ") },
    });
    if (data.boundary === "isolated" && !direct)
      list.push({ label: "Outside the mesh", value: thinGrouped(last.outside) });
  }
  return tiles([...list, computedOn(summary.backend, summary.adapter)]);
}

function pairTile(pairs: PairFigures | null | undefined, units: ReportData["units"]): Tile[] {
  if (!pairs) return [];
  const soft = `softening ${withUnit(shortNumber(pairs.softening), units.length)}, ${shortNumber(pairs.softeningCells)} cells`;
  return [{ label: "P³M", value: soft, more: pairsText(pairs) }];
}

function interruption({ interrupted, ...data }: ReportData): string {
  if (!interrupted) return "";
  const { time, resume } = interrupted;
  const steps = thinGrouped(data.summary.steps);
  return `Interrupted at ${moment(data, time)}, after ${steps} steps: this is the run so far. Go on with ${resume}`;
}

function levelsTable({ summary: { levels = [] }, units: { length } }: ReportData): Markup {
  if (levels.length === 0) return nothing;
  const rows = levels.map(({ name, cells, refinement, h, coreHalfWidth, share, followed, bytes }) => ({
    name,
    cells: [
      `${cells}³`,
      String(refinement),
      shortNumber(h),
      shortNumber(coreHalfWidth),
      `${shortNumber(100 * share)} %`,
      typeof followed === "number" ? `${shortNumber(100 * followed)} %` : "",
      bytesText(bytes),
    ],
  }));
  const heads = [
    "level",
    "cells",
    "refinement",
    `h${unit(length)}`,
    `core reaches${unit(length)}`,
    "particles",
    "of its own",
    "on a GPU",
  ];
  const note =
    "Side h of a level's cells, how far its core reaches from its centre along an axis, particles at the end that its force acts on, what its core then holds of those that it is around, what its meshes hold on a GPU.";
  return htmlTable({ heads, groups: [{ rows }], note });
}

function resolutionTable({ resolution = [], units: { length } }: ReportData): Markup {
  if (resolution.length === 0) return nothing;
  const rows = resolution.map(({ name, key, length: size, spacing, ratio, change }) => ({
    name: `${name}: ${key}`,
    cells: [shortNumber(size), shortNumber(spacing), shortNumber(ratio), changeText(change)],
  }));
  const heads = ["", unit(length).trim(), `${resolution[0].against} there${unit(length)}`, "ratio", "change"];
  const note =
    "Radii of 10 and 50 % of a component's mass and its height at the start, the cells, or the softening, that act there, and what these do to it within ten half-mass dynamical times.";
  return htmlTable({ heads, groups: [{ rows }], note });
}

export function reportHtml(data: ReportData): string {
  return pageHtml({
    ...{ heading: data.title, lead: interruption(data), reference: data.reference, expect: data.expect },
    parts: [
      keyNumbers(data),
      remarks(data.warnings ?? []),
      section("Resolution", resolutionTable(data)),
      section("Levels", levelsTable(data)),
      pictureSection(data),
      groupSection(data),
      section("Galaxies", charts(encounters(data))),
      barSection(data),
      section("Orbits", charts([...orbitFigures(data), ...centreFigures(data)])),
      section("Clustering", charts([...cosmology(data), ...clusteringFigures(data)])),
      section("Haloes", charts(haloFigures(data))),
      section("Light cone", charts(lightConeFigures(data))),
      section("Conservation and equilibrium", charts(conservation(data))),
      section("Structure and cost", charts([...structure(data), ...componentFigures(data), ...timing(data)])),
      deckDetails("The scenario as run", data.deck),
    ],
    versions: Object.entries(data.versions).map(([name, version]) => `${name} ${version}`),
  });
}
