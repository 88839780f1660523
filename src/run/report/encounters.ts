/** The galaxies of a run over time: how far apart they are beside the Kepler orbit, their paths, what stays about each. */
import type { Encounter } from "../../initial/frames.ts";
import { apocentre, incoming } from "../../initial/kepler-orbit.ts";
import { type ChartSeries, lineChart, type Points } from "../../page/charts.ts";
import { seriesTone } from "../../page/colours.ts";
import { figure, type Key } from "../../page/html.ts";
import { shortNumber } from "../../page/numbers.ts";
import { timeAxis } from "../../page/run-figures.ts";
import { unit, withUnit } from "../../page/units.ts";
import { pairsOf } from "../outputs/galaxies.ts";
import { type ReportData, type ReportGalaxies, timeText } from "./model.ts";

/** Points of a Kepler curve, on each side of the pericentre. */
const KEPLER_POINTS = 200;

export function encounters(data: ReportData): string[] {
  const { history } = data;
  if (!history || history.rows.length < 2) return [];
  return [
    ...(history.rows[0].pairs.length > 0 ? [separationFigure(data, history)] : []),
    pathFigure(data, history),
    boundFigure(data, history),
    radiusFigure(data, history),
  ];
}

function separationFigure(data: ReportData, { names, rows, encounters, G }: ReportGalaxies): string {
  const { units } = data;
  const end = rows[rows.length - 1].time;
  const pairs = pairsOf(names.length);
  const measured = pairs.map(
    (_, p): ChartSeries => ({
      points: rows.map(({ time, pairs: found }) => [time * units.timeFactor, found[p].separation] as const),
      tone: seriesTone(p),
    }),
  );
  const kepler = encounters.map((one): ChartSeries => {
    const points = keplerCurve(one, G, end).map(([time, r]) => [time * units.timeFactor, r] as const);
    return { points, tone: "muted", dashed: true };
  });
  const text = ([i, k]: [number, number]) => `${names[i]} – ${names[k]}`;
  const keys: Key[] = [
    ...pairs.map((pair, p) => ({ tone: seriesTone(p), text: text(pair) })),
    ...(kepler.length > 0 ? [{ tone: "muted" as const, dashed: true, text: "two points of their masses" }] : []),
  ];
  const about = encounters.map(({ name, of, pericentre, eccentricity, masses, untilPericentre }) => {
    const [q, m, M] = [pericentre, ...masses].map((x) => shortNumber(x));
    const until = `pericentre ${withUnit(q, units.length)} at t = ${timeText(data, untilPericentre)}`;
    return `${name} about ${of}: masses ${m} and ${withUnit(M, units.mass)}, e = ${shortNumber(eccentricity)}, ${until}.`;
  });
  return figure({
    ...{ title: "Separation", keys, note: about.join(" ") },
    svg: lineChart({
      description: "Separation of the galaxies' density centres against time, beside the Kepler orbit",
      x: timeAxis(units),
      y: { label: `Separation${unit(units.length)}`, domain: [0, 0] },
      series: [...kepler, ...measured],
    }),
  });
}

/** Separation of two points against time, from the start through the pericentre to the end or the next apocentre. */
export function keplerCurve(encounter: Encounter, G: number, end: number): Points {
  const { separation, pericentre, untilPericentre, masses, held } = encounter;
  const mu = G * (held ? masses[1] : masses[0] + masses[1]);
  const until = (r: number) => incoming(encounter, r, mu).untilPericentre;
  const grid = (far: number) =>
    Array.from({ length: KEPLER_POINTS + 1 }, (_, k) => pericentre + (far - pericentre) * (k / KEPLER_POINTS) ** 2);
  const inwards = grid(separation).map((r) => [untilPericentre - until(r), r] as const);
  // Twice as far as it could fall in the time that is left, at the least.
  let far = Math.min(apocentre(encounter), separation);
  while (far < apocentre(encounter) && untilPericentre + until(far) < end)
    far = Math.min(apocentre(encounter), 1.3 * far);
  const outwards = grid(far).map((r) => [untilPericentre + until(r), r] as const);
  return [...inwards.reverse(), ...outwards.slice(1)].filter(([time]) => time <= end);
}

function pathFigure({ units, boxSize }: ReportData, { names, rows }: ReportGalaxies): string {
  const half = boxSize / 2;
  const series = names.map(
    (_, g): ChartSeries => ({
      points: rows.map(({ galaxies }) => [galaxies[g].centre[0] - half, galaxies[g].centre[1] - half] as const),
      tone: seriesTone(g),
    }),
  );
  const reach =
    1.1 * Math.max(...series.flatMap(({ points }) => points.flatMap(([x, y]) => [Math.abs(x), Math.abs(y)])));
  const starts = series.map(
    (one): ChartSeries => ({ ...one, points: one.points.slice(0, 1), marks: "dot", line: false }),
  );
  return figure({
    title: "Paths",
    keys: names.map((text, g) => ({ tone: seriesTone(g), text })),
    svg: lineChart({
      description: "Paths of the galaxies' density centres in the x-y plane, from the dot on",
      ...{ width: 400, height: 380 },
      x: { label: `x${unit(units.length)}`, domain: [-reach, reach] },
      y: { label: `y${unit(units.length)}`, domain: [-reach, reach] },
      series: [...series, ...starts],
    }),
    note: "Density centres from the middle of the box; the dots are the start.",
  });
}

function boundFigure({ units }: ReportData, { names, rows }: ReportGalaxies): string {
  const at = (of: number, g: number) => rows[0].galaxies[g].within[of];
  const curve = (g: number, of: 0 | 1) =>
    rows.map(({ time, galaxies }) => [time * units.timeFactor, galaxies[g].within[of] / at(of, g)] as const);
  return figure({
    title: "Mass that stays",
    keys: names.map((text, g) => ({ tone: seriesTone(g), text })),
    svg: lineChart({
      description: "Mass of each galaxy within the radii that held 90 and 50 per cent of it at the start, against time",
      x: timeAxis(units),
      y: { label: "Share of the mass there at first", domain: [0, 0] },
      series: names.flatMap((_, g): ChartSeries[] => [
        { points: curve(g, 1), tone: seriesTone(g) },
        { points: curve(g, 0), tone: seriesTone(g), dashed: true },
      ]),
    }),
    note: "Of each galaxy's own particles, within the radius that held 90 % of them at the start, dashed 50 %.",
  });
}

function radiusFigure({ units }: ReportData, { names, rows }: ReportGalaxies): string {
  return figure({
    title: "Half-mass radii",
    keys: names.map((text, g) => ({ tone: seriesTone(g), text })),
    svg: lineChart({
      description: "Radius about its density centre that holds half of a galaxy's particles by mass, against time",
      x: timeAxis(units),
      y: { label: `r${unit(units.length)}`, scale: "log" },
      series: names.map((_, g) => ({
        points: rows.map(({ time, galaxies }) => [time * units.timeFactor, galaxies[g].radii[1]] as const),
        tone: seriesTone(g),
      })),
    }),
  });
}
