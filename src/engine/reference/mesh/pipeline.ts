/**
 * The whole step in float64 on the CPU (Aubert, Amini & David 2009, fig. 1): order → deposit → Poisson → gradient →
 * update, as kick–drift–kick leapfrog with the inner half kicks merged. The stages are the pure functions of this folder.
 * Every sum runs in the order of ids or of cells, so a run resumed from saved positions and velocities repeats the same bits.
 */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import { blocksOf, everyCount } from "../../../physics/particles/blocks.ts";
import { chosenOf } from "../../../physics/particles/chosen.ts";
import { weightsOf } from "../../../physics/particles/masses.ts";
import { MOTION_FAULTS } from "../../../physics/particles/motion.ts";
import { wholeArrays } from "../../../physics/particles/saved-arrays.ts";
import type { ParticleSet } from "../../../physics/particles/state.ts";
import type { Sums } from "../../../physics/particles/sums.ts";
import { largest, sumParticles } from "../../../physics/particles/sums.ts";
import { emptyThinned, type Look, putThinned } from "../../../physics/particles/thinned.ts";
import { addExternalField } from "../../../physics/potentials/external.ts";
import type {
  AdvanceControl,
  Backend,
  BlockRequest,
  ExactState,
  Extremes,
  FieldAtPoints,
  ModifiedPotentials,
  ParticleBlock,
  ReadParticles,
  ReadRequest,
  StageTime,
  StateInPieces,
  StepPlan,
  Stopped,
} from "../../backend/backend.ts";
import {
  goesOn,
  isClosed,
  plainPlan,
  STATE_FORMATS,
  savedVelocities,
  stopped,
  timesOf,
  uniformFactors,
  velocitiesOf,
} from "../../backend/backend.ts";
import { SPECTRUM_ASSIGNMENT } from "../../diagnostics/power-spectrum-bins.ts";
import { softeningAt } from "../../direct/softening.ts";
import { substepsWanted } from "../../mesh/levels/level-settings.ts";
import { NeutrinoForce } from "../../mesh/neutrino-force.ts";
import type { PipelineSettings } from "../../mesh/settings.ts";
import type { ReadChosen, StepWatch } from "../../time/observer.ts";
import { StageClock } from "../clock.ts";
import { powerSpectrum } from "../diagnostics/power-spectrum.ts";
import { type CellOrder, cellKeys, type HostGrid, hostGridOf, orderByCell } from "./cells.ts";
import { depositMass } from "./deposit.ts";
import { monopole, writeMonopoleField } from "./escaped.ts";
import { meshGradient } from "./gradient.ts";
import { interpolateForce } from "./interpolate.ts";
import { drift, kick, motionFault } from "./leapfrog.ts";
import { ReferenceLevels } from "./levels.ts";
import { addPairs } from "./pairs.ts";
import { poissonSolvers } from "./poisson.ts";
import type { PoissonSolver } from "./poisson-solver.ts";

const STATE_FORMAT = STATE_FORMATS.mesh.cpu;

const STAGES = ["order", "deposit", "poisson", "gradient", "update"] as const;
type Stage = (typeof STAGES)[number];

export class ReferencePipeline implements Backend {
  readonly kind = "cpu";
  readonly looks = true;
  private readonly grid: HostGrid;
  /** [N] what particles count with in sums: the masses themselves, unless all are 0. */
  private readonly weights: Float64Array;
  private readonly positions: Float64Array;
  private readonly velocities: Float64Array;
  private readonly accelerations: Float64Array;
  /** [3N] those that a kick goes by: with substeps, what acts in each of them counts for a part. */
  private readonly kicks: Float64Array;
  private readonly substeps: number;
  /** [3N] with substeps: what levels or pairs add. */
  private readonly fast: Float64Array;
  /** [N] of the mesh, and of the external potentials [velocity²]. */
  private readonly meshPotential: Float64Array;
  private readonly externalPotential: Float64Array;
  private readonly density: Float64Array;
  private readonly force: Float64Array;
  private onMesh: Uint32Array = new Uint32Array(0);
  private escaped: Uint32Array = new Uint32Array(0);
  /** Accelerations and potentials belong to the present positions. */
  private forcesAreCurrent = false;
  /** After a stop between steps: the velocities as they were [3N], and the kick that closes the last step. */
  private halfway: { owed: number; velocities: Float64Array } | undefined;
  private step = 0;
  private watches: readonly StepWatch[] = [];
  /** When the present positions are, as far as external potentials ask for it [time]. */
  private time: number;
  private readonly stages = new StageClock<Stage>(STAGES);
  private readonly neutrinos: NeutrinoForce | undefined;

