/**
 * A run in the tab: a deck's particles are drawn, moved turn by turn between pictures, and told of. A turn is short: pictures
 * are drawn on the same device, and wait until it has done what was asked of it before.
 */
import { GravmeshError } from "../../errors.ts";
import type { GpuContext } from "../../gpu/context.ts";
import { adapterName } from "../../gpu/context.ts";
import type { GivenParticles } from "../../initial/index.ts";
import { timeUnitOf, unitLabels } from "../../page/units.ts";
import { failureOf } from "../../run/health.ts";
import { conservedBy } from "../../scenario/conserved.ts";
import { deckText } from "../../scenario/deck.ts";
import { parseScenario } from "../../scenario/parse.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { Simulation } from "../../simulation.ts";
import { between, distance } from "../../time/comoving.ts";
import type { HostParticles } from "../../view/host-counts.ts";
import { contentOf, sceneOf } from "../../view/scene.ts";
import { hostParticles } from "../../view/uploaded-scene.ts";
import type { PaneStatus, Problem } from "../stage.ts";
import { Curves, type ToldCurves } from "./curves.ts";
import { pageFiles } from "./deck-files.ts";
import type { Drawable, Exhibit, ExhibitHost, ExhibitState } from "./exhibit.ts";
import { advised, requireRoom } from "./fit.ts";
import { HeldParticles } from "./held-particles.ts";
import { Pace } from "./pace.ts";
import { problemIn } from "./problem.ts";

/** Of a submission [ms]: two are under way at a time. */
const SUBMISSION = 14;

export interface RunRequest {
  text: string;
  overrides: readonly string[];
  /** What the deck reads, by name. */
  files?: readonly File[] | undefined;
  /** Particles of another run to begin with, and their time. */
  begun?: Begun | undefined;
}

export interface Begun {
  particles: GivenParticles;
  time: number;
  /** Curves that it goes on with. */
  curves?: ToldCurves | undefined;
}

export class RunExhibit implements Exhibit {
  #status: PaneStatus = "preparing";
  #problem: Problem | undefined;
  /** Drawn so far. */
  #drawn = 0;
  #scenario: Scenario | undefined;
  #simulation: Simulation | undefined;
  #curves: Curves | undefined;
  /** Of a run whose particles aren't in buffers of the device. */
  #held: HeldParticles | undefined;
  /** Of one whose particles are. */
  #drawable: Drawable | undefined;
  #destroyed = false;
  #stop = new AbortController();
  /** What is under way; it has ended before anything is given back. */
  #busy: Promise<unknown>;
  readonly #pace = new Pace();

  constructor(
    private readonly host: ExhibitHost,
    readonly request: RunRequest,
  ) {
    this.#busy = this.#prepare().catch((error: unknown) => this.#fail(error));
  }

  /** Resolves when it can go, or has failed. */
  async ready(): Promise<void> {
    await this.#busy;
  }

  /** Its curves so far. */
  get curves(): ToldCurves | undefined {
    return this.#curves?.told;
  }

  get simulation(): Simulation | undefined {
    return this.#simulation;
  }

  /** Whether a turn would move it. */
  get goes(): boolean {
    return !this.#destroyed && (this.#status === "paused" || this.#status === "running");
  }

  /** Whether it may yet go. */
  get preparing(): boolean {
    return this.#status === "preparing";
  }

  get time(): number {
    return this.#simulation?.time ?? 0;
  }

  get end(): number {
    return this.#scenario?.time.end ?? 0;
  }

