/** A run in the tab: a deck's particles are made, moved turn by turn between pictures, and measured. */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import { adapterName } from "../../../foundation/gpu/adapter.ts";
import type { GivenParticles } from "../../../physics/initial/given.ts";
import type { LevelCore } from "../../../physics/particles/level-core.ts";
import { warningsOf } from "../../../run/health.ts";
import { partOfName } from "../../../run/io/snapshot-rows.ts";
import { timeUnitOf, unitLabels } from "../../../run/page/units.ts";
import { keptBy } from "../../../scenario/conserved.ts";
import { deckText } from "../../../scenario/deck.ts";
import { parseScenario } from "../../../scenario/parse.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { Simulation, type SimulationOptions } from "../../../scenario/simulation/simulation.ts";
import type { HostParticles } from "../../../studio/view/host-counts.ts";
import { contentOf, sceneOf } from "../../../studio/view/scene.ts";
import { hostParticles } from "../../../studio/view/uploaded-scene.ts";
import type { PaneState, PaneStatus, StageProblem } from "../stage.ts";
import { Curves, type SentCurves } from "./curves.ts";
import type { Drawable, Exhibit, ExhibitHost } from "./exhibit.ts";
import { advised, requireFit, requireModest } from "./fit.ts";
import { HeldParticles } from "./held-particles.ts";
import { problemIn } from "./problem.ts";
import { RunSteps } from "./run-steps.ts";
export interface ExhibitRequest {
  text: string;
  overrides: readonly string[];
  files?: readonly File[] | undefined;
  linked?: boolean;
  /** Particles of another run to begin with, and their time. */
  begun?: Begun | undefined;
}

export interface Begun {
  particles: GivenParticles;
  time: number;
  curves?: SentCurves | undefined;
}

export class RunExhibit implements Exhibit {
  #status: PaneStatus = "preparing";
  #problem: StageProblem | undefined;
  /** Drawn so far. */
  #drawn = 0;
  #doing: string | undefined;
  #scenario: Scenario | undefined;
  simulation: Simulation | undefined;
  #curves: Curves | undefined;
  #steps: RunSteps | undefined;
  /** The particles of a run that aren't in buffers of the device. */
  #held: HeldParticles | undefined;
  #cores: readonly LevelCore[] = [];
  /** The scene of a run whose particles are. */
  #drawable: Drawable | undefined;
  /** Computed for so many rows. */
  #warnings: { rows: number; texts: readonly string[] } | undefined;
  #destroyed = false;
  #stop = new AbortController();
  /** What is under way; it has ended before anything is given back. */
  #busy: Promise<unknown>;

  constructor(
    private readonly host: ExhibitHost,
    readonly request: ExhibitRequest,
  ) {
    this.#busy = this.#prepare().catch((error: unknown) => this.#fail(error));
  }

  /** Resolves when the run is prepared, or has failed. */
  async ready(): Promise<void> {
    await this.#busy;
  }

  get curves(): SentCurves | undefined {
    return this.#curves?.sent;
  }

  get goes(): boolean {
    return !this.#destroyed && (this.#status === "paused" || this.#status === "running");
  }

  get preparing(): boolean {
    return this.#status === "preparing";
  }

  get time(): number {
    return this.simulation?.time ?? this.#start();
  }

