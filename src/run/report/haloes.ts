/** The Haloes section of report.html: the tree of the heaviest one, growth of the heaviest, mass function of spheres. */
import { ascending, descending, group, max, sum } from "d3-array";
import type { TreeHalo } from "../../engine/diagnostics/halo-trees.ts";
import type { HaloHistory } from "../outputs/halo-catalogues.ts";
import { cssColour, seriesTone, type Tone } from "../page/colours.ts";
import { figure, lineFigure } from "../page/html.ts";
import { html, type Markup } from "../page/markup.ts";
import { shortNumber, thinGrouped } from "../page/numbers.ts";
import { unit, withUnit } from "../page/units.ts";
import { massFunctionFigure } from "./cosmology.ts";
import { moment, type ReportData } from "./model.ts";

export function haloFigures(data: ReportData): Markup[] {
  const { haloHistory: history } = data;
  const last = history?.trees.filter(({ output }) => output === history.times.length - 1) ?? [];
  if (!history || last.length === 0) return [];
  const comparison = history.massFunction;
  return [
    history.times.length > 1 && treeFigure(data, history, last[0]),
    history.times.length > 1 && growthFigure(data, history, last),
    comparison.length > 0 &&
      massFunctionFigure(data, {
        title: `Mass function of spheres, ${NAMES[history.definition]}`,
        about: `${thinGrouped(last.length)} haloes at ${moment(data, last[0].scaleFactor)}`,
        rows: comparison,
        theory: [{ of: ({ tinker }) => tinker, tone: "second", text: "Tinker 2008" }],
        leastMass: last.at(-1)!.mass,
        leastText: "lightest",
      }),
  ].flatMap((one) => one || []);
}

const NAMES = { vir: "virial", "200m": "200 × mean", "200c": "200 × critical", "500c": "500 × critical" };
/** Growing haloes in a chart, and branches of a tree, the heaviest. */
const MOST_CURVES = 7;
const MOST_BRANCHES = 30;

function growthFigure(data: ReportData, { trees }: HaloHistory, last: readonly TreeHalo[]): Markup {
  const branchOf = (halo: TreeHalo): TreeHalo[] => {
    const { mainProgenitor } = halo;
    return mainProgenitor ? [...branchOf(mainProgenitor), halo] : [halo];
  };
  const shown = last.slice(0, MOST_CURVES);
  const merged = sum(trees, ({ mergers }) => mergers);
  return lineFigure({
    title: "Growth of the heaviest",
    about: `main branches of ${shown.length} of ${thinGrouped(last.length)} haloes; ${thinGrouped(merged)} mergers in all`,
    description: "Mass of the main progenitors of the heaviest haloes against the scale factor",
    x: { label: "scale factor" },
    y: { label: `M${unit(data.units.mass)}`, scale: "log" },
    series: shown.map((halo, i) => ({
      points: branchOf(halo).map(({ scaleFactor, mass }) => [scaleFactor, mass] as const),
      tone: seriesTone(i),
    })),
  });
}

/** A halo and its main progenitors, the latest first, and the branches that merge into them, the earliest to do so first. */
interface Branch {
  line: TreeHalo[];
  into: TreeHalo | undefined;
  joining: Branch[];
}

function branchOf(halo: TreeHalo, progenitors: ReadonlyMap<TreeHalo | undefined, TreeHalo[]>, least: number): Branch {
  const line: TreeHalo[] = [];
  for (let one: TreeHalo | undefined = halo; one; one = one.mainProgenitor) line.push(one);
  const joining = line
    .flatMap((one) =>
      (progenitors.get(one) ?? []).filter((other) => other !== one.mainProgenitor && other.mass >= least),
    )
    .map((one) => branchOf(one, progenitors, least))
    .sort((a, b) => ascending(a.into!.output, b.into!.output) || descending(a.line[0].mass, b.line[0].mass));
  return { line, into: halo.descendant, joining };
}

/** Columns of the branches: those that end first are next to what they join, so that no lines cross; `side`: −1 or 1. */
function columnsOf(branch: Branch, column: number, side: number, place: (branch: Branch, column: number) => void) {
  place(branch, column);
  let next = column + side;
  for (const one of branch.joining) next = columnsOf(one, next, side, place);
  return next;
}

