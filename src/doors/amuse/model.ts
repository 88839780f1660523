/**
 * A model as AMUSE drives it: particles that it adds, sets and takes away, evolved to any times by the mesh, by P³M or by
 * direct sums. The particles here and those of the backend are brought up to date when one of them is asked for. Potentials are
 * placed at the time that a backend is made at, which it counts from. Back in time it goes with velocities turned round.
 */
import { type Backend, type FieldAtPoints, STATE_FORMATS } from "../../engine/backend/backend.ts";
import { ExactBlocks } from "../../engine/gpu-particles/upload.ts";
import { stepsBetween } from "../../engine/time/settings.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { isRigid } from "../../physics/initial/components.ts";
import { requireMostInside } from "../../physics/initial/outside.ts";
import { externalPotentialsOf } from "../../physics/initial/placing.ts";
import { initialConditions } from "../../physics/initial/source.ts";
import { sourceOf } from "../../physics/particles/source.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import { externalField } from "../../physics/potentials/external.ts";
import { laterBy, reversed } from "../../physics/potentials/motion.ts";
import type { ExternalPotential } from "../../physics/potentials/potential.ts";
import { engineWithFallback } from "../../run/engine.ts";
import { messageOf } from "../../run/failure.ts";
import { fileLoaders } from "../../run/scenario-source.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { displacementsOn, type Engine, makeBackend, sumsOnCpu } from "../../scenario/simulation/engine.ts";
import type { BackendChoice } from "../../scenario/simulation/simulation.ts";
import { adaptivePlan, type PlanToOutput } from "../../scenario/simulation/step-plans.ts";
import { evenPlan } from "./even-plan.ts";
import { AmuseParameters } from "./parameters.ts";
import { Particles } from "./particles.ts";
import { COLLISION, NUMBER_OF_STEPS, OUT_OF_BOX, StoppingConditions, TIMEOUT } from "./stopping.ts";

/** Steps that differ by less than this fraction are one, and so is an earlier time, which rounding may have made. */
const SAME_STEP = 1e-9;
const SAME_TIME = 1e-12;

const isStep = (a: number, b: number) => Math.abs(a - b) <= SAME_STEP * b;

interface Made {
  backend: Backend;
  direct: boolean;
  /** When its own time is 0, and the largest step of a direct sum [time]. */
  origin: number;
  step: number;
}

export class Model {
  parameters: AmuseParameters;
  particles = new Particles();
  stopping = new StoppingConditions();
  /** When particles are first committed [time]. */
  beginTime = 0;
  /** Whether it may go back in time. */
  reversible = false;
  #time: number | undefined;
  /** What ended an evolution before its time, since when the particles are of no time. */
  #failure: GravmeshError | undefined;
  #made: Made | undefined;
  /** What the backend doesn't know of the particles here. */
  #changed: "nothing" | "phase" | "all" = "all";
  /** The backend's particles are of a later time than those here. */
  #isBehind = false;
  /** Which way time goes in the backend. */
  #direction: 1 | -1 = 1;
  #engine: { choice: BackendChoice; engine: Engine } | undefined;
  #potentials: ExternalPotential[] | undefined;
  #sums: Sums | undefined;
  #fields: FieldAtPoints | undefined;

  /** `notice` gets what a user should know, a line each. */
  constructor(
    private readonly backend: BackendChoice,
    private readonly notice: (line: string) => void,
  ) {
    this.parameters = new AmuseParameters(backend);
  }

  get scenario(): Scenario {
    return this.parameters.scenario;
  }

  get time(): number {
    return this.#time ?? this.beginTime;
  }

  /** Where particles are computed, once there are some: "webgpu" or "cpu". */
  get computedOn(): string {
    return this.#made?.backend.kind ?? "";
  }

  /** Parameters may have changed. Throws "scenario". */
  async commitParameters(): Promise<void> {
    await this.#catchUp();
    this.#potentials = undefined;
    this.changes("all");
    void this.scenario;
  }

