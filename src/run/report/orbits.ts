/** The orbits of report.html: some of the particles that were followed, from above and in the meridional plane. */
import { lineChart, type Points } from "../../page/charts.ts";
import { seriesTone } from "../../page/colours.ts";
import { figure, type Key } from "../../page/html.ts";
import { unit } from "../../page/units.ts";
import type { ReportData } from "./model.ts";

/** A drawing is at least this share of its width high. */
const LOWEST = 1 / 3;

/** x–y, and R–z about the axis of the box; none without orbits. */
export function orbitFigures({ orbits, units, boundary }: ReportData): string[] {
  if (!orbits || orbits.paths.every((path) => path.length < 2)) return [];
  const { ids, paths } = orbits;
  const keys = ids.map((id, k): Key => ({ tone: seriesTone(k), text: `particle ${id}` }));
  const draw = (title: string, of: (x: readonly number[]) => [number, number], [across, up]: [string, string]) => {
    const curves = paths.map((path): Points => path.map(of));
    const square = title === "From above";
    const all = curves.flat();
    const tall = reach(all.map(([, y]) => y));
    const wide = Math.max(square ? tall : 2 * tall, reach(all.map(([x]) => x)));
    const y = square ? wide : reach([tall, (LOWEST * wide) / 2]);
    return figure({
      ...{ title, keys },
      svg: lineChart({
        description: `${title}: ${ids.length} orbits, ${up} against ${across}`,
        x: { label: `${across}${unit(units.length)}`, domain: [square ? -wide : 0, wide] },
        y: { label: `${up}${unit(units.length)}`, domain: [-y, y] },
        series: curves.map((points, k) => ({ points, tone: seriesTone(k) })),
        equal: true,
      }),
    });
  };
  const above = draw("From above", ([x, y]) => [x, y], ["x", "y"]);
  if (boundary === "periodic") return [above];
  return [above, draw("In the meridional plane", ([x, y, z]) => [Math.hypot(x, y), z], ["R", "z"])];
}

/** The largest size of some numbers, rounded up to one that axes end at. */
export function reach(values: readonly number[]): number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!(largest > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * power >= largest * (1 - 1e-9))! * power;
}
