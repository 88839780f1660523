/**
 * Growth of small perturbations of pressureless matter, first and second order in Lagrangian perturbation theory. Massive
 * neutrinos don't cluster here: Ωm(a) is that of cold matter and baryons. With ' = d/d ln a and s = d ln H/d ln a:
 *   D1'' + (2 + s) D1' = (3/2) Ωm(a) D1,      D2'' + (2 + s) D2' = (3/2) Ωm(a) (D2 − D1²)
 * normalised so that D1 → a and D2 → −(3/7) a² where matter rules; f = d ln D/d ln a. With radiation D1 = a + ⅔ a_eq
 * until other things matter (Mészáros 1974). The displacement is x = q − D1 ∇φ1 + D2 ∇φ2, ∇²φ1 = δ at D1 = 1, ∇²φ2 =
 * Σ_{i>j} (φ1,ii φ1,jj − φ1,ij²). Sources: Peebles 1980, section 10 (first order; flat with w = −1: D1 = a ₂F₁(1/3, 1;
 * 11/6; −(1−Ωm)a³/Ωm)); Bouchet et al. 1995 (second order); Scoccimarro 1998, appendix D.
 */
import { type Background, refuse } from "./background.ts";

/** Spacing of the stored solution in ln a; between nodes one step of the integrator gives the exact solution. */
const NODE_STEP = 1 / 16;
/** Size of what isn't matter where the numerical solution starts: its square is lost in rounding. */
const EARLY_FRACTION = 1e-8;
const LATEST_START = 1e-3;
/** With radiation the solution starts at this a/a_eq, by a series whose first term left out is its fourth power. */
const EARLY_EQUALITY = 1e-5;

export class Growth {
  readonly #start: number;
  /** (g, g', e, e') with D1 = a g and D2 = a² e, at ln a = #start + i NODE_STEP. */
  readonly #nodes: Float64Array[];
  readonly #equations: SlopeFunction;

  constructor(readonly background: Background) {
    const start = startOf(background);
    this.#start = Math.log(start);
    this.#nodes = [early(background, start)];
    // For g and e instead of D1 and D2 the solution of matter alone is constant, so it has no error at all.
    this.#equations = (x, y, slope) => {
      const a = Math.exp(x);
      const fractions = background.fractions(a);
      const s = background.hubbleSlope(a, fractions);
      const source = 1.5 * fractions.matter;
      slope[0] = y[1];
      slope[1] = -(4 + s) * y[1] - (3 + s - source) * y[0];
      slope[2] = y[3];
      slope[3] = -(6 + s) * y[3] - (8 + 2 * s - source) * y[2] - source * y[0] * y[0];
    };
  }

  /**
   * D1, f1 = d ln D1/d ln a, D2, which is negative, and f2 at a. Throws "scenario" where a isn't positive or the expansion ends
   * before it.
   */
  at(a: number) {
    const y = this.#solution(a);
    return { D1: a * y[0], f1: 1 + y[1] / y[0], D2: a * a * y[2], f2: 2 + y[3] / y[2] };
  }

  D1(a: number): number {
    return this.at(a).D1;
  }

  f1(a: number): number {
    return this.at(a).f1;
  }

  D2(a: number): number {
    return this.at(a).D2;
  }

  f2(a: number): number {
    return this.at(a).f2;
  }

  /** Canonical momentum a² dx/dt of a unit first-order displacement, a² H f1 D1 [km/s/(Mpc/h)]. */
  momentum1(a: number): number {
    const { D1, f1 } = this.at(a);
    return a * a * this.background.hubble(a) * f1 * D1;
  }

  /** The same of second order, a² H f2 D2 [km/s/(Mpc/h)]; negative. */
  momentum2(a: number): number {
    const { D2, f2 } = this.at(a);
    return a * a * this.background.hubble(a) * f2 * D2;
  }

  #solution(a: number): Float64Array {
    if (!(a > 0 && Number.isFinite(a))) refuse("a scale factor above 0", a, "a = 1/(1 + z)");
    const x = Math.log(a);
    const node = Math.floor((x - this.#start) / NODE_STEP);
    if (node < 0) return early(this.background, a);
    while (this.#nodes.length <= node) {
      const last = this.#nodes.length - 1;
      this.#nodes.push(extrapolatedStep(this.#equations, this.#nodeAt(last), this.#nodes[last], NODE_STEP));
    }
    return extrapolatedStep(this.#equations, this.#nodeAt(node), this.#nodes[node], x - this.#nodeAt(node));
  }

  #nodeAt(i: number): number {
    return this.#start + i * NODE_STEP;
  }
}