  /** To be told after the particles were changed: masses or which there are, or positions and velocities alone. */
  changes(what: "phase" | "all"): void {
    if (this.#changed !== "all") this.#changed = what;
    this.#sums = this.#fields = undefined;
  }

  /** The particles, up to date to be read or changed. */
  async current(): Promise<Particles> {
    await this.#catchUp();
    return this.particles;
  }

  /** Draws the particles that the deck itself has and adds them; returns the first index and how many. */
  async drawParticles(): Promise<[first: number, count: number]> {
    if (!this.parameters.hasParticles) return [0, 0];
    const { scenario } = this;
    const { G } = unitSystem(scenario.units.system);
    const gpu = scenario.gravity !== "direct" ? (await this.#chosen()).gpu : undefined;
    const options = { G, displacements: displacementsOn(gpu), ...fileLoaders(scenario) };
    const { count, positions, velocities, masses } = (await initialConditions(scenario, options)).particles;
    const half = scenario.box.size / 2;
    const column = (array: ArrayLike<number>, at: number, shift = 0) =>
      Float64Array.from({ length: count }, (_, i) => array[3 * i + at] - shift);
    const [x, y, z] = [0, 1, 2].map((axis) => column(positions, axis, half));
    const [vx, vy, vz] = [0, 1, 2].map((axis) => column(velocities, axis));
    await this.#catchUp();
    this.changes("all");
    return [this.particles.add(count, { mass: masses, x, y, z, vx, vy, vz }), count];
  }

  /** Makes ready for what is there. Throws "input", "scenario", "memory", "device". */
  async commitParticles(): Promise<void> {
    if (this.#time === undefined && this.particles.count > 0)
      await requireMostInside(sourceOf(this.#set()), this.#apartFromDrawn());
    this.#time ??= this.beginTime;
    await this.#upToDate();
  }

  /** To a time, unless a stopping condition ends it before. Throws "usage" for an earlier one unless that is allowed, "numerical". */
  async evolve(until: number): Promise<void> {
    this.#requireParticles();
    const limits = this.stopping.begin(performance.now());
    const { time } = this;
    const span = until - time;
    const goesBack = this.reversible && span < 0;
    if (span < -SAME_TIME * Math.abs(time) && !goesBack) {
      const hint = "set_is_time_reversed_allowed(1) lets it go back";
      throw new GravmeshError("usage", `evolve_model: expected a time from ${time} on, found ${until}; ${hint}`);
    }
    if (this.particles.count === 0 || !(span > 0 || goesBack)) {
      this.#time = until;
      return;
    }
    await this.#turn(span > 0 ? 1 : -1);
    const looks = [OUT_OF_BOX, COLLISION].some((type) => this.stopping.isEnabled(type));
    for (let done = 0; this.time !== until && !this.#stops(done, limits); ) {
      const most = looks ? 1 : limits.steps - done;
      done += await this.#advance(until, most, limits.until);
      if (looks && (await this.#isMet())) return;
    }
  }

  async sums(): Promise<Sums | undefined> {
    const made = await this.#upToDate();
    // Where no particle has mass, they would be weighted as tracers are.
    if (this.particles.mass > 0) this.#sums ??= await made?.backend.sums();
    return this.#sums;
  }

  /** Accelerations and potentials of the particles. */
  async fields(): Promise<FieldAtPoints> {
    const made = await this.#upToDate();
    if (!made) return { accelerations: new Float64Array(0), potential: new Float64Array(0) };
    this.#fields ??= await made.backend.ownField?.();
    if (!this.#fields) {
      const { accelerations, potential } = await made.backend.readParticles({ accelerations: true, potential: true });
      this.#fields = { accelerations: Float64Array.from(accelerations!), potential: Float64Array.from(potential!) };
    }
    return this.#fields;
  }

  /** At `points` [3K], relative to the centre of the box. */
  async fieldAt(points: Float64Array): Promise<FieldAtPoints> {
    const made = await this.#upToDate();
    const inBox = points.map((x) => x + this.scenario.box.size / 2);
    if (made) return made.backend.fieldAt!(inBox);
    const { G } = unitSystem(this.scenario.units.system);
    return externalField({ G, externalPotentials: await this.#external() }, inBox, this.time);
  }

  /** As at the start, but for the device. */
  clear(): void {
    this.#release();
    this.parameters = new AmuseParameters(this.backend);
    this.particles = new Particles();
    this.stopping = new StoppingConditions();
    this.beginTime = 0;
    this.#failure = undefined;
    this.reversible = false;
    this.#direction = 1;
    this.#time = this.#potentials = this.#sums = this.#fields = undefined;
    this.#isBehind = false;
  }

  destroy(): void {
    this.#release();
    this.#engine?.engine.gpu?.destroy();
    this.#engine = undefined;
  }

  /** Towards a time, `most` steps at most and until `timeout` [ms]; returns how many. */
  async #advance(until: number, most: number, timeout: number): Promise<number> {
    const { time, scenario } = this;
    const direct = scenario.gravity === "direct";
    const { step } = scenario.time;
    const span = Math.abs(until - time);
    const steps = step === "adaptive" ? undefined : stepsBetween(scenario.time, 0, span);
    if (steps !== undefined && (steps > Number.MAX_SAFE_INTEGER || time + span / steps === time)) {
      const found = `found time.step = ${step} from ${time} to ${until}`;
      throw new GravmeshError("usage", `evolve_model: expected steps that float64 tells apart, ${found}`);
    }
    const made = (await this.#upToDate(direct ? span / (steps ?? 1) : undefined))!;
    this.#isBehind = true;
    this.#sums = this.#fields = undefined;
    const watched = Math.min(most, timeout) < Number.POSITIVE_INFINITY;
    const taken = watched ? 1 : (steps ?? 1);
    try {
      if (!direct) return await this.#follow(made, until, { steps, most, timeout });
      await made.backend.advance(taken, made.step);
    } catch (error) {
      const lost = "The particles are lost; cleanup_code clears all to begin anew";
      this.#failure = new GravmeshError("numerical", `${messageOf(error)}. ${lost}`);
      throw this.#failure;
    }
    this.#time = taken === steps ? until : time + this.#direction * made.step;
    return taken;
  }

  #stops(done: number, limits: { steps: number; until: number }): boolean {
    if (performance.now() >= limits.until) this.stopping.meet(TIMEOUT);
    else if (done >= limits.steps) this.stopping.meet(NUMBER_OF_STEPS);
    else return false;
    return true;
  }

  /** Has time go the other way. Throws "usage" where a potential doesn't. */
  async #turn(direction: 1 | -1): Promise<void> {
    if (direction === this.#direction) return;
    if (direction < 0) for (const potential of await this.#external()) reversed(potential);
    await this.#catchUp();
    this.#direction = direction;
    this.changes("all");
  }

  /**
   * Whether particles touch, or have left the sphere about the origin, or about the centre of mass, in which they are to be:
   * conditions that are looked for, as far as they are enabled.
   */
  async #isMet(): Promise<boolean> {
    const particles = await this.current();
    const { stopping } = this;
    if (stopping.isEnabled(COLLISION)) for (const pair of particles.touching()) stopping.meet(COLLISION, pair);
    if (stopping.isEnabled(OUT_OF_BOX)) {
      const { out_of_box: radius, out_of_box_use_center_of_mass: moves } = stopping.parameters;
      const gone = particles.beyond(radius, moves ? particles.mean("positions") : [0, 0, 0]);
      for (const index of gone) stopping.meet(OUT_OF_BOX, [index]);
    }
    return stopping.met.length > 0;
  }

  /** Steps of the mesh: fixed ones that end at the time, or adaptive ones. */
  async #follow(
    made: Made,
    until: number,
    { steps, most, timeout }: { steps: number | undefined; most: number; timeout: number },
  ): Promise<number> {
    const { backend } = made;
    const [from, to] = [this.time, until].map((time) => this.#ownTime(made, time));
    const plan = steps === undefined ? await this.#adaptive(made, from, to) : evenPlan(from, to, steps);
    const end = new AbortController();
    const wait = timeout - performance.now();
    const timer = Number.isFinite(wait) ? setTimeout(() => end.abort(), Math.max(0, wait)) : undefined;
    let done = 0;
    const onProgress = (count: number) => {
      done = count;
    };
    try {
      const stopped = await backend.follow!(plan, { pause: end.signal, most, onProgress });
      this.#time = stopped ? made.origin + this.#direction * plan.after(done).time : until;
    } finally {
      clearTimeout(timer);
    }
    return done;
  }

  /** A time as a backend counts it. */
  #ownTime({ origin }: Made, time: number): number {
    return this.#direction * (time - origin);
  }

  #adaptive({ backend }: Made, from: number, to: number): Promise<PlanToOutput> {
    const outputs = [from, to].map((time) => ({ time }));
    const table = { scenario: this.scenario, schedule: { outputs }, comoving: undefined };
    const here = { step: 0, time: outputs[0].time, output: 0, tick: 0 };
    return adaptivePlan(table, here, () => backend.extremes());
  }

  /** The backend with the particles as they are here; undefined without any. `step`: the largest of a direct sum. */
  async #upToDate(step = this.#made?.step ?? this.#deckStep): Promise<Made | undefined> {
    this.#requireParticles();
    if (this.particles.count === 0) {
      this.#release();
      return undefined;
    }
    const made = this.#made;
    const other = made?.direct && !isStep(step, made.step);
    if (!made || this.#changed === "all" || (made.direct && this.#changed === "phase") || other) {
      await this.#catchUp();
      await this.#make(step);
    } else if (this.#changed === "phase") {
      await this.#restore(made);
    }
    this.#changed = "nothing";
    return this.#made;
  }

  #requireParticles(): void {
    if (this.#failure) throw this.#failure;
  }

  get #deckStep(): number {
    const { step, end } = this.scenario.time;
    return step === "adaptive" ? end : step;
  }

  /** Reads the particles of the backend where they have moved on. */
  async #catchUp(): Promise<void> {
    this.#requireParticles();
    if (!this.#isBehind || !this.#made) return;
    const { positions, velocities } = await this.#made.backend.readParticles();
    const half = this.scenario.box.size / 2;
    this.particles.positions.set(positions.map((x) => x - half));
    this.particles.velocities.set(this.#turned(velocities));
    this.#isBehind = false;
  }

  async #make(step: number): Promise<void> {
    this.#release();
    const scenario = this.#apartFromDrawn();
    const set = this.#set();
    const direct = scenario.gravity === "direct";
    const ofStep = { ...scenario.time, start: 0, continued: [], step, end: step };
    const origin = this.time;
    const later = (await this.#external()).map((potential) => laterBy(potential, origin));
    const external = this.#direction < 0 ? later.map(reversed) : later;
    const few = direct && this.parameters.backend === "auto" && sumsOnCpu(scenario.direct, set.count);
    const engine: Engine = few ? { gpu: undefined, owned: false, notice: undefined } : await this.#chosen();
    const made = { ...scenario, ...(direct && { time: ofStep }) };
    const backend = await makeBackend(made, sourceOf(set), external, engine);
    this.#made = { backend, direct, origin, step };
  }

  /** The deck without the particles that it would draw. */
  #apartFromDrawn(): Scenario {
    const { scenario } = this;
    return { ...scenario, particles: scenario.particles.filter(isRigid) };
  }

  /** Velocities of the backend from those here, or the other way round: a copy. */
  #turned<V extends Float32Array | Float64Array>(velocities: V): V {
    return velocities.map((v) => this.#direction * v) as V;
  }

  /** The particles as the backend has them, in box coordinates. */
  #set(): ParticleSet {
    const { count, masses, positions, velocities } = this.particles;
    const { size, boundary } = this.scenario.box;
    const inBox = (x: number) => {
      const moved = x + size / 2;
      if (boundary === "isolated") return moved;
      const wrapped = moved - size * Math.floor(moved / size);
      return wrapped < size ? wrapped : 0;
    };
    return {
      ...{ count, masses: masses.slice(), positions: positions.map(inBox), velocities: this.#turned(velocities) },
      components: [{ name: "particles", species: "stars", first: 0, count }],
    };
  }

  /** Gives the mesh positions and velocities, with the particles that it has. */
  async #restore(made: Made): Promise<void> {
    const { backend } = made;
    const { boundary, size } = this.scenario.box;
    const { count, positions, velocities } = this.#set();
    const time = Float64Array.of(this.#ownTime(made, this.time));
    const arrays =
      backend.kind === "cpu"
        ? { positions, velocities, step: new Uint32Array(1), time }
        : { ...exactArrays(new ExactBlocks(size, boundary).of({ first: 0, count, positions, velocities })), time };
    await backend.restoreState({ format: STATE_FORMATS.mesh[backend.kind], arrays });
    this.#isBehind = false;
  }

  async #external(): Promise<ExternalPotential[]> {
    const { scenario } = this;
    const { G } = unitSystem(scenario.units.system);
    const { clock, start } = scenario.time;
    this.#potentials ??= await externalPotentialsOf(
      { ...scenario, time: { clock, start } },
      { G, ...fileLoaders(scenario) },
    );
    return this.#potentials;
  }

  async #chosen(): Promise<Engine> {
    const { backend: choice } = this.parameters;
    if (this.#engine?.choice === choice) return this.#engine.engine;
    this.destroy();
    const engine = await engineWithFallback(choice, 'set_parameter("backend", "cpu") computes in float64 on the CPU.');
    if (engine.notice) this.notice(engine.notice);
    // Backends come and go; the device stays until the end.
    this.#engine = { choice, engine: { ...engine, owned: false } };
    return this.#engine.engine;
  }

  #release(): void {
    this.#made?.backend.destroy();
    this.#made = undefined;
    this.#changed = "all";
  }
}

const exactArrays = ({ positions, velocities, images }: ReturnType<ExactBlocks["of"]>) => ({
  ...{ positions, velocities },
  ...(images && { images }),
});