  private constructor(
    private readonly settings: PipelineSettings,
    private readonly solver: PoissonSolver,
    readonly particles: ParticleSet,
    private readonly levels: ReferenceLevels | undefined,
  ) {
    this.grid = hostGridOf(settings.mesh, settings.boundary, settings.boxSize);
    this.weights = weightsOf(particles.masses);
    this.time = settings.start ?? 0;
    this.positions = particles.positions.slice();
    this.velocities = Float64Array.from(particles.velocities);
    this.accelerations = new Float64Array(3 * particles.count);
    this.substeps = this.weights === particles.masses ? substepsWanted(settings) : 1;
    this.kicks = this.substeps > 1 ? new Float64Array(3 * particles.count) : this.accelerations;
    this.fast = new Float64Array(this.substeps > 1 ? 3 * particles.count : 0);
    this.meshPotential = new Float64Array(particles.count);
    this.externalPotential = new Float64Array(particles.count);
    this.density = new Float64Array(settings.mesh.cells ** 3);
    this.force = new Float64Array(4 * settings.mesh.cells ** 3);
    const { neutrinos, mesh, boxSize } = settings;
    this.neutrinos = neutrinos && new NeutrinoForce(neutrinos, mesh.cells, boxSize);
    levels?.find(this.positions);
  }

  static async create(settings: PipelineSettings, particles: ParticleSet): Promise<ReferencePipeline> {
    const massless = weightsOf(particles.masses) !== particles.masses;
    const mass = particles.masses.reduce((sum, one) => sum + one, 0);
    const levels = massless ? undefined : await ReferenceLevels.create(settings, mass);
    return new ReferencePipeline(settings, await poissonSolvers[settings.mesh.poisson](settings), particles, levels);
  }

  async advance(steps: number, dt: number, control: AdvanceControl = {}): Promise<Stopped | undefined> {
    return steps > 0 ? this.follow(plainPlan(uniformFactors(steps, dt)), control) : undefined;
  }

  async follow(plan: StepPlan, control: AdvanceControl = {}): Promise<Stopped | undefined> {
    const { onProgress, look, most = Number.POSITIVE_INFINITY } = control;
    if (!goesOn(control)) return stopped(0, control);
    if (!this.forcesAreCurrent) await this.evaluateForces();
    let owed = this.halfway?.owed ?? 0;
    if (this.halfway) this.velocities.set(this.halfway.velocities);
    this.halfway = undefined;
    let done = 0;
    for (let segment = plan.next(); ; segment = plan.next()) {
      const { openings, drifts, closings } = segment.factors;
      const times = timesOf(segment, this.time);
      for (let s = 0; s < drifts.length; s++) {
        if (!goesOn(control) || done >= most) {
          if (owed !== 0) this.stopHalfway(owed);
          return stopped(done, control);
        }
        this.forcesAreCurrent = false;
        this.step++;
        const [opening, drift] = [owed + openings[s], drifts[s] / this.substeps];
        owed = closings[s];
        this.stages.run("update", () => this.kickAndDrift(opening, drift), false);
        for (let part = 1; part < this.substeps; part++) {
          this.time = times[s] + (part / this.substeps) * (times[s + 1] - times[s]);
          await this.evaluateFast();
          this.stages.run("update", () => this.kickAndDrift(openings[s] + owed, drift), false);
        }
        this.time = times[s + 1];
        await this.evaluateForces();
        for (const { every, onHost } of this.watches)
          if (this.step % every === 0) await onHost(this.step, this.chosen(owed));
        if (look) this.show(look, owed);
        done += 1;
        if (s < drifts.length - 1 || !segment.last) onProgress?.(done);
      }
      if (isClosed(segment)) {
        this.close(owed);
        owed = 0;
      }
      segment.onSums?.(await this.sums());
      if (segment.measured) plan.note(await this.extremes());
      if (!segment.last) continue;
      onProgress?.(done);
      return;
    }
  }

