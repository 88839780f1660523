/**
 * Linear power spectrum P(k, a) of matter and its top-hat variance; with massive neutrinos that of cold matter and baryons,
 * where D1(a)/D1(1) depends on k, and amplitudes and tables are those of all matter (neutrino-response.ts).
 *   P = A k^ns T²(k) D1²(a)/D1²(1); from a primordial amplitude As at the pivot kp
 *   P = (2π²/k³) As (k/kp)^{ns−1} [(2/5) (k c/H0)² T(k) D1(a)/Ωm]²
 *   σ²(R) = ∫ dk/k k³P/(2π²) W²(kR),   W(x) = 3 (sin x − x cos x)/x³
 * Sources: Dodelson & Schmidt 2020, chapter 8; Peebles 1980, section 26.
 * k in h/Mpc, P in (Mpc/h)³, R in Mpc/h.
 */
import { bisectRight } from "d3-array";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { Background, refuse } from "./background.ts";
import { HUBBLE_LENGTH } from "./constants.ts";
import { Growth } from "./growth.ts";
import { Spline } from "./interpolation.ts";
import { NeutrinoGrowth } from "./neutrino-response.ts";
import { eachNode } from "./quadrature.ts";
import type { CosmologySettings } from "./settings.ts";
import { requireModes, type SpectrumTable, spectrumTable } from "./table.ts";
import { eisensteinHu, eisensteinHuNoWiggle } from "./transfer.ts";

export interface PowerOptions {
  /** ns; not needed for a tabulated power spectrum */
  spectralIndex?: number;
  /** A fit, or a table from a Boltzmann code. */
  transfer: "eisenstein-hu" | "no-wiggle" | SpectrumTable;
  /** σ8 today, or As of the primordial curvature at 0.05/Mpc; a tabulated power spectrum may also keep its own amplitude. */
  amplitude: { sigma8: number } | { As: number } | "tabulated";
  /** Redshift of a tabulated power spectrum; by default as the file says, else 0. */
  redshift?: number;
}

/** Pivot of As [1/Mpc], as in Planck's papers. */
const PIVOT = 0.05;
/** Radius of σ8 [Mpc/h]. */
const EIGHT = 8;
/** Smallest wave number that counts in σ [h/Mpc]: less than 1e-9 of the variance is below it. */
const LOWEST = 1e-5;
/** Panels [h/Mpc] within which an acoustic oscillation doesn't complete a period, and where damping has ended them. */
const ACOUSTIC_PANEL = 0.04;
const ACOUSTIC_END = 1;
/** kR up to which σ's integral is taken, by periods of the window; beyond, it is less than 1e-8. */
const LARGEST_KR = 100 * Math.PI;

export class LinearPower {
  /** Wave numbers [h/Mpc] that a table covers; beyond them log P goes on as a straight line of log k. */
  readonly range: readonly [lowest: number, highest: number];
  /** P at a = 1 but for the factor #scale. */
  readonly #shape: (k: number) => number;
  readonly #scale: number;
  readonly #today: number;
  #latest = { a: 1, growthSquared: 1 };
  readonly #neutrinos: NeutrinoGrowth | undefined;

  /** Throws "scenario" for settings that don't make a spectrum. */
  constructor(
    readonly background: Background,
    readonly growth: Growth,
    readonly options: PowerOptions,
  ) {
    const { transfer, amplitude } = options;
    this.#neutrinos = background.neutrinos && NeutrinoGrowth.of(background);
    // On the largest scales matter grows as without neutrinos' masses: they don't stream out of there.
    const { parameters } = background;
    const massless = this.#neutrinos && new Growth(new Background({ ...parameters, neutrinoMasses: [] }));
    this.#today = (massless ?? growth).D1(1);
    this.range = typeof transfer === "object" ? [transfer.k[0], transfer.k[transfer.k.length - 1]] : [0, Infinity];
    this.#shape = shapeOf(background, growth, options, this.#neutrinos);
    if (amplitude === "tabulated") this.#scale = 1;
    else if ("As" in amplitude) this.#scale = this.#primordialScale(amplitude.As);
    else {
      positive("sigma8", amplitude.sigma8, 0.8);
      this.#scale = (amplitude.sigma8 / this.#integrals(EIGHT, (k) => this.#allMatter(k)).sigma) ** 2;
    }
  }

  /** P(k, a) [(Mpc/h)³]; k [h/Mpc]; 0 for k = 0. */
  power(k: number, a = 1): number {
    return k === 0 ? 0 : this.#scale * this.#shape(k) * this.#growthSquared(a, k);
  }

