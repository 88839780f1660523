/** The galaxies of a run over time: their separation, compared with the orbit that they were set on, their paths, what stays about each. */
import { apocentre, type Orbit } from "../../physics/initial/field-orbit.ts";
import type { Encounter } from "../../physics/initial/frames.ts";
import { type GalaxyHistory, type MeasuredGalaxy, pairsOf } from "../outputs/galaxies.ts";
import type { ChartSeries, Points } from "../page/charts.ts";
import { seriesTone } from "../page/colours.ts";
import { type LegendKey, lineFigure } from "../page/html.ts";
import type { Markup } from "../page/markup.ts";
import { shortNumber } from "../page/numbers.ts";
import { timeAxis } from "../page/run-figures.ts";
import { unit, withUnit } from "../page/units.ts";
import { type ReportData, type ReportGalaxies, timeText } from "./model.ts";

/** Points of an orbit's curve, on each side of the pericentre. */
const ORBIT_POINTS = 100;

export function encounters(data: ReportData): Markup[] {
  const { history } = data;
  if (!history || history.rows.length < 2) return [];
  return [
    ...(history.rows[0].pairs.length > 0 ? [separationFigure(data, history)] : []),
    pathFigure(data, history),
    overTime(
      history,
      {
        title: "Mass that stays",
        description:
          "Mass of each galaxy within the radii that held 90 and 50 per cent of it at the start, against time",
        x: timeAxis(data.units),
        y: { label: "Share of the mass there at first", domain: [0, 0] },
        note: "Of each galaxy's own particles, within the radius that held 90 % of them at the start, dashed 50 %.",
      },
      ({ within }, first) => within[1] / first.within[1],
      ({ within }, first) => within[0] / first.within[0],
    ),
    overTime(
      history,
      {
        title: "Half-mass radii",
        description: "Radius about its density centre that holds half of a galaxy's particles by mass, against time",
        x: timeAxis(data.units),
        y: { label: `r${unit(data.units.length)}`, scale: "log" },
      },
      ({ radii }) => radii[1],
    ),
    ...virialFigure(data, history),
  ];
}

/** Lagrangian radii of each component about where it is densest; none without several. */
export function componentFigures({ components, units }: ReportData): Markup[] {
  if (!components || components.rows.length < 2) return [];
  const about = {
    title: "Lagrangian radii by component",
    description: "Radii that hold 10, 50 and 90 per cent of each component about its density centre, against time",
    x: timeAxis(units),
    y: { label: `r${unit(units.length)}`, scale: "log" as const },
    note: "Radius of half the mass, dashed those of 10 and 90 %, about where the component is densest.",
  };
  return [
    overTime(
      components,
      about,
      ...[1, 0, 2].map(
        (k) =>
          ({ radii }: MeasuredGalaxy) =>
            radii[k],
      ),
    ),
  ];
}

const keysOf = (names: readonly string[]) => names.map((text, g): LegendKey => ({ tone: seriesTone(g), text }));

/** Values of each galaxy against time, the second one dashed. */
function overTime(
  { names, rows }: GalaxyHistory,
  about: Omit<Parameters<typeof lineFigure>[0], "keys" | "series">,
  ...values: ((galaxy: MeasuredGalaxy, first: MeasuredGalaxy) => number)[]
): Markup {
  const curve = (g: number, value: (typeof values)[number]): Points =>
    rows.map(({ time, galaxies }) => [time, value(galaxies[g], rows[0].galaxies[g])]);
  const series = names.flatMap((_, g) =>
    values.map((value, i) => ({ points: curve(g, value), tone: seriesTone(g), dashed: i > 0 })),
  );
  return lineFigure({ ...about, keys: keysOf(names), series });
}

function separationFigure(data: ReportData, { names, rows, encounters, orbits }: ReportGalaxies): Markup {
  const { units } = data;
  const end = rows[rows.length - 1].time;
  const pairs = pairsOf(names.length);
  const measured = pairs.map((_, p): ChartSeries => {
    const points = rows.map(({ time, pairs: found }) => [time, found[p].separation] as const);
    return { points, tone: seriesTone(p) };
  });
  const set = encounters.flatMap((one, i): ChartSeries[] => {
    const orbit = orbits[i];
    return orbit ? [{ points: orbitCurve(one, orbit, end), tone: "muted", dashed: true }] : [];
  });
  const actual = encounters.some(({ field }) => field === "actual");
  const rigid = actual ? "the orbit of galaxies that keep their shape, without friction" : "two points of their masses";
  const text = ([i, k]: [number, number]) => `${names[i]} – ${names[k]}`;
  const keys: LegendKey[] = keysOf(pairs.map(text));
  if (set.length > 0) keys.push({ tone: "muted", dashed: true, text: rigid });
  const about = encounters.map(({ name, of, pericentre, eccentricity, masses, untilPericentre }) => {
    const [q, m, M] = [pericentre, ...masses].map((x) => shortNumber(x));
    const when = untilPericentre === null ? "" : ` at t = ${timeText(data, untilPericentre)}`;
    const until = `pericentre ${withUnit(q, units.length)}${when}`;
    return `${name} about ${of}: masses ${m} and ${withUnit(M, units.mass)}, e = ${shortNumber(eccentricity)}, ${until}.`;
  });
  return lineFigure({
    ...{ title: "Separation", keys, note: about.join(" ") },
    description: "Separation of the galaxies' density centres against time, beside the orbit that they were set on",
    x: timeAxis(units),
    y: { label: `Separation${unit(units.length)}`, domain: [0, 0] },
    series: [...set, ...measured],
  });
}