  beginAt(time: number): void {
    this.time = time;
  }

  async watch(watches: readonly StepWatch[]): Promise<void> {
    this.watches = watches;
  }

  /** Reads particles after a step, with the velocities that the closing kick will give. */
  private chosen(owed: number): ReadChosen {
    return (ids) => {
      const { positions, velocities, kicks } = this;
      const row = chosenOf(ids, { positions, velocities });
      for (const [k, id] of ids.entries()) {
        for (let axis = 0; axis < 3; axis++) row.velocities[3 * k + axis] += owed * kicks[3 * id + axis];
      }
      return row;
    };
  }

  /** Gives one particle in `every` to an observer that waits for it, with the velocities that the closing kick will give. */
  private show(look: Look, owed: number): void {
    const every = look.wanted();
    if (every === undefined) return;
    const { count } = this.particles;
    const { boundary, boxSize } = this.settings;
    const thinned = emptyThinned(everyCount(count, every), every, boundary === "isolated");
    const { positions, kicks, velocities } = this;
    for (let k = 0; every * k < count; k++) {
      putThinned(thinned, k, { positions, velocities, particle: every * k }, boxSize);
      for (let axis = 0; axis < 3; axis++) {
        const at = 3 * every * k + axis;
        thinned.velocities[3 * k + axis] = velocities[at] + owed * kicks[at];
      }
    }
    look.take({ step: this.step, ...thinned, levelCentres: this.levels?.centres() ?? [] });
  }

  /** Stopped between two steps with a kick owed: makes the state synchronous, but keeps what the next steps go on from. */
  private stopHalfway(owed: number): void {
    this.halfway = { owed, velocities: this.velocities.slice() };
    this.close(owed);
  }

  private close(byKick: number): void {
    this.stages.run("update", () => kick(this.velocities, this.kicks, byKick), false);
    this.expectFinite("update", this.velocities, 3, "particle");
  }

  private kickAndDrift(byKick: number, byDrift: number): void {
    const { positions, velocities } = this;
    const { boundary, boxSize } = this.settings;
    kick(velocities, this.kicks, byKick);
    drift(positions, velocities, byDrift, boundary, boxSize);
    this.expectFinite("update", positions, 3, "particle");
    const found = motionFault(positions, velocities, byDrift, boundary, boxSize);
    if (!found) return;
    const where = `Stage update, step ${this.step}, particle ${found.particle}`;
    throw new GravmeshError("numerical", `${where}: ${MOTION_FAULTS[found.fault]}`);
  }

