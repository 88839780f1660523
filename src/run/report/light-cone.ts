/** The light cone in report.html: convergence on the sky, or counts, and the power of the convergence beside Limber's integral. */
import { deviation, sum } from "d3-array";
import { pixelOf } from "../../engine/diagnostics/healpix.ts";
import { UNSEEN } from "../io/healpix-fits.ts";
import type { KappaRow, LightConeFigures } from "../outputs/light-cone.ts";
import type { Points } from "../page/charts.ts";
import { figure, lineFigure } from "../page/html.ts";
import { html, type Markup } from "../page/markup.ts";
import { shortNumber, thinGrouped } from "../page/numbers.ts";
import { linearRamp, picture } from "../page/picture-html.ts";
import { linearPng } from "../page/pictures.ts";
import { withUnit } from "../page/units.ts";
import type { ReportData } from "./model.ts";

const MOST_MAPS = 3;
/** Bins of ℓ, equal in log ℓ. */
const BINS = 18;
/** Darkest and brightest colour, in standard deviations from the mean. */
const [DARK, BRIGHT] = [-1.5, 4];
const [WIDTH, HEIGHT] = [900, 450];
/** Wider pencils are shown on the whole sky [rad]. */
const WIDEST = Math.PI / 3;

export function lightConeFigures(data: ReportData): Markup[] {
  const { lightCone: cone } = data;
  if (!cone) return [];
  const maps = cone.kappa.map(({ redshift, map }) => ({ map, of: `Convergence κ of sources at z = ${redshift}` }));
  if (maps.length === 0 && cone.contrast) {
    const { near, far } = cone.shells[Math.floor(cone.shells.length / 2)];
    const where = withUnit(`${shortNumber(near)} to ${shortNumber(far)}`, data.units.length);
    maps.push({ map: cone.contrast, of: `Density contrast, ${where} away` });
  }
  return [
    ...maps.slice(-MOST_MAPS).map(({ map, of }) => skyFigure(cone, map, of)),
    ...cone.kappa.map(({ redshift, rows }) => powerFigure(cone, redshift, rows)),
    countFigure(data, cone),
  ];
}

/** The direction of a point of the picture, u and v from −1 to 1; undefined outside of the sky. */
type Projection = (u: number, v: number) => readonly [number, number, number] | undefined;

/** All of the sky (Snyder 1987, eqs 31-6 to 31-8). */
const mollweide: Projection = (u, v) => {
  if (u * u + v * v >= 1) return undefined;
  const t = Math.asin(v);
  const sine = (2 * t + Math.sin(2 * t)) / Math.PI;
  const longitude = (-Math.PI * u) / Math.cos(t);
  const cosine = Math.sqrt(1 - sine * sine);
  return [cosine * Math.cos(longitude), cosine * Math.sin(longitude), sine];
};

/** The plane that touches the sky at `axis`, as far as `half` from it. */
function gnomonic(axis: readonly number[], half: number): Projection {
  const length = Math.hypot(...axis);
  const [x, y, z] = axis.map((one) => one / length);
  const flat = Math.hypot(x, y);
  const [east, north] =
    flat > 1e-9
      ? [
          [-y / flat, x / flat, 0],
          [(-x * z) / flat, (-y * z) / flat, flat],
        ]
      : [
          [0, 1, 0],
          [-1, 0, 0],
        ];
  const reach = Math.tan(half);
  return (u, v) => {
    const at = (i: number) => [x, y, z][i] + reach * (v * north[i] - u * east[i]);
    return [at(0), at(1), at(2)];
  };
}

/** Half of an octant's picture: from its middle to its corners [rad]. */
const TO_CORNER = Math.acos(1 / Math.sqrt(3));

