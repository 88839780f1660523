/** The galaxies of a run over time: how far apart they are beside the orbit that they were set on, their paths, what stays about each. */
import type { Orbit } from "../../initial/field-orbit.ts";
import type { Encounter } from "../../initial/frames.ts";
import { apocentre } from "../../initial/kepler-orbit.ts";
import { type ChartSeries, lineChart, type Points } from "../../page/charts.ts";
import { seriesTone } from "../../page/colours.ts";
import { figure, type Key } from "../../page/html.ts";
import { shortNumber } from "../../page/numbers.ts";
import { timeAxis } from "../../page/run-figures.ts";
import { unit, withUnit } from "../../page/units.ts";
import { pairsOf } from "../outputs/galaxies.ts";
import { type ReportData, type ReportGalaxies, timeText } from "./model.ts";
import { reach } from "./orbits.ts";

/** Points of an orbit's curve, on each side of the pericentre. */
const ORBIT_POINTS = 100;

export function encounters(data: ReportData): string[] {
  const { history } = data;
  if (!history || history.rows.length < 2) return [];
  return [
    ...(history.rows[0].pairs.length > 0 ? [separationFigure(data, history)] : []),
    pathFigure(data, history),
    boundFigure(data, history),
    radiusFigure(data, history),
    ...virialFigure(data, history),
  ];
}

function separationFigure(data: ReportData, { names, rows, encounters, orbits }: ReportGalaxies): string {
  const { units } = data;
  const end = rows[rows.length - 1].time;
  const pairs = pairsOf(names.length);
  const measured = pairs.map(
    (_, p): ChartSeries => ({
      points: rows.map(({ time, pairs: found }) => [time, found[p].separation] as const),
      tone: seriesTone(p),
    }),
  );
  const set = encounters.flatMap((one, i): ChartSeries[] => {
    const orbit = orbits[i];
    if (!orbit) return [];
    const points = orbitCurve(one, orbit, end).map(([time, r]) => [time, r] as const);
    return [{ points, tone: "muted", dashed: true }];
  });
  const actual = encounters.some(({ field }) => field === "actual");
  const rigid = actual ? "the orbit of galaxies that keep their shape, without friction" : "two points of their masses";
  const text = ([i, k]: [number, number]) => `${names[i]} – ${names[k]}`;
  const keys: Key[] = [
    ...pairs.map((pair, p) => ({ tone: seriesTone(p), text: text(pair) })),
    ...(set.length > 0 ? [{ tone: "muted" as const, dashed: true, text: rigid }] : []),
  ];
  const about = encounters.map(({ name, of, pericentre, eccentricity, masses, untilPericentre }) => {
    const [q, m, M] = [pericentre, ...masses].map((x) => shortNumber(x));
    const when = untilPericentre === null ? "" : ` at t = ${timeText(data, untilPericentre)}`;
    const until = `pericentre ${withUnit(q, units.length)}${when}`;
    return `${name} about ${of}: masses ${m} and ${withUnit(M, units.mass)}, e = ${shortNumber(eccentricity)}, ${until}.`;
  });
  return figure({
    ...{ title: "Separation", keys, note: about.join(" ") },
    svg: lineChart({
      description: "Separation of the galaxies' density centres against time, beside the orbit that they were set on",
      x: timeAxis(units),
      y: { label: `Separation${unit(units.length)}`, domain: [0, 0] },
      series: [...set, ...measured],
    }),
  });
}

/** Separation against time, from the start through the pericentre to the end or the next apocentre. */
export function orbitCurve(encounter: Encounter, orbit: Orbit, end: number): Points {
  const { separation, pericentre } = encounter;
  const until = (r: number) => orbit.at(r).untilPericentre;
  const first = until(separation);
  const grid = (far: number) =>
    Array.from({ length: ORBIT_POINTS + 1 }, (_, k) => pericentre + (far - pericentre) * (k / ORBIT_POINTS) ** 2);
  const inwards = grid(separation).map((r) => [first - until(r), r] as const);
  // Twice as far as it could fall in the time that is left, at the least.
  let far = Math.min(apocentre(encounter), separation);
  while (far < apocentre(encounter) && first + until(far) < end) far = Math.min(apocentre(encounter), 1.3 * far);
  const outwards = grid(far).map((r) => [first + until(r), r] as const);
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
  const most = reach(series.flatMap(({ points }) => points.flat()));
  const starts = series.map(
    (one): ChartSeries => ({ ...one, points: one.points.slice(0, 1), marks: "dot", line: false }),
  );
  return figure({
    title: "Paths",
    keys: names.map((text, g) => ({ tone: seriesTone(g), text })),
    svg: lineChart({
      description: "Paths of the galaxies' density centres in the x-y plane, from the dot on",
      x: { label: `x${unit(units.length)}`, domain: [-most, most] },
      y: { label: `y${unit(units.length)}`, domain: [-most, most] },
      equal: true,
      series: [...series, ...starts],
    }),
    note: "Density centres from the middle of the box; the dots are the start.",
  });
}

function boundFigure({ units }: ReportData, { names, rows }: ReportGalaxies): string {
  const at = (of: number, g: number) => rows[0].galaxies[g].within[of];
  const curve = (g: number, of: 0 | 1) =>
    rows.map(({ time, galaxies }) => [time, galaxies[g].within[of] / at(of, g)] as const);
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
        points: rows.map(({ time, galaxies }) => [time, galaxies[g].radii[1]] as const),
        tone: seriesTone(g),
      })),
    }),
  });
}

/** None of a run that an earlier version began, or on the comoving clock. */
function virialFigure({ units }: ReportData, { names, rows }: ReportGalaxies): string[] {
  if (!rows.some(({ galaxies }) => galaxies.some(({ virial }) => Number.isFinite(virial)))) return [];
  return [
    figure({
      title: "Virial ratio of each",
      keys: names.map((text, g) => ({ tone: seriesTone(g), text })),
      svg: lineChart({
        description: "Virial ratio of each galaxy in its own frame against time; 1 in equilibrium",
        x: timeAxis(units),
        y: { label: "2K′ / |Σ m a·(x − x̄)|", domain: [0.95, 1.05] },
        rules: [{ at: 1 }],
        series: names.map((_, g) => ({
          points: rows.map(({ time, galaxies }) => [time, galaxies[g].virial] as const),
          tone: seriesTone(g),
        })),
      }),
      note: "Of all of a galaxy’s own particles about their centre of mass and mean velocity, in the field of all there is.",
    }),
  ];
}