  /** Accelerations and potentials at the present positions. */
  private async evaluateForces(): Promise<void> {
    const { grid, settings, positions } = this;
    const { masses } = this.particles;
    const { boxSize, mesh } = settings;
    const { order, cellStart } = this.stages.run(
      "order",
      (): CellOrder => orderByCell(cellKeys(grid, positions), mesh.cells ** 3),
    );
    const inside = cellStart[mesh.cells ** 3];
    const onMesh = order.subarray(0, inside);
    await this.stages.giveWay();
    this.onMesh = onMesh;
    // Tracers alone attract nothing: the mesh stays as it was made.
    if (this.weights === masses) await this.evaluateMesh(onMesh, boxSize / mesh.cells);
    this.stages.run("update", () => {
      const out = { accelerations: this.accelerations, potential: this.meshPotential };
      this.escaped = order.subarray(inside);
      this.writeMeshField(positions, out, onMesh, this.escaped);
      const slow = this.substeps > 1 ? this.accelerations.map((a, i) => a - this.fast[i]) : undefined;
      this.externalPotential.fill(0);
      this.addExternal(positions, { accelerations: this.accelerations, potential: this.externalPotential });
      for (const [i, a] of slow?.entries() ?? []) this.kicks[i] = a + (this.accelerations[i] - a) / this.substeps;
    });
    this.expectFinite("update", this.accelerations, 3, "particle");
    this.forcesAreCurrent = true;
    await this.stages.giveWay();
  }

  /** What pairs add at some positions; that of the particles with substeps apart, too. */
  private addPairs(
    { accelerations, potential }: FieldAtPoints,
    at: { positions: Float64Array; inside: Uint32Array },
  ): void {
    const { positions, onMesh, fast, weights } = this;
    const { G, boxSize, boundary, mesh, pairs } = this.settings;
    const { masses } = this.particles;
    if (!pairs || weights !== masses) return;
    const apart = this.substeps > 1 && at.positions === positions;
    const of = { positions, masses, inside: onMesh, G, boxSize };
    const out = { accelerations: apart ? fast.fill(0) : accelerations, potential };
    const now = { ...pairs, softening: softeningAt(pairs, this.time) };
    addPairs(now, { ...of, h: boxSize / mesh.cells, wraps: boundary === "periodic" }, out, at);
    for (const [i, a] of apart ? fast.entries() : []) accelerations[i] += a;
  }

  /** Within a step: the kicks by what levels or pairs add at the present positions, and by external potentials. */
  private async evaluateFast(): Promise<void> {
    const { grid, settings, positions, levels, kicks, stages } = this;
    const { count, masses } = this.particles;
    stages.run("deposit", () => {
      const keys = cellKeys(grid, positions);
      this.onMesh = Uint32Array.from(keys.keys()).filter((i) => keys[i] < settings.mesh.cells ** 3);
      levels?.place(positions);
      levels?.deposit(positions, masses, this.onMesh);
    });
    await stages.giveWay();
    if (levels) stages.run("poisson", () => this.fieldOfLevels());
    const nothing = { accelerations: new Float64Array(3 * count), potential: new Float64Array(count) };
    stages.run("update", () => this.addPairs(nothing, { positions, inside: this.onMesh }), false);
    kicks.set(this.fast);
    this.addExternal(positions, { ...nothing, accelerations: kicks });
    for (const [i, a] of kicks.entries()) kicks[i] = a / this.substeps;
    await stages.giveWay();
  }

  /** What levels add to the acceleration of each particle [3N]: into `fast`. */
  private fieldOfLevels(): void {
    this.levels!.solve();
    const out = { accelerations: this.fast.fill(0), potential: new Float64Array(this.particles.count) };
    this.levels!.blend(this.positions, this.onMesh, out);
  }

  /** The field of the mesh, and of pairs with P³M, at the positions in `inside`; at those in `outside` that of the monopole of the mass on it. */
  private writeMeshField(positions: Float64Array, out: FieldAtPoints, inside: Uint32Array, outside: Uint32Array): void {
    const { G, boxSize, mesh, mond } = this.settings;
    interpolateForce(this.grid, this.force, positions, inside, out);
    this.levels?.blend(positions, inside, out);
    this.addPairs(out, { positions, inside });
    if (outside.length === 0) return;
    const mass = monopole(this.positions, this.particles.masses, this.onMesh);
    writeMonopoleField(mass, { G, h: boxSize / mesh.cells, mond, boxSize }, positions, out, outside);
  }

  private addExternal(positions: Float64Array, out: FieldAtPoints): void {
    const { G, boxSize, boundary, externalPotentials } = this.settings;
    const period = boundary === "periodic" ? boxSize : undefined;
    for (const potential of externalPotentials) {
      addExternalField(potential, G, positions, out, { period, time: this.time });
    }
  }