function skyFigure({ opening, direction, halfAngle }: LightConeFigures, map: Float64Array, title: string): Markup {
  const half = (Math.PI / 180) * halfAngle;
  const whole = opening === "sky" || (opening === "pencil" && half > WIDEST);
  const plane = opening === "octant" ? gnomonic([1, 1, 1], TO_CORNER) : gnomonic(direction, half);
  const project = whole ? mollweide : plane;
  const [width, height] = [whole ? WIDTH : HEIGHT, HEIGHT];
  const nside = Math.sqrt(map.length / 12);
  const scatter = deviation(map.filter((value) => value !== UNSEEN)) ?? 0;
  const [floor, ceiling] = [DARK * scatter, BRIGHT * scatter];
  const values = Float32Array.from({ length: width * height }, (_, i) => {
    const [u, v] = [(2 * ((i % width) + 0.5)) / width - 1, 1 - (2 * (Math.floor(i / width) + 0.5)) / height];
    const found = project(u, v);
    return found ? map[pixelOf(nside, ...found, Math.hypot(...found))] : UNSEEN;
  });
  const shown = { values, width, height, spanX: 0, spanY: 0, quantum: 0 };
  const how = whole ? "the whole sky, Mollweide's projection" : "gnomonic projection";
  return figure({
    ...{ title, about: how },
    svg: html`${picture(linearPng(shown, ceiling, floor), shown, `${title}, ${how}`)}${linearRamp(ceiling, `from ${DARK} to ${BRIGHT} standard deviations, of ${shortNumber(scatter)} each`, floor)}`,
  });
}

interface Bin {
  ell: number;
  modes: number;
  values: Omit<KappaRow, "ell">;
}

/** Means over bins of ℓ by modes, of ℓ(ℓ + 1)C_ℓ/2π. */
function binned(rows: readonly KappaRow[]): Bin[] {
  const ratio = (rows.at(-1)!.ell + 1) / rows[0].ell;
  const binOf = ({ ell }: KappaRow) => Math.floor((BINS * Math.log(ell / rows[0].ell)) / Math.log(ratio));
  return Array.from({ length: BINS }, (_, bin) => rows.filter((row) => binOf(row) === bin)).flatMap((own) => {
    if (own.length === 0) return [];
    const modes = sum(own, ({ ell }) => 2 * ell + 1);
    const mean = (of: (row: KappaRow) => number) => sum(own, (row) => (2 * row.ell + 1) * of(row)) / modes;
    const scaled = (of: keyof Bin["values"]) => mean((row) => (row.ell * (row.ell + 1) * row[of]) / (2 * Math.PI));
    const values = {
      ...{ power: scaled("power"), linear: scaled("linear") },
      ...{ halofit: scaled("halofit"), shotNoise: scaled("shotNoise") },
    };
    return [{ ell: mean(({ ell }) => ell), modes, values }];
  });
}

function powerFigure({ area }: LightConeFigures, redshift: number, rows: readonly KappaRow[]): Markup {
  const bins = binned(rows);
  const share = area / (4 * Math.PI);
  const curve = (of: keyof Bin["values"]): Points => bins.map(({ ell, values }) => [ell, values[of]] as const);
  const errors = bins.map(({ modes, values: { power } }) => {
    const variance = Math.min(0.99, Math.sqrt(2 / (modes * share))) * power;
    return [power - variance, power + variance] as const;
  });
  return lineFigure({
    title: `Power of κ, sources at z = ${redshift}`,
    keys: [
      { text: "measured" },
      { tone: "muted", text: "Limber, Halofit" },
      { tone: "muted", dashed: true, text: "linear" },
      { tone: "second", dashed: true, text: "shot noise" },
    ],
    description:
      "Angular power of the convergence against multipole, beside Limber's integral of linear theory and Halofit",
    x: { label: "ℓ", scale: "log" },
    y: { label: "ℓ(ℓ + 1) C/2π", scale: "log" },
    series: [
      { points: curve("halofit"), tone: "muted" },
      { points: curve("linear"), tone: "muted", dashed: true },
      { points: curve("shotNoise"), tone: "second", dashed: true },
      { points: curve("power"), errors, marks: "dot", line: false },
    ],
    note: `Errors are those of a Gaussian field${share < 1 ? ` on ${shortNumber(100 * share)} % of the sky, by which the power is divided` : ""}; shot noise isn't subtracted.`,
  });
}

function countFigure(data: ReportData, { shells, area }: LightConeFigures): Markup {
  const all = sum(shells, ({ particles }) => particles);
  const density = data.summary.particles / data.boxSize ** 3;
  const points = shells.flatMap(({ near, far, particles }) => {
    const expected = (density * area * (far ** 3 - near ** 3)) / 3;
    return particles > 0 ? [[(near + far) / 2, particles / expected] as const] : [];
  });
  return lineFigure({
    title: "Density of the shells",
    about: `${thinGrouped(all)} particles`,
    description: "Particles of each shell of the light cone over those of a uniform box, against comoving distance",
    x: { label: `distance [${data.units.length}]` },
    y: { label: "particles over the mean" },
    series: [{ points, marks: "dot" }],
    rules: [{ at: 1 }],
  });
}
