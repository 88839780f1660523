/** The same particles on the mesh and directly, and a second direct run from slightly displaced positions: a yardstick of chaos. */

import { orbitDistance } from "../../engine/diagnostics/differences.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { reductionsOf } from "../../physics/particles/host-reductions.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { engineOptions, stateOf } from "../../run/instrument.ts";
import { reportProfile, reportView } from "../../run/report/particle-views.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { Simulation } from "../../scenario/simulation/simulation.ts";
import type { Evolution, EvolutionRow } from "./record.ts";
import { perturbed } from "./sample.ts";

export interface RunsOptions {
  /** As the mesh evolves it. */
  scenario: Scenario;
  particles: ParticleSet;
  gpu: GpuContext | undefined;
  /** For both forces [time]; it divides the deck's end. */
  step: number;
  /** ε of the direct runs [length]. */
  softening: number;
  /** Displacement of the second direct run's start, rms along each axis [length]; none without. */
  perturbation?: number;
}

/** Fewer particles show no profile. */
const LEAST_FOR_PROFILES = 256;

export class RunsSideBySide {
  readonly #runs: Simulation[] = [];
  /** At the last row. */
  #compared: { mesh: ParticleSet; direct: ParticleSet } | undefined;

  private constructor(private readonly options: RunsOptions) {}

  static async create(options: RunsOptions): Promise<RunsSideBySide> {
    const runs = new RunsSideBySide(options);
    const { particles, perturbation, gpu } = options;
    const add = async (scenario: Scenario, particles: ParticleSet) => {
      runs.#runs.push(await Simulation.create(scenario, { ...engineOptions(gpu), particles }));
    };
    try {
      await add(meshScenario(options), particles);
      await add(directScenario(options), particles);
      if (perturbation !== undefined) await add(directScenario(options), perturbed(particles, perturbation));
    } catch (error) {
      runs.destroy();
      throw error;
    }
    return runs;
  }

  /** [time] */
  get time(): number {
    return this.#runs[0].time;
  }

  /** Advances every run to the end of step number `step`; `onRun` gets how many have. Throws "aborted". */
  async advanceTo(step: number, signal: AbortSignal, onRun: (fraction: number) => void): Promise<void> {
    for (const [k, run] of this.#runs.entries()) {
      await run.advance({ until: step * this.options.step, signal });
      onRun((k + 1) / this.#runs.length);
    }
  }

  /** Compares the runs as they are. Throws "numerical" when one holds no numbers any more. */
  async row(): Promise<EvolutionRow> {
    const [mesh, direct, second] = this.#runs;
    const { box, mesh: grid } = this.options.scenario;
    const states = { mesh: stateOf(await mesh.diagnostics()), direct: stateOf(await direct.diagnostics()) };
    const sets = { mesh: await mesh.readParticles(), direct: await direct.readParticles() };
    const beside = await second?.readParticles();
    this.#compared = sets;
    const distance = (set: ParticleSet) => orbitDistance(set.positions, sets.direct.positions, box.size / grid.cells);
    const chaos = beside ? distance(beside) : null;
    return { time: mesh.time, step: mesh.step, ...states, distance: distance(sets.mesh), chaos };
  }

  /** At the start, and of both runs at the last row, `time` [time]. */
  async profiles(time: number): Promise<Evolution["profiles"]> {
    const { particles, scenario } = this.options;
    if (!this.#compared || particles.count < LEAST_FOR_PROFILES) return null;
    const on = (set: ParticleSet) => reductionsOf(set, scenario.box);
    const view = await reportView(on(particles), scenario);
    const start = await reportProfile(on(particles), 0, view);
    const mesh = await reportProfile(on(this.#compared.mesh), time, view);
    const direct = await reportProfile(on(this.#compared.direct), time, view);
    if (!start || !mesh || !direct) return null;
    return { kind: view.disk ? "surface-density" : "density", start, mesh, direct };
  }

  destroy(): void {
    for (const run of this.#runs.splice(0)) run.destroy();
  }
}

/** With the numbers of particles that there are, and no outputs between start and end. */
export function meshScenario({ scenario, particles, step }: RunsOptions): Scenario {
  return {
    ...scenario,
    gravity: scenario.gravity === "p3m" ? "p3m" : "mesh",
    particles: scenario.particles.map((component) => {
      const { count = 0 } = particles.components.find(({ name }) => name === component.name) ?? {};
      return "count" in component ? { ...component, count } : component;
    }),
    time: { ...scenario.time, step },
    output: { ...scenario.output, snapshots: 1, diagnostics: 1 },
    maps: { ...scenario.maps, count: 0 },
  };
}

/** Single precision: the error of the step is far above that of the forces, and a pair costs a third. */
function directScenario(options: RunsOptions): Scenario {
  const { scenario, softening } = options;
  return {
    ...meshScenario(options),
    gravity: "direct",
    direct: { ...scenario.direct, integrator: "leapfrog", steps: "shared", precision: "single", softening },
  };
}