  async fieldAt(points: Float64Array): Promise<FieldAtPoints> {
    if (!this.forcesAreCurrent) await this.evaluateForces();
    const out = { accelerations: new Float64Array(points.length), potential: new Float64Array(points.length / 3) };
    const keys = cellKeys(this.grid, points);
    const isInside = (k: number) => keys[k] < this.density.length;
    const all = Uint32Array.from(keys.keys());
    this.writeMeshField(
      points,
      out,
      all.filter(isInside),
      all.filter((k) => !isInside(k)),
    );
    this.addExternal(points, out);
    return out;
  }

  /** Mass of the particles inside → density → potential → force on the mesh; `h`: side of a cell [length]. */
  private async evaluateMesh(onMesh: Uint32Array, h: number): Promise<void> {
    const { grid, settings, solver, density, force, levels } = this;
    const { mesh } = settings;
    const { masses } = this.particles;
    this.stages.run("deposit", () => {
      if (!levels) return void depositMass(grid, this.positions, masses, onMesh, density);
      levels.place(this.positions);
      levels.deposit(this.positions, masses, onMesh, density);
    });
    this.expectFinite("deposit", density, 1, "cell");
    await this.stages.giveWay();
    this.takeNeutrinos();
    const potential = this.stages.run("poisson", () => {
      if (this.substeps > 1 && levels) this.fieldOfLevels();
      levels?.solve(density);
      return solver.potential(density);
    });
    this.expectFinite("poisson", potential, 1, "cell");
    await this.stages.giveWay();
    this.stages.run("gradient", () => meshGradient({ ...mesh, h }, solver, density, potential, force));
    this.expectFinite("gradient", force, 4, "cell");
    await this.stages.giveWay();
  }

  /** Has the solver take in what massive neutrinos add to the force. */
  private takeNeutrinos(): void {
    const { neutrinos, positions, solver, time } = this;
    if (!neutrinos) return;
    if (neutrinos.due(time)) {
      const { boxSize } = this.settings;
      const mesh = { cells: neutrinos.cells, boxSize, assignment: SPECTRUM_ASSIGNMENT, interlaced: true } as const;
      neutrinos.take(time, powerSpectrum({ ...mesh, positions, masses: this.particles.masses }));
    }
    solver.response = neutrinos.factors;
  }

  async sums(): Promise<Sums> {
    if (!this.forcesAreCurrent) await this.evaluateForces();
    return sumParticles({ ...this.state(), escaped: this.escaped, boxSize: this.settings.boxSize });
  }

  private state() {
    const { positions, velocities, accelerations, meshPotential, externalPotential } = this;
    return { positions, velocities, accelerations, meshPotential, externalPotential, masses: this.weights };
  }

  async extremes(): Promise<Extremes> {
    if (!this.forcesAreCurrent) await this.evaluateForces();
    return { acceleration: largest(this.accelerations), speed: largest(this.velocities) };
  }

  async levelCentres(): Promise<number[][]> {
    return this.levels?.centres() ?? [];
  }

  async modifiedPotentials(): Promise<ModifiedPotentials | undefined> {
    if (!this.forcesAreCurrent) await this.evaluateForces();
    const newton = this.weights === this.particles.masses && this.solver.newtonPotential?.();
    return newton ? { newton, modified: this.force.filter((_, i) => i % 4 === 3) } : undefined;
  }

  async readParticles(want: ReadRequest = {}): Promise<ReadParticles> {
    if ((want.potential || want.accelerations) && !this.forcesAreCurrent) await this.evaluateForces();
    return {
      count: this.particles.count,
      positions: this.positions.slice(),
      velocities: Float32Array.from(this.velocities),
      masses: this.particles.masses.slice(),
      components: this.particles.components,
      ...(want.potential && {
        potential: Float32Array.from(this.meshPotential, (phi, i) => phi + this.externalPotential[i]),
      }),
      ...(want.accelerations && { accelerations: Float32Array.from(this.accelerations) }),
    };
  }