/** Separation against time, from the start through the pericentre to the end or the next apocentre. */
function orbitCurve(encounter: Encounter, orbit: Orbit, end: number): Points {
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

function pathFigure({ units, boxSize }: ReportData, { names, rows }: ReportGalaxies): Markup {
  const half = boxSize / 2;
  const paths = names.map((_, g) =>
    rows.map(({ galaxies }) => [galaxies[g].centre[0] - half, galaxies[g].centre[1] - half] as const),
  );
  const most = reach(paths.flat(2));
  const series = paths.map((points, g): ChartSeries => ({ points, tone: seriesTone(g) }));
  const starts = series.map(
    (one): ChartSeries => ({ ...one, points: one.points.slice(0, 1), marks: "dot", line: false }),
  );
  return lineFigure({
    title: "Paths",
    keys: keysOf(names),
    description: "Paths of the galaxies' density centres in the x-y plane, from the dot on",
    x: { label: `x${unit(units.length)}`, domain: [-most, most] },
    y: { label: `y${unit(units.length)}`, domain: [-most, most] },
    equal: true,
    series: [...series, ...starts],
    note: "Density centres from the middle of the box; the dots are the start.",
  });
}

/** None on the comoving clock. */
function virialFigure({ units }: ReportData, history: ReportGalaxies): Markup[] {
  if (!history.rows.some(({ galaxies }) => galaxies.some(({ virial }) => Number.isFinite(virial)))) return [];
  const about = {
    title: "Virial ratio of each",
    description: "Virial ratio of each galaxy in its own frame against time; 1 in equilibrium",
    x: timeAxis(units),
    y: { label: "2K′ / |Σ m a·(x − x̄)|", domain: [0.95, 1.05] as const },
    rules: [{ at: 1 }],
    note: "Of all of a galaxy’s own particles about their centre of mass and mean velocity, in the field of all there is.",
  };
  return [overTime(history, about, ({ virial }) => virial)];
}

/** A drawing is at least this share of its width high. */
const LOWEST = 1 / 3;

/** x–y, and R–z about the axis of the box; none without orbits. */
export function orbitFigures({ orbits, units, boundary }: ReportData): Markup[] {
  if (!orbits || orbits.paths.every((path) => path.length < 2)) return [];
  const { ids, paths } = orbits;
  const keys = keysOf(ids.map((id) => `particle ${id}`));
  const draw = (title: string, of: (x: readonly number[]) => [number, number], [across, up]: [string, string]) => {
    const curves = paths.map((path): Points => path.map(of));
    const square = title === "From above";
    const all = curves.flat();
    const tall = reach(all.map(([, y]) => y));
    const wide = Math.max(square ? tall : 2 * tall, reach(all.map(([x]) => x)));
    const y = square ? wide : reach([tall, (LOWEST * wide) / 2]);
    return lineFigure({
      ...{ title, keys },
      description: `${title}: ${ids.length} orbits, ${up} against ${across}`,
      x: { label: `${across}${unit(units.length)}`, domain: [square ? -wide : 0, wide] },
      y: { label: `${up}${unit(units.length)}`, domain: [-y, y] },
      series: curves.map((points, k) => ({ points, tone: seriesTone(k) })),
      equal: true,
    });
  };
  const above = draw("From above", ([x, y]) => [x, y], ["x", "y"]);
  if (boundary === "periodic") return [above];
  return [above, draw("In the meridional plane", ([x, y, z]) => [Math.hypot(x, y), z], ["R", "z"])];
}

/** Of potentials that move: distances from the middle of the box, and the speed that a host's frame has gained. */
export function centreFigures({ centres = [], units, boxSize, diagnostics }: ReportData): Markup[] {
  const frame = centres.filter(({ name }) => name === "frame");
  const others = centres.filter(({ name }) => name !== "frame");
  const draw = (shown: typeof centres, title: string, label: string, value: (at: readonly number[]) => number) =>
    shown.length === 0 || diagnostics.length < 2
      ? []
      : lineFigure({
          ...{ title, keys: keysOf(shown.map(({ name }) => name)) },
          description: `${title} against time`,
          x: timeAxis(units),
          y: { label, domain: [0, 0] },
          series: shown.map(({ at }, k) => ({
            points: diagnostics.map(({ time }): [number, number] => [time, value(at(time))]),
            tone: seriesTone(k),
          })),
        });
  const half = boxSize / 2;
  const distance = ([x, y, z]: readonly number[]) => Math.hypot(x - half, y - half, z - half);
  return [
    draw(others, "Potentials that move", `from the middle of the box${unit(units.length)}`, distance),
    draw(frame, "The host's own velocity", `gained since the start${unit(units.velocity)}`, (at) =>
      Math.hypot(...at.slice(3)),
    ),
  ].flat();
}

/** The largest size of some numbers, rounded up to one that axes end at. */
function reach(values: readonly number[]): number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!(largest > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * power >= largest * (1 - 1e-9))! * power;
}