  async #prepare(): Promise<void> {
    const { text, overrides, files, begun, linked } = this.request;
    const scenario = parseScenario(text, { file: "deck", overrides });
    this.#scenario = scenario;
    const { gpu } = this.host;
    requireFit(scenario, gpu);
    if (linked) requireModest(scenario, gpu);
    const simulation = await Simulation.create(scenario, {
      ...(gpu ? { gpu, backend: "auto" } : { backend: "cpu" }),
      ...pageFiles(scenario, files ?? []),
      ...(begun && { particles: begun.particles, time: begun.time }),
      signal: this.#stop.signal,
      onInitialConditions: (done, total) => {
        this.#drawn = done / total;
        this.host.changed("state");
      },
      onPreparing: (what) => {
        this.#doing = what;
        this.host.changed("state");
      },
    });
    if (this.#destroyed) return simulation.destroy();
    this.simulation = simulation;
    const curves = new Curves(simulation, (event) => this.#destroyed || this.host.emit(event), begun?.curves);
    this.#curves = curves;
    this.#steps = new RunSteps(simulation, curves, { start: this.#start(), signal: this.#stop.signal });
    if (simulation.bufferWindows) this.#drawable = sceneOf(simulation);
    else this.#held = new HeldParticles(gpu);
    await this.#bring();
    await this.#steps.measure();
    this.#status = simulation.done ? "done" : "paused";
    this.#moved();
  }

  set playing(playing: boolean) {
    if (!this.goes) return;
    this.#status = playing ? "running" : "paused";
    if (!playing) this.#steps?.rest();
    this.host.changed("state");
  }

  /** As RunSteps.turn; a failure becomes the run's state. */
  turn(ms: number, until?: number): Promise<boolean> {
    const turn = this.#turn(ms, until).catch((error: unknown) => {
      this.#fail(error);
      return false;
    });
    this.#busy = turn;
    return turn;
  }

  async #turn(ms: number, until: number | undefined): Promise<boolean> {
    if (!this.#steps || !this.goes) return false;
    const moved = await this.#steps.turn(ms, until);
    if (this.#destroyed || !moved) return moved;
    await this.#bring();
    if (this.simulation?.done) this.#status = "done";
    this.#moved();
    return true;
  }

  async goTo(time: number): Promise<void> {
    while (this.goes && this.time < time && (await this.turn(Number.POSITIVE_INFINITY, time)));
  }

  /** One step; the stage's transport has it taken, so that runs go together. */
  async oneStep(): Promise<void> {
    if (this.#steps) await this.turn(0, this.#steps.nextStep);
  }

  /** Brings particles that aren't on the device to where they can be drawn, and finds the levels. */
  async #bring(): Promise<void> {
    this.#cores = (await this.simulation?.levelCores()) ?? [];
    if (this.#held) await this.#held.show((await this.particles())!);
  }

  #moved(): void {
    if (this.#destroyed) return;
    this.host.changed("particles");
    this.host.changed("state");
  }

  #fail(error: unknown): void {
    if (this.#destroyed) return;
    this.#problem = problemIn(this.#scenario ? advised(error, this.#scenario, this.host.gpu) : error);
    this.#status = "failed";
    this.#moved();
  }

  #start(): number {
    return this.request.begun?.time ?? this.#scenario?.time.start ?? 0;
  }

  state(): PaneState {
    const [scenario, simulation] = [this.#scenario, this.simulation];
    const { gpu } = this.host;
    const system = scenario?.units.system;
    const labels = system ? unitLabels(system) : { length: "", mass: "", velocity: "" };
    const { length, mass, velocity } = labels;
    const time = scenario ? timeUnitOf(scenario.units.system, scenario.time.clock) : "";
    return {
      ...{ status: this.#status, title: scenario?.title ?? "", time: this.time, start: this.#start() },
      ...{ end: scenario?.time.end ?? 0, step: simulation?.step ?? 0, fraction: this.#steps?.fraction ?? this.#drawn },
      ...{ doing: this.#doing, problem: this.#problem, particles: simulation?.particleCount ?? 0 },
      cells: scenario && scenario.gravity !== "direct" ? scenario.mesh.cells : undefined,
      ...{ boxSize: scenario?.box.size ?? 1, periodic: scenario?.box.boundary === "periodic" },
      ...(this.#cores.length > 0 && { cores: this.#cores }),
      units: { length, mass, velocity, time },
      components: (simulation?.components ?? []).map(({ name, species, count }) => ({ name, species, count })),
      ...(scenario && { warnings: this.#warningsOf(scenario), ...keptBy(scenario) }),
      backend: simulation?.backend,
      adapter: simulation?.adapter && adapterName(simulation.adapter),
      notice: gpu ? simulation?.notice : "Without WebGPU: float64 on the CPU, in this tab's worker",
      stepsPerSecond: this.#steps?.stepsPerSecond ?? 0,
    };
  }

  /** Computed anew with every row. */
  #warningsOf(scenario: Scenario): readonly string[] {
    const rows = this.#curves?.sent.rows ?? [];
    if (this.#warnings?.rows !== rows.length) {
      const particles = this.simulation?.particleCount ?? 0;
      this.#warnings = { rows: rows.length, texts: warningsOf(scenario, { particles, rows }) };
    }
    return this.#warnings.texts;
  }

  drawable(): Drawable | undefined {
    return this.#destroyed ? undefined : (this.#held?.drawable() ?? this.#drawable);
  }

  async particles(): Promise<HostParticles | undefined> {
    const simulation = this.simulation;
    return simulation && hostParticles(contentOf(simulation), await simulation.readParticles());
  }

  deck(): string {
    return this.#scenario ? deckText(this.#scenario) : this.request.text;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#stop.abort();
    void this.#busy.then(() => {
      this.#held?.destroy();
      this.simulation?.destroy();
    });
  }
}

/** Files that a deck reads were given with it, and are found by name without their folder. */
const bare = (name: string) => name.split(/[\\/]/).at(-1) ?? name;

function found(name: string, files: readonly File[]): File {
  const wanted = bare(name);
  const file = files.find((one) => one.name === wanted) ?? files.find((one) => partOfName(one.name)?.whole === wanted);
  if (file) return file;
  const there = files.length > 0 ? `: there are ${files.map((one) => one.name).join(", ")}` : "";
  throw new GravmeshError(
    "input",
    `the deck reads the file ${wanted}, which the page doesn't have${there}. Drop it onto the page together with the deck`,
  );
}

function pageFiles(
  { units, time, cosmology }: Scenario,
  files: readonly File[],
): Pick<SimulationOptions, "loadText" | "loadSnapshot"> {
  const comoving = time.clock === "comoving";
  const reading = { units: units.system, comoving, ...(comoving && { scaleFactor: time.start, h: cosmology.h }) };
  return {
    loadText: async (name) => found(name, files).text(),
    loadSnapshot: async (name, as) => {
      const file = found(name, files);
      const { droppedSnapshot } = await import("./dropped-snapshots.ts");
      return droppedSnapshot(files, file.name, { ...reading, ...(as && { as }) });
    },
  };
}