  async *readBlocks(want: BlockRequest = {}): AsyncGenerator<ParticleBlock> {
    yield* blocksOf(await this.readParticles(want), want);
  }

  async saveState(): Promise<ExactState> {
    return {
      format: STATE_FORMAT,
      arrays: {
        positions: this.positions.slice(),
        ...savedVelocities(this.velocities.slice(), this.halfway),
        step: Uint32Array.of(this.step),
        time: Float64Array.of(this.time),
        ...this.solver.saveState?.(),
        ...this.levels?.saveState(),
        ...this.neutrinos?.saveState(),
      },
    };
  }

  /** Throws "input" when the state is another backend's or another particle count's. */
  async restoreState(state: StateInPieces): Promise<void> {
    const arrays = await wholeArrays(state.arrays);
    const { positions, step, time } = arrays;
    const { velocities, halfway } = velocitiesOf(arrays);
    const length = this.positions.length;
    if (state.format !== STATE_FORMAT) {
      throw new GravmeshError(
        "input",
        `Checkpoint: expected state of the CPU pipeline ("${STATE_FORMAT}"), found "${state.format}". ` +
          "Resume with the backend that wrote it.",
      );
    }
    if (positions?.length !== length || velocities?.length !== length || step?.length !== 1) {
      throw new GravmeshError(
        "input",
        `Checkpoint: expected ${length / 3} particles, found ${(positions?.length ?? 0) / 3}. ` +
          "The checkpoint belongs to another scenario or is damaged.",
      );
    }
    this.positions.set(positions);
    this.velocities.set(velocities);
    this.solver.restoreState?.(arrays);
    this.levels?.restoreState(arrays);
    await this.neutrinos?.restoreState(arrays);
    this.step = step[0];
    this.time = time?.[0] ?? 0;
    this.forcesAreCurrent = false;
    this.halfway = undefined;
    if (halfway === undefined) return;
    await this.evaluateForces();
    this.stopHalfway(halfway);
  }

  stageTimes(): StageTime[] {
    return this.stages.times();
  }

  memory(): { total: number; particles: number; mesh: number; other: number } {
    const bytes = (...arrays: ArrayBufferView[]) => arrays.reduce((sum, array) => sum + array.byteLength, 0);
    const { positions, velocities, accelerations, meshPotential, externalPotential } = this;
    const { masses, count } = this.particles;
    // 8 bytes of keys and order each step; cell starts twice during the sort; the potential.
    const ofSubsteps = this.substeps > 1 ? bytes(this.kicks, this.fast) : 0;
    const particles =
      bytes(positions, velocities, accelerations, meshPotential, externalPotential, masses) + ofSubsteps + 8 * count;
    const mesh = bytes(this.density, this.force) + 16 * this.settings.mesh.cells ** 3;
    const other = [this.solver, this.levels].reduce((sum, part) => {
      const { held, working } = part?.memory() ?? { held: 0, working: 0 };
      return sum + held + working;
    }, 0);
    return { total: particles + mesh + other, particles, mesh, other };
  }

  destroy(): void {
    this.forcesAreCurrent = false;
  }

  /** Throws "numerical" naming stage, step and the first value that is not a finite number, of `perItem` an `item`. */
  private expectFinite(stage: Stage, values: Float64Array, perItem: number, item: string): void {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[i];
    if (Number.isFinite(sum)) return;
    const at = values.findIndex((value) => !Number.isFinite(value));
    if (at < 0) return;
    throw new GravmeshError(
      "numerical",
      `Stage ${stage}, step ${this.step}: expected finite numbers, found ${values[at]} at ${item} ` +
        `${Math.floor(at / perItem)}. Look for such a value in the initial conditions, or try a shorter step.`,
    );
  }
}