  async #prepare(): Promise<void> {
    const { text, overrides, files, begun } = this.request;
    const scenario = parseScenario(text, { file: "deck", overrides });
    this.#scenario = scenario;
    const { gpu } = this.host;
    requireRoom(scenario, gpu);
    const simulation = await Simulation.create(scenario, {
      ...(gpu ? { gpu, backend: "auto" } : { backend: "cpu" }),
      ...pageFiles(scenario, files ?? []),
      ...(begun && { particles: begun.particles, time: begun.time }),
      signal: this.#stop.signal,
      onInitialConditions: (done, total) => {
        this.#drawn = done / total;
        this.host.changed("state");
      },
    });
    if (this.#destroyed) return simulation.destroy();
    this.#simulation = simulation;
    this.#curves = new Curves(simulation, (news) => this.#destroyed || this.host.tell(news), begun?.curves);
    if (simulation.bufferWindows) this.#drawable = { on: "device", scene: sceneOf(simulation) };
    else this.#held = new HeldParticles(gpu);
    await this.#bring();
    await this.#measure();
    this.#status = simulation.done ? "done" : "paused";
    this.#tellMoved();
  }

  /** Whether it is to be called running. */
  set playing(playing: boolean) {
    if (!this.goes) return;
    this.#status = playing ? "running" : "paused";
    if (!playing) this.#pace.rest();
    this.host.changed("state");
  }