const [WIDTH, LEFT, TOP, LEAST_ROW, MOST_ROW, TALLEST] = [400, 66, 16, 9, 40, 560];
const [LARGEST_DOT, SMALLEST_DOT] = [13, 1];
const MAJOR = 0.25;

function treeFigure(data: ReportData, { trees, times }: HaloHistory, root: TreeHalo): Markup {
  const progenitors = group(trees, ({ descendant }) => descendant);
  const own = trees.filter((one) => one.root === root.root && one.descendant);
  const merging = own.filter((one) => one.descendant!.mainProgenitor !== one).sort((a, b) => b.mass - a.mass);
  const least = merging[MOST_BRANCHES - 1]?.mass ?? 0;
  const main = branchOf(root, progenitors, least);
  const columns = new Map<Branch, number>([[main, 0]]);
  const place = (branch: Branch, column: number) => columns.set(branch, column);
  let [left, right] = [-1, 1];
  for (const one of main.joining) {
    if (right <= -left) right = columnsOf(one, right, 1, place);
    else left = columnsOf(one, left, -1, place);
  }
  const first = Math.min(...[...columns.keys()].flatMap(({ line }) => line.map(({ output }) => output)));
  const rows = times.length - first;
  const row = Math.max(LEAST_ROW, Math.min(MOST_ROW, TALLEST / rows));
  const across = Math.min(30, (WIDTH - LEFT - 2 * LARGEST_DOT) / Math.max(1, right - left - 2));
  const middle = LEFT + LARGEST_DOT + across * (-left - 1);
  const x = (column: number) => middle + across * column;
  const y = (output: number) => TOP + row * (output - first);
  const most = max(main.line, ({ mass }) => mass)!;
  const dot = (halo: TreeHalo) => Math.max(SMALLEST_DOT, Math.min(LARGEST_DOT, row) * Math.cbrt(halo.mass / most));
  const placed = new Map([...columns].flatMap(([{ line }, column]) => line.map((one) => [one, column] as const)));
  const drawn = [...columns].map(([branch, column]) => {
    const { line, into } = branch;
    const major = into && line[0].mass >= MAJOR * into.mainProgenitor!.mass;
    const tone: Tone = branch === main ? "accent" : major ? "second" : "muted";
    const joined = into && placed.has(into) ? [into, ...line] : line;
    const way = joined.map((one) => `${x(placed.get(one)!).toFixed(1)} ${y(one.output).toFixed(1)}`).join("L");
    const dots = line.map(
      (one) => html`<circle cx="${x(column).toFixed(1)}" cy="${y(one.output).toFixed(1)}" r="${dot(one).toFixed(1)}"/>`,
    );
    return html`<path class="curve s-${tone}" d="M${way}"/><g style="fill:${cssColour(tone)}">${dots}</g>`;
  });
  const every = Math.ceil(14 / row);
  const labels = times.flatMap((time, output) => {
    const shown = output >= first && (times.length - 1 - output) % every === 0;
    return shown ? html`<text x="0" y="${y(output).toFixed(1)}" dy=".35em">${moment(data, time)}</text>` : [];
  });
  const height = TOP + row * (rows - 1) + LARGEST_DOT + 4;
  const about = `${withUnit(shortNumber(root.mass), data.units.mass)} at the end, ${thinGrouped(merging.length)} mergers`;
  const description = `Merger tree of the heaviest halo, from its first progenitors above to the end below: ${about}`;
  return figure({
    title: "Merger tree of the heaviest halo",
    keys: [
      { tone: "accent", text: "main branch" },
      { tone: "second", text: "major mergers" },
      { tone: "muted", text: "minor ones" },
    ],
    svg: html`<svg class="chart" viewBox="0 0 ${WIDTH} ${height.toFixed(0)}" role="img" aria-label="${description}">${drawn.toReversed()}${labels}</svg>`,
    note: `${about}${merging.length > MOST_BRANCHES ? `, of which the ${MOST_BRANCHES} heaviest are drawn` : ""}. Volumes of the spheres are as the masses; a major merger has a quarter of the mass or more.`,
  });
}