/** What adds to matter in E² ∝ a⁻³ (1 + Σ xᵢ): xᵢ = amount · a^power at early times. */
function admixtures({ today, parameters }: Background): { amount: number; power: number }[] {
  const { w0, wa } = parameters;
  return [
    { amount: today.curvature / today.matter, power: 1 },
    { amount: (today.darkEnergy / today.matter) * Math.exp(-3 * wa), power: -3 * (w0 + wa) },
  ].filter(({ amount }) => amount !== 0);
}

/** Ω today of what is radiation early on: massive neutrinos are. */
const earlyRadiation = ({ today, neutrinos }: Background) => today.radiation + (neutrinos?.relativistic ?? 0);

/** a from which the equations are integrated. */
function startOf(background: Background): number {
  const radiation = earlyRadiation(background);
  if (radiation > 0) return Math.min(LATEST_START, (EARLY_EQUALITY * radiation) / background.today.matter);
  const starts = admixtures(background).map(({ amount, power }) => (EARLY_FRACTION / Math.abs(amount)) ** (1 / power));
  return Math.min(LATEST_START, ...starts);
}

/** (g, g', e, e') before the start: series in a/a_eq with radiation, else to first order in what isn't matter. */
function early(background: Background, a: number): Float64Array {
  const { matter } = background.today;
  const radiation = earlyRadiation(background);
  if (radiation > 0) {
    const y = (a * matter) / radiation;
    // In units of a_eq: D1 = y + 2/3, D2 = −2y/3 − y²/2 + y³/36.
    const [g, e] = [1 + 2 / (3 * y), -2 / (3 * y) - 1 / 2 + y / 36];
    return Float64Array.of(g, -2 / (3 * y), e, 2 / (3 * y) + y / 36);
  }
  const result = Float64Array.of(1, 0, -3 / 7, 0);
  for (const { amount, power: p } of admixtures(background)) {
    const x = amount * a ** p;
    const c = -(p + 3) / (p * (2 * p + 5));
    const d = (1.5 - 3 * c + (3 / 7) * (p + 1.5)) / (p * p + 4.5 * p + 3.5);
    result[0] += c * x;
    result[1] += p * c * x;
    result[2] += d * x;
    result[3] += p * d * x;
  }
  return result;
}

/** Writes dy/dx into `slope`. */
export type SlopeFunction = (x: number, y: Float64Array, slope: Float64Array) => void;

/** Substeps of the columns: six make order 12, right to rounding over a NODE_STEP for anything smooth in ln a. */
const SUBSTEPS = [2, 4, 6, 8, 10, 12];

/** y(x + step) of y' = f(x, y), by extrapolation (Gragg, Bulirsch & Stoer; Hairer et al. 1993, II.9, eqs 9.10, 9.13). */
export function extrapolatedStep(f: SlopeFunction, x: number, y: Float64Array, step: number): Float64Array {
  const size = y.length;
  const first = new Float64Array(size);
  f(x, y, first);
  const slope = new Float64Array(size);
  const columns: Float64Array[] = [];
  for (const [row, n] of SUBSTEPS.entries()) {
    const h = step / n;
    let previous: Float64Array = y.slice();
    let current = y.map((value, i) => value + h * first[i]);
    for (let m = 1; m < n; m++) {
      f(x + m * h, current, slope);
      const next = previous.map((value, i) => value + 2 * h * slope[i]);
      previous = current;
      current = next;
    }
    f(x + step, current, slope);
    columns[row] = current.map((value, i) => 0.5 * (value + previous[i] + h * slope[i]));
    for (let column = row - 1; column >= 0; column--) {
      const ratio = (n / SUBSTEPS[column]) ** 2 - 1;
      columns[column] = columns[column].map(
        (value, i) => columns[column + 1][i] + (columns[column + 1][i] - value) / ratio,
      );
    }
  }
  return columns[0];
}