  /**
   * Goes on for about so long [ms], at least a step, and not past a time. False where it didn't move: no whole step leads up
   * to that time.
   */
  turn(ms: number, until?: number): Promise<boolean> {
    const turn = this.#turn(ms, until).catch((error: unknown) => {
      this.#fail(error);
      return false;
    });
    this.#busy = turn;
    return turn;
  }

  async #turn(ms: number, until: number | undefined): Promise<boolean> {
    const simulation = this.#simulation;
    if (!simulation || !this.goes) return false;
    const began = performance.now();
    const from = simulation.step;
    const isLate = () => performance.now() - began >= ms;
    // In a turn of no time at all each step is submitted by itself, so that it is one.
    const submission = ms > 0 ? SUBMISSION : 0;
    const isThere = () => until !== undefined && simulation.time >= until * (1 - 1e-12);
    let moved = false;
    do {
      const before = simulation.time;
      moved = (await this.#towards(simulation, until, { isLate, submission })) || moved;
      if (this.#destroyed) break;
      await this.#measure();
      if (simulation.time === before && !isLate()) break;
    } while (!this.#destroyed && !simulation.done && !isLate() && !isThere());
    this.#pace.add(simulation.step - from, performance.now() - began);
    if (this.#destroyed || !moved) return moved;
    await this.#bring();
    if (simulation.done) this.#status = "done";
    this.#tellMoved();
    return true;
  }

  /** To the next output or row at most. */
  async #towards(
    simulation: Simulation,
    until = this.end,
    { isLate, submission }: { isLate: () => boolean; submission: number },
  ): Promise<boolean> {
    const { outputs, output } = simulation;
    const next = outputs[output + 1];
    const stop = new AbortController();
    const row = between(this.#scenario!.time, this.#start(), this.end, this.#curves!.nextRow);
    const limit = Math.min(until, Math.max(row, this.#nextStep ?? row));
    let moved = false;
    const onProgress = ({ time }: { time: number }) => {
      moved = true;
      if (isLate() || this.#stop.signal.aborted || time >= limit) stop.abort();
    };
    // Never up to a time: that would be a stop with a synchronous state, which rounds otherwise than a run without.
    const most = limit < next.time ? this.#stepsTo(limit) : submission > 0 ? undefined : 1;
    if (most === 0) return false;
    try {
      await simulation.advance({
        output: output + 1,
        onProgress,
        signal: stop.signal,
        submission,
        ...(most && { most }),
      });
    } catch (error) {
      if (!(error instanceof GravmeshError && error.kind === "aborted")) throw error;
    }
    return moved;
  }

  async goTo(time: number): Promise<void> {
    while (this.goes && this.time < time && (await this.turn(Number.POSITIVE_INFINITY, time)));
  }

  /** One step; the stage's transport has it taken, so that runs go together. */
  async oneStep(): Promise<void> {
    if (this.#simulation) await this.turn(0, this.#nextStep);
  }

  /** The end of the next fixed step; undefined where the run chooses its steps [time]. */
  get #nextStep(): number | undefined {
    const { schedule, step } = this.#simulation!;
    const { step: dt, edges } = schedule;
    return edges ? edges[step + 1] : dt && (step + 1) * dt;
  }

  /** Whole fixed steps that end at or before a time; undefined where the run chooses its steps. */
  #stepsTo(time: number): number | undefined {
    const { schedule, step } = this.#simulation!;
    const { step: dt, edges } = schedule;
    const late = time * (1 + 1e-12);
    const last = edges ? edges.findLastIndex((edge) => edge <= late) : dt && Math.floor(late / dt);
    return last === undefined ? undefined : Math.max(0, last - step);
  }

  /** What is due. Throws "numerical" for a run that has failed by its deck's measure. */
  async #measure(): Promise<void> {
    const row = await this.#curves!.look(this.#fraction());
    const failure = row && failureOf(this.#scenario!, row);
    if (failure) throw new GravmeshError("numerical", failure);
  }

  /** Particles that aren't drawn where they are, to where they can be. */
  async #bring(): Promise<void> {
    if (this.#held) await this.#held.show((await this.particles())!);
  }

  #tellMoved(): void {
    if (this.#destroyed) return;
    this.host.changed("particles");
    this.host.changed("state");
  }

  #fail(error: unknown): void {
    if (this.#destroyed) return;
    this.fail(problemIn(this.#scenario ? advised(error, this.#scenario, this.host.gpu) : error));
  }

  fail(problem: Problem): void {
    this.#problem = problem;
    this.#status = "failed";
    this.#tellMoved();
  }

  #fraction(): number {
    const { time: settings } = this.#scenario!;
    const start = this.#start();
    return distance(settings, start, this.time) / distance(settings, start, settings.end);
  }

  #start(): number {
    return this.request.begun?.time ?? this.#scenario?.time.start ?? 0;
  }

  state(): ExhibitState {
    const [scenario, simulation] = [this.#scenario, this.#simulation];
    const { gpu } = this.host;
    const system = scenario?.units.system;
    const labels = system ? unitLabels(system) : { length: "", mass: "", velocity: "" };
    const { length, mass, velocity } = labels;
    const time = scenario ? timeUnitOf(scenario.units.system, scenario.time.clock) : "";
    return {
      ...{ status: this.#status, title: scenario?.title ?? "", time: this.time, start: this.#start(), end: this.end },
      ...{ step: simulation?.step ?? 0, fraction: simulation ? this.#fraction() : this.#drawn },
      particles: simulation?.particleCount ?? 0,
      cells: scenario?.gravity === "mesh" ? scenario.mesh.cells : undefined,
      ...{ boxSize: scenario?.box.size ?? 1, periodic: scenario?.box.boundary === "periodic" },
      units: { length, mass, velocity, time },
      components: (simulation?.components ?? []).map(({ name, species, count }) => ({ name, species, count })),
      ...(scenario && { conserved: conservedBy(scenario).quantity }),
      backend: simulation?.backend,
      adapter: simulation?.adapter && adapterName(simulation.adapter),
      ...(simulation?.notice !== undefined && { notice: simulation.notice }),
      ...(!gpu && { notice: "Without WebGPU: float64 on the CPU, in this tab's worker" }),
      stepsPerSecond: this.#pace.stepsPerSecond,
      ...(this.#problem && { problem: this.#problem }),
    };
  }

  drawable(): Drawable | undefined {
    return this.#destroyed ? undefined : (this.#held?.drawable() ?? this.#drawable);
  }

  async particles(): Promise<HostParticles | undefined> {
    const simulation = this.#simulation;
    return simulation && hostParticles(contentOf(simulation), await simulation.readParticles());
  }

  deck(): string {
    return this.#scenario ? deckText(this.#scenario) : this.request.text;
  }

  /** The device that it lies on. */
  get gpu(): GpuContext | undefined {
    return this.host.gpu;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#stop.abort();
    void this.#busy.then(() => {
      this.#held?.destroy();
      this.#simulation?.destroy();
    });
  }
}