  /** The growth rate d ln δ/d ln a at k [h/Mpc]. */
  rate(k: number, a: number): number {
    return this.#neutrinos?.at(a).rate(k) ?? this.growth.f1(a);
  }

  /**
   * δ of baryons or of cold matter over that of both, at k [h/Mpc]. With gravity alone δb − δc is constant but for a mode that
   * decays (Rampf, Uhlemann & Hahn 2021), so that the table's excess falls as the two grow. Throws "input" without columns of both.
   */
  ratio(part: "baryons" | "cold"): (k: number, a: number) => number {
    const { transfer: table } = this.options;
    const { matter, baryons } = this.background.today;
    if (!(baryons > 0)) fail(`cosmology.omegaB above 0 for matter = "${part}"`, baryons, "try 0.05");
    if (typeof table !== "object" || !table.parts || table.redshift === undefined) {
      const expected =
        "columns of baryons and cold matter (d_b and d_cdm of CLASS, CAMB's transfer functions) and their redshift";
      const found = typeof table !== "object" ? `transfer = "${table}"` : table.name;
      throw new GravmeshError(
        "input",
        `matter = "${part}": expected ${expected}, z = 49 in a comment, found ${found} without`,
      );
    }
    const excess = new Spline(table.k.map(Math.log), table.parts.excess);
    const share = part === "baryons" ? 1 - baryons / matter : -baryons / matter;
    const then = 1 / (1 + table.redshift);
    return (k, a) => {
      const grown = Math.sqrt(this.#growthSquared(then, k) / this.#growthSquared(a, k));
      const ratio = 1 + share * excess.value(Math.log(k)) * grown;
      return ratio > 0
        ? ratio
        : fail(`δ of one sign for matter = "${part}"`, ratio, "start later, or take a later table");
    };
  }

  /** Variance per ln k, k³P/(2π²). */
  dimensionless(k: number, a = 1): number {
    return (k ** 3 * this.power(k, a)) / (2 * Math.PI * Math.PI);
  }

  /**
   * δ at D1 = 1 over Bardeen's potential when matter rules, (2/3) (k c/H0)² T(k)/Ωm (Dodelson & Schmidt 2020, eq. 8.5); T is that of
   * the spectrum, 1 for k → 0.
   */
  response(k: number): number {
    const lowest = this.range[0] || LOWEST * LOWEST;
    const n = this.options.spectralIndex!;
    const ratio = (this.#shape(k) / this.#shape(lowest)) * (lowest / k) ** n;
    const T = eisensteinHuNoWiggle(this.background)(lowest) * Math.sqrt(ratio);
    return ((2 / 3) * (k * HUBBLE_LENGTH) ** 2 * T) / this.background.parameters.omegaM;
  }

  /** σ(R, a) in spheres of radius R [Mpc/h]. */
  sigma(R: number, a = 1): number {
    return this.sigmaAndSlope(R, a).sigma;
  }

  /** σ and d ln σ/d ln R, negative. */
  sigmaAndSlope(R: number, a = 1): { sigma: number; slope: number } {
    const { sigma, slope } = this.#integrals(R, (k) => this.#shape(k) * this.#growthSquared(a, k));
    return { sigma: sigma * Math.sqrt(this.#scale), slope };
  }

  /** σ(8 Mpc/h) of all matter today. */
  get sigma8(): number {
    return Math.sqrt(this.#scale) * this.#integrals(EIGHT, (k) => this.#allMatter(k)).sigma;
  }

  /** σ8 of a tabulated power spectrum before it was normalised. */
  get ownSigma8(): number {
    return this.sigma8 / Math.sqrt(this.#scale);
  }

  /** Throws "input" unless a table covers wave numbers `lowest` to `highest` [h/Mpc]; a fit covers all. */
  requireModes(lowest: number, highest: number): void {
    if (typeof this.options.transfer === "object") requireModes(this.options.transfer, lowest, highest);
  }

  /** The shape of the spectrum of all matter today. */
  #allMatter(k: number): number {
    const now = this.#neutrinos?.at(1);
    return now ? this.#shape(k) * (now.total(k) / now.cold(k)) ** 2 : this.#shape(k);
  }

  #growthSquared(a: number, k: number): number {
    if (this.#neutrinos) return (this.#neutrinos.at(a).cold(k) / this.#neutrinos.at(1).cold(k)) ** 2;
    // Callers ask for many wave numbers at one time.
    if (this.#latest.a !== a) this.#latest = { a, growthSquared: (this.growth.D1(a) / this.#today) ** 2 };
    return this.#latest.growthSquared;
  }

  /** A of P = A k^ns T² at a = 1. */
  #primordialScale(As: number): number {
    positive("As", As, 2.1e-9);
    const pivot = PIVOT / this.background.parameters.h;
    const response = (0.4 * HUBBLE_LENGTH * HUBBLE_LENGTH * this.#today) / this.background.parameters.omegaM;
    return 2 * Math.PI * Math.PI * As * pivot ** (1 - this.options.spectralIndex!) * response ** 2;
  }

  #integrals(R: number, shape: (k: number) => number): { sigma: number; slope: number } {
    positive("radius of sigma", R, EIGHT);
    let variance = 0;
    let change = 0; // dσ²/d ln R
    const visit = (k: number, weight: number) => {
      const x = k * R;
      const window = topHat(x);
      const density = (weight * k * k * shape(k)) / (2 * Math.PI * Math.PI);
      variance += density * window * window;
      // x W' = 3 (sin x/x − W)
      change += density * 2 * window * (x < 1e-3 ? -(x * x) / 5 : 3 * (Math.sin(x) / x - window));
    };
    eachWaveNumber(Math.min(LOWEST, 1e-3 / R), LARGEST_KR / R, Math.PI / R, visit);
    return { sigma: Math.sqrt(variance), slope: change / (2 * variance) };
  }
}

/** Nodes k and weights of ∫ dk [h/Mpc] in panels that resolve P's acoustic oscillations, at most `longest` wide. */
export function eachWaveNumber(
  lowest: number,
  highest: number,
  longest: number,
  visit: (k: number, weight: number) => void,
): void {
  for (let from = lowest; from < highest; ) {
    const acoustic = from < ACOUSTIC_END ? ACOUSTIC_PANEL : Number.POSITIVE_INFINITY;
    const to = Math.min(highest, from + Math.min(from / 4, longest, acoustic));
    eachNode(from, to, visit);
    from = to;
  }
}

/** Fourier transform of a sphere of unit radius and unit mass. */
export function topHat(x: number): number {
  // The closed form loses its digits to cancellation; the first term that the series leaves out is of order x¹⁰.
  if (Math.abs(x) < 0.1) {
    const s = x * x;
    return 1 - (s / 10) * (1 - (s / 28) * (1 - (s / 54) * (1 - s / 88)));
  }
  return (3 * (Math.sin(x) - x * Math.cos(x))) / x ** 3;
}

function shapeOf(
  background: Background,
  growth: Growth,
  options: PowerOptions,
  neutrinos: NeutrinoGrowth | undefined,
): (k: number) => number {
  const { transfer, amplitude } = options;
  const table = typeof transfer === "object" ? transfer : undefined;
  const redshift = options.redshift ?? table?.redshift ?? 0;
  if (!(redshift > -1 && Number.isFinite(redshift))) fail("a redshift above −1", redshift, "try 0");
  /** From a table's contrast to that of cold matter and baryons today. */
  const toCold = (k: number): number => {
    if (!neutrinos || !table) return 1;
    const then = neutrinos.at(1 / (1 + redshift));
    return neutrinos.at(1).cold(k) / (table.cold ? then.cold(k) : then.total(k));
  };
  if (typeof transfer === "object" && transfer.kind === "power") {
    if (typeof amplitude === "object" && "As" in amplitude) {
      const expected = "sigma8 or the table's own amplitude with a tabulated power spectrum";
      fail(expected, "As", "As goes with a transfer function");
    }
    const power = logarithmic(transfer);
    if (neutrinos) return (k) => toCold(k) ** 2 * power(k);
    const toToday = (growth.D1(1) / growth.D1(1 / (1 + redshift))) ** 2;
    return (k) => toToday * power(k);
  }
  if (amplitude === "tabulated") {
    const hint = "only a tabulated power spectrum has one";
    fail("sigma8 or As with a transfer function", "the amplitude of a table", hint);
  }
  const n = options.spectralIndex;
  if (n === undefined || !(Number.isFinite(n) && n > -3 && n < 4)) {
    return fail("a spectral index ns between −3 and 4", n, "try 0.96");
  }
  const T = transferOf(background, transfer);
  if (!neutrinos) return (k) => k ** n * T(k) ** 2;
  // A fit has no free streaming in it.
  const now = neutrinos.at(1).cold;
  const share = table ? (k: number) => toCold(k) / toCold(0) : (k: number) => now(k) / now(0);
  return (k) => k ** n * (T(k) * share(k)) ** 2;
}

function transferOf(background: Background, transfer: PowerOptions["transfer"]): (k: number) => number {
  if (transfer === "eisenstein-hu") return eisensteinHu(background);
  const smooth = eisensteinHuNoWiggle(background);
  if (transfer === "no-wiggle") return smooth;
  // T → 1 for k → 0, where a table may not reach: it is scaled so that its first value is that of the fit.
  const table = logarithmic(transfer);
  const first = transfer.k[0];
  const scale = smooth(first) / table(first);
  return (k) => (k < first ? smooth(k) : scale * table(k));
}

/** Between rows that differ by more than this factor a spline would swing. */
const STEEPEST = 150;

/**
 * The table as natural splines of ln value over ln k; where it falls steeply as straight lines of both, and to rows that are 0,
 * as behind a cut-off, of the value.
 */
function logarithmic({ k, values }: SpectrumTable): (k: number) => number {
  const [x, y] = [k.map(Math.log), values.map(Math.log)];
  const last = k.length - 1;
  const splines: (Spline | undefined)[] = new Array(last).fill(undefined);
  for (let from = 0, to = 0; to <= last; to++) {
    if (to < last && Math.abs(y[to + 1] - y[to]) <= Math.log(STEEPEST)) continue;
    if (to > from) splines.fill(new Spline(x.subarray(from, to + 1), y.subarray(from, to + 1)), from, to);
    from = to + 1;
  }
  return (at) => {
    const i = Math.min(last - 1, Math.max(0, bisectRight(k, at) - 1));
    const spline = splines[i];
    if (spline) return Math.exp(spline.value(Math.log(at)));
    const share = (Math.log(at) - x[i]) / (x[i + 1] - x[i]);
    const isCut = values[i] === 0 || values[i + 1] === 0;
    if (!isCut) return Math.exp(y[i] + share * (y[i + 1] - y[i]));
    return at > k[last] ? 0 : values[i] + share * (values[i + 1] - values[i]);
  };
}

function positive(name: string, value: number, example: number): void {
  if (!(value > 0 && Number.isFinite(value))) fail(`${name} above 0`, value, `try ${example}`);
}

function fail(expected: string, found: string | number | undefined, hint: string): never {
  return refuse(expected, `${found}`, hint, "cosmology, power spectrum");
}

/** What a tabulated spectrum, and with `parts` its baryons and cold matter, was taken for, in a line; undefined of a fit. */
export function tableNote({ options, background, sigma8, ownSigma8 }: LinearPower, parts = false): string | undefined {
  const { transfer: table, amplitude } = options;
  if (typeof table !== "object") return undefined;
  const { name, columns, kind, k, redshift } = table;
  const [own, now] = [ownSigma8, sigma8].map((one) => one.toPrecision(4));
  const changed = `is changed to cosmology.sigma8 = ${now}; cosmology.amplitude = "table" keeps it`;
  const kept = kind === "transfer" || own === now;
  const by = amplitude === "tabulated" ? "its own amplitude, " : "As" in amplitude ? `As = ${amplitude.As}, ` : "";
  const told = kept ? `σ8 = ${now}` : `its σ8 of ${own} ${changed}`;
  const range = [k[0], k[k.length - 1]].map((one) => one.toPrecision(4)).join(" to ");
  const at = (kind === "power" || background.neutrinos) && redshift ? `, of z = ${redshift} brought to 0` : "";
  const matter = table.cold ? " of cold matter and baryons" : " of all matter";
  const both = parts && table.parts ? `; baryons and cold matter by ${table.parts.titles} of z = ${redshift}` : "";
  const whose = background.neutrinos ? matter : "";
  return `${name}: ${columns}${whose}${at}; ${k.length} rows, k = ${range} h/Mpc; ${by}${told}${both}`;
}

/** Reads a text file: by default the table of a power spectrum; `what`: what it is, for messages. */
export type TextLoader = (file: string, what?: string) => Promise<string>;

/** P(k, a) [(Mpc/h)³]. Throws "usage" without a loader for a table, "input" for its faults, "scenario" for the settings. */
export async function linearPowerOf(settings: CosmologySettings, loadText?: TextLoader): Promise<LinearPower> {
  const { transfer, file, spectralIndex, sigma8, As } = settings;
  const background = new Background(settings);
  const amplitude = settings.amplitude === "table" ? "tabulated" : As > 0 ? { As } : { sigma8 };
  const growth = new Growth(background);
  const spectrum = (of: PowerOptions["transfer"]) =>
    new LinearPower(background, growth, { transfer: of, spectralIndex, amplitude });
  if (transfer !== "file") return spectrum(transfer);
  if (!loadText) {
    throw new GravmeshError(
      "usage",
      `cosmology.file: expected something that reads ${file}, found none; pass options.loadText, or use transfer = "eisenstein-hu"`,
    );
  }
  return spectrum(spectrumTable(await loadText(file), file, background));
}
