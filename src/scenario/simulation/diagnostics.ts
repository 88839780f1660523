/** Sums over the particles, drifts since the start, and the integral of the cosmic energy equation. */
import type { Backend } from "../../engine/backend/backend.ts";
import type { ColumnMoment } from "../../engine/diagnostics/columns/column.ts";
import {
  causeOf,
  type Diagnostics,
  diagnosticsOf,
  nonFinite,
  requireFiniteRow,
} from "../../engine/diagnostics/columns.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import {
  CosmicEnergyAccount,
  type CosmicEnergyState,
  cosmicEnergies,
  leastCosmicEnergy,
} from "../../physics/cosmology/layzer-irvine.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import { conservedBy } from "../conserved.ts";
import { smallestCell } from "../resolution.ts";
import type { Scenario } from "../scenario.ts";

export interface SavedDiagnostics {
  initialSums: Sums;
  /** Comoving clock: the energy equation's integral so far. */
  cosmicEnergy?: CosmicEnergyState | undefined;
}

interface DiagnosticsMoment {
  /** [time]; the scale factor on the comoving clock. */
  time: number;
  step: number;
  comoving: boolean;
  /** Stopped within a step, where the state is not of one time. */
  midStep: boolean;
}

export class SimulationDiagnostics {
  /** GM²/L [mass velocity²] */
  readonly #boxEnergy: number;
  readonly #jacobi: ColumnMoment["jacobi"];
  readonly #cosmicEnergy: CosmicEnergyAccount;
  readonly #initial: Sums;
  /** The sums of the present state, where they were asked for. */
  #present: Sums | undefined;
  #last: Diagnostics | undefined;

  /** `mass`: of all particles [mass]; `count`: their number; `sums`: of the present state. */
  constructor(
    scenario: Scenario,
    private readonly forces: Pick<Backend, "sums" | "readParticles">,
    { mass, count }: Record<"mass" | "count", number>,
    { sums, initialSums, cosmicEnergy }: Partial<SavedDiagnostics> & { sums?: Sums | undefined } = {},
  ) {
    const conserved = conservedBy(scenario);
    if (conserved.quantity === "jacobi") {
      const [x, y] = conserved.axis.map((at) => at - scenario.box.size / 2);
      this.#jacobi = { speed: conserved.speed, axis: [x, y] };
    }
    const { units, box, mesh } = scenario;
    const { G } = unitSystem(units.system);
    this.#boxEnergy = (G * mass ** 2) / box.size;
    const of = { G, mass, count, h: smallestCell(scenario), size: box.size };
    this.#cosmicEnergy = new CosmicEnergyAccount(cosmicEnergy, leastCosmicEnergy(of, mesh.assignment));
    this.#initial = (initialSums ?? sums)!;
    this.#present = sums;
  }

  /** To be called before the particles move, and behind it with the sums that were taken where they stopped. */
  moves(present?: Sums): void {
    this.#present = present;
  }

  /** The row of the present state; within a step that of the last step's end. Throws "numerical" for values that aren't numbers. */
  async row({ midStep, ...moment }: DiagnosticsMoment): Promise<Diagnostics> {
    if (midStep && this.#last) return this.#last;
    return this.requireNumbers(this.rowOf(await this.#presentSums(), moment));
  }

  /** The row of the present state, unless it has numbers that are none: then throws "numerical". */
  async requireNumbers(row: Diagnostics): Promise<Diagnostics> {
    if (nonFinite(row)) requireFiniteRow(row, causeOf(await this.forces.readParticles()));
    return row;
  }

  /** The row of a state by its sums. */
  rowOf(sums: Sums, { time, step, comoving }: Omit<DiagnosticsMoment, "midStep">): Diagnostics {
    const initial = this.#initial;
    // Of peculiar motion on the comoving clock: K = Σ ½ m (p/a)², W = ½ Σ m φ/a.
    const energies = comoving ? cosmicEnergies(time, sums.kinetic, sums.potential) : sums;
    const cosmicResidual = comoving ? this.#cosmicEnergyError(time, energies) : undefined;
    const row = diagnosticsOf({
      ...{ time, step, sums, initial, energies, cosmicResidual },
      ...{ boxEnergy: this.#boxEnergy, jacobi: this.#jacobi },
    });
    this.#last = row;
    return row;
  }

  get saved(): SavedDiagnostics {
    return { initialSums: this.#initial, cosmicEnergy: this.#cosmicEnergy.state };
  }

  async #presentSums(): Promise<Sums> {
    this.#present ??= await this.forces.sums();
    return this.#present;
  }

  /** Relative residual of the Layzer–Irvine equation, with the integral of K taken from diagnostics to diagnostics. */
  #cosmicEnergyError(a: number, energies: { kinetic: number; potential: number }): number {
    const { state, residual } = this.#cosmicEnergy;
    if (state && state.last.a === a) return residual.relative;
    return this.#cosmicEnergy.add({ a, ...energies }).relative;
  }
}
