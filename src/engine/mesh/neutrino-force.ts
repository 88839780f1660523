/**
 * What massive neutrinos add to the force of the particles, by linear response (physics/cosmology/neutrino-response.ts): the
 * potential's mode of wave number |m| 2π/L is multiplied by
 *   1 + (Ων/Ωcb) δν(k)/δcb(k)
 * with δν by the history of δcb(k) = √P(k), which is measured where ln a has grown by LEAST_STEP since it last was: at steps that
 * the clock alone decides. Before the start linear theory has led to the first of them. Shared with the float64 twin.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { Background } from "../../physics/cosmology/background.ts";
import { Spline } from "../../physics/cosmology/interpolation.ts";
import { NeutrinoHistory, NeutrinoTheory } from "../../physics/cosmology/neutrino-response.ts";
import type { CosmologySettings } from "../../physics/cosmology/settings.ts";
import { type ArraysInPieces, wholeArray } from "../../physics/particles/saved-arrays.ts";
import type { SavedArrays } from "../../physics/particles/state.ts";

const LEAST_STEP = 0.01;
/** Cells per side of the spectra's mesh: neutrinos follow cold matter on large scales alone. */
const MOST_CELLS = 128;
/** Contrasts below this share of the largest are rounding. */
const ROUNDING = 1e-9;

/** Entries of a table by |m|, whole numbers, of a mesh of n cells a side. */
export const responseLength = (n: number): number => Math.ceil((Math.sqrt(3) * n) / 2) + 2;

/** Its value at |m|² between them; the kernel's is the same. */
export function responseAt(factors: Float64Array, square: number): number {
  const m = Math.sqrt(square);
  const low = Math.floor(m);
  return factors[low] + (m - low) * (factors[low + 1] - factors[low]);
}

export class NeutrinoForce {
  /** Of the mesh that the spectrum is wanted on. */
  readonly cells: number;
  /** [responseLength] */
  factors: Float64Array;
  readonly #background: Background;
  #k: Float64Array = new Float64Array(0);
  #history: NeutrinoHistory | undefined;

  /** `cells`: of the force's mesh; `boxSize` [Mpc/h]. */
  constructor(
    cosmology: CosmologySettings,
    cells: number,
    private readonly boxSize: number,
  ) {
    this.cells = Math.min(cells, MOST_CELLS);
    this.factors = new Float64Array(responseLength(cells)).fill(1);
    this.#background = new Background(cosmology);
  }

  /** Whether the spectrum of the particles is wanted at a. */
  due(a: number): boolean {
    const last = this.#history?.times.at(-1);
    return last === undefined || a >= last * Math.exp(LEAST_STEP);
  }

  /** Takes in the spectrum of the particles at a; `factors` are those of that time then. */
  take(a: number, { k, power }: Record<"k" | "power", Float64Array>): void {
    const least = ROUNDING * Math.sqrt(power.reduce((most, P) => Math.max(most, P), 0));
    const cold = power.map((P) => Math.max(least, Math.sqrt(P)));
    this.#history ??= this.#before(a, k, cold);
    const neutrinos = this.#history.add(a, cold);
    const { matter, neutrinos: density } = this.#background.today;
    const share = new Spline(
      k.map((one) => Math.log((one * this.boxSize) / (2 * Math.PI))),
      neutrinos.map((delta, i) => Math.log(delta / cold[i])),
    );
    this.factors = this.factors.map((_, m) => 1 + (density / matter) * Math.exp(share.value(Math.log(Math.max(1, m)))));
  }

  /** The history up to a that linear theory has for contrasts at a. */
  #before(a: number, k: Float64Array, cold: Float64Array): NeutrinoHistory {
    this.#k = k;
    const theory = new NeutrinoTheory(this.#background, k);
    const linear = theory.at(a).cold;
    const { times, sources } = theory.history;
    const history = new NeutrinoHistory(this.#background, k);
    for (const [j, time] of times.entries()) {
      if (time >= a) break;
      history.append(
        time,
        sources[j].map((S, i) => (S * cold[i]) / linear[i]),
      );
    }
    return history;
  }

  saveState(): SavedArrays {
    const { times = [], sources = [] } = this.#history ?? {};
    const rows = new Float64Array(times.length * this.#k.length);
    for (const [j, source] of sources.entries()) rows.set(source, j * this.#k.length);
    return {
      neutrinoTimes: Float64Array.from(times),
      neutrinoWavenumbers: this.#k.slice(),
      neutrinoSources: rows,
      neutrinoFactors: this.factors.slice(),
    };
  }

  /** Throws "input" for the state of another mesh, or of none. */
  async restoreState(arrays: ArraysInPieces): Promise<void> {
    const read = async (name: string) => arrays[name] && (await wholeArray(arrays[name]));
    const [times, k, rows, factors] = [
      await read("neutrinoTimes"),
      await read("neutrinoWavenumbers"),
      await read("neutrinoSources"),
      await read("neutrinoFactors"),
    ].map((array) => (array instanceof Float64Array && array.every(Number.isFinite) ? array : undefined));
    const rises = times?.every((a, i) => a > (i === 0 ? 0 : times[i - 1]));
    if (!times || !k || !rises || rows?.length !== times.length * k.length || factors?.length !== this.factors.length) {
      const message = "the checkpoint: expected the history of neutrinos' response on this mesh, found another or none";
      throw new GravmeshError("input", `${message}. The checkpoint belongs to another scenario or is damaged.`);
    }
    this.#k = k;
    this.factors = factors;
    this.#history = times.length === 0 ? undefined : new NeutrinoHistory(this.#background, k);
    for (const [j, a] of times.entries()) this.#history!.append(a, rows.slice(j * k.length, (j + 1) * k.length));
  }
}
