/**
 * Records chosen particles as a run goes: after a step a kernel finds their slots, another writes position and
 * synchronous velocity of each into a row (wgsl/engine/time/orbits.wgsl), and a submission's rows are read back with it. No bit
 * of the run depends on it.
 */

import bufferPart from "../../../wgsl/engine/time/leapfrog-force-buffer.wgsl";
import orbitsWgsl from "../../../wgsl/engine/time/orbits.wgsl";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, f32, packUniform, u32 } from "../../foundation/gpu/buffers.ts";
import { everyCount } from "../../physics/particles/blocks.ts";
import type { OrbitRequest } from "../../physics/particles/chosen.ts";
import { boxCoordinates } from "../../physics/particles/fixed-point.ts";
import type { Look, Thinned } from "../../physics/particles/thinned.ts";
import { boundInSections, sectionConstants, sectionsOf } from "../gpu-particles/sections.ts";
import type { BothHalves } from "../gpu-particles/windows.ts";
import { type ExternalSlots, externalFieldSources, externalSlots } from "../mesh/force/external-forces.ts";
import { forceBindings, forceReading, readingConstants, substepsOf } from "../mesh/force/force-reading.ts";
import type { LevelPlaces } from "../mesh/levels/level-places.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";
import type { Moment, Observer, StepWatch } from "./observer.ts";

const GROUP = 64;
/** Slots that an invocation looks at. */
const RUN = 16;
/** Bits of the sieve for each chosen particle: one in so many of the others is looked for in the list. */
const SIEVE_BITS = 64;
const LEAST_SIEVE = 256;
/** Words of a particle in a row. */
const WORDS = 8;
/** Rows that are read back with a submission, at most, and their bytes. */
const MOST_ROWS = 64;
const MOST_BYTES = 16 * 1024 * 1024;
const SECTION = 11;

/** Chosen particles after a step, as the device holds them; images mean something in an isolated box alone. */
type FixedRow = Required<Omit<Thinned, "every" | "levelCentres">> & { step: number };

interface Kernels {
  /** One for every window. */
  find: readonly { kernel: BothHalves; groups: readonly [number, number] }[];
  /** One for every section. */
  record: readonly BothHalves[];
}

export const orbitWatch = (request: OrbitRequest): StepWatch => ({
  every: request.every,
  onDevice: (stage, monopole) => OrbitRecorder.create(stage, monopole, request),
  onHost: async (step, read) => request.take({ step, ...(await read(request.ids)) }),
});

export class OrbitRecorder implements Observer {
  /** Steps of the rows that the open batch has. */
  #steps: number[] = [];
  #slot = 0;

  private constructor(
    private readonly stage: MeshStage,
    private readonly request: OrbitRequest,
    private readonly parts: {
      kernels: Kernels;
      steps: GPUBuffer;
      external: ExternalSlots;
      rows: GPUBuffer;
      own: BufferPool;
    },
  ) {}

  /** `monopole`: of EscapedParticles; ids ascend; `mostRows` are read back with a submission. Throws "memory". */
  static async create(
    stage: MeshStage,
    monopole: GPUBuffer,
    request: OrbitRequest,
    mostRows = rowsFor(request.ids.length),
  ): Promise<OrbitRecorder> {
    const { gpu, particles, mesh, settings } = stage;
    const { ids } = request;
    const own = gpu.buffers.pool();
    const sieve = sieveOf(ids);
    const chosen = own.upload("chosen ids", Uint32Array.from(ids), "other");
    const bits = own.upload("sieve of chosen ids", sieve, "other");
    const slotOf = own.storage("slots of chosen ids", 4 * ids.length, "other");
    const rows = own.storage("rows of orbits", 4 * WORDS * ids.length * mostRows, "other");
    const external = externalSlots(own, settings, particles.heaviestSource, MOST_ROWS);
    const steps = own.uniform("steps of orbits", external.stride * MOST_ROWS);
    await own.settle();
    const constants = {
      ...meshConstants(stage, settings.mesh),
      ...{ SIEVE: sieve.length, RUN, FORCE: 5, FORCE_Z: 10, UNROLLED: false, ...readingConstants(stage) },
      ...sectionConstants(particles, mesh.starts, SECTION),
    };
    const sources = [...externalFieldSources(settings), ...[orbitsWgsl, bufferPart, ...forceReading(stage)]];
    const dynamicOffsets = { find: 0, record: external.dynamicOffsets };
    const compiled = (entry: "find" | "record") =>
      gpu.kernel({ label: `orbits/${entry}`, sources, entry, constants, dynamicOffsets: dynamicOffsets[entry] });
    const slots = particles.windows.map(({ first, count }) =>
      own.uniform("window of slots, chosen ids", u32(first, count, ids.length)),
    );
    const look = await compiled("find");
    const find = particles.windows.map((window, w) => ({
      kernel: particles.ofWindow(window, (here) => look.bind(slots[w], here.ids, bits, chosen, slotOf)),
      groups: workgroups(Math.ceil(window.count / RUN), GROUP),
    }));
    const kernel = await compiled("record");
    const sections = sectionsOf(own, particles, mesh.starts);
    const record = boundInSections(kernel, particles, sections, ({ positions, velocities, images }, section) => {
      const chunk = particles.windows.indexOf(section.window);
      const [force, rest] = forceBindings(stage, chunk, section.slab);
      const within = slots[chunk];
      return [
        ...[{ buffer: steps, offset: 0, size: 16 }, external.binding, positions, velocities, images],
        ...[force, monopole, slotOf, rows, within, rest],
      ];
    });
    return new OrbitRecorder(stage, request, { kernels: { find, record }, steps, external, rows, own });
  }

  afterStep(batch: Batch, at: Moment): void {
    if (at.step % this.request.every === 0) this.encode(batch, at);
  }

  full(): boolean {
    return this.#steps.length >= rowsFor(this.request.ids.length);
  }

  encode(batch: Batch, { step, kick, time }: Moment): void {
    const { kernels, steps, external } = this.parts;
    const { phase, current } = this.stage.particles;
    phase.expect("orbits", "accelerated");
    const offset = external.stride * this.#slot;
    this.#slot = (this.#slot + 1) % MOST_ROWS;
    const fast = kick / substepsOf(this.stage);
    batch.write(steps, offset, packUniform([...f32(fast), ...u32(this.#steps.length), ...f32(kick, 0)]));
    external.write(batch, offset, time);
    this.#steps.push(step);
    batch.stage("orbits");
    for (const { kernel, groups } of kernels.find) batch.dispatch(kernel[current], groups);
    const groups = workgroups(this.request.ids.length, GROUP);
    for (const kernel of kernels.record) batch.dispatch(kernel[current], groups, offset);
  }

  /** Has the rows so far read back with a batch's submission, and taken. */
  atEnd(batch: Batch): void {
    const { boxSize, boundary } = this.stage.particles;
    this.encodeReadFixed(batch, ({ step, positions, images, velocities }) => {
      const inBox = boxCoordinates(positions, boundary === "isolated" ? images : undefined, boxSize);
      this.request.take({ step, positions: inBox, velocities });
    });
  }

  /** The same as the device holds them: fixed point, with images. */
  encodeReadFixed(batch: Batch, take: (row: FixedRow) => void): void {
    const steps = this.#steps;
    this.#steps = [];
    if (steps.length === 0) return;
    const count = this.request.ids.length;
    batch.read(this.parts.rows, 0, 4 * WORDS * count * steps.length, (data) => {
      const [words, floats] = [new Uint32Array(data), new Float32Array(data)];
      for (const [i, step] of steps.entries()) {
        const [positions, images] = [new Uint32Array(3 * count), new Uint32Array(count)];
        const velocities = new Float32Array(3 * count);
        for (let k = 0, at = WORDS * count * i; k < count; k++, at += WORDS) {
          for (let axis = 0; axis < 3; axis++) {
            positions[3 * k + axis] = words[at + axis];
            velocities[3 * k + axis] = floats[at + 4 + axis];
          }
          images[k] = words[at + 3];
        }
        take({ step, positions, images, velocities });
      }
    });
  }

  destroy(): void {
    this.parts.own.destroyAll();
  }
}

/**
 * Gives every k-th particle to an observer, as the device holds it: a row of the recorder of orbits at the end of
 * a submission. Nothing is held while there is none.
 */
export class Sampler {
  #ready: { every: number; look: Look; recorder: OrbitRecorder } | undefined;
  #coming = false;

  constructor(
    private readonly stage: MeshStage,
    private readonly monopole: GPUBuffer,
    private readonly levels: LevelPlaces | undefined,
  ) {}

  of(look: Look): Observer {
    let seen = false;
    return {
      prepare: async (idle) => {
        seen = await this.#prepare(look, idle);
      },
      atEnd: (batch, at) => {
        if (seen) this.#encode(batch, at);
      },
    };
  }

  /** Makes ready for a look that is waited for; `idle` waits for the device. A failure ends no run: the look gets its message. */
  async #prepare(look: Look, idle: () => Promise<void>): Promise<boolean> {
    const every = this.#coming ? undefined : look.wanted();
    if (every === undefined) return false;
    if (this.#ready?.every === every && this.#ready.look === look) return true;
    await idle();
    this.end();
    const ids = Uint32Array.from({ length: everyCount(this.stage.particles.count, every) }, (_, k) => every * k);
    try {
      const recorder = await OrbitRecorder.create(this.stage, this.monopole, { ids, every: 1, take: () => {} }, 1);
      this.#ready = { every, look, recorder };
      return true;
    } catch (cause) {
      look.missed(cause instanceof Error ? cause.message : String(cause));
      return false;
    }
  }

  #encode(batch: Batch, at: Moment): void {
    const { every, look, recorder } = this.#ready!;
    const isolated = this.stage.particles.boundary === "isolated";
    recorder.encode(batch, at);
    this.#coming = true;
    let levelCentres: number[][] = [];
    this.levels?.encodeRead(batch, (centres) => {
      levelCentres = centres;
    });
    recorder.encodeReadFixed(batch, ({ step, positions, velocities, images }) => {
      this.#coming = false;
      look.take({ step, every, positions, velocities, levelCentres, ...(isolated && { images }) });
    });
  }

  end(): void {
    this.#ready?.recorder.destroy();
    this.#ready = undefined;
  }
}

/** Rows of so many particles that a submission reads back. */
function rowsFor(count: number): number {
  return Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_BYTES / (4 * WORDS * count))));
}

/** A bit for each id, by its low bits; a power of two of words. */
function sieveOf(ids: Uint32Array): Uint32Array<ArrayBuffer> {
  const words = 2 ** Math.ceil(Math.log2(Math.max(LEAST_SIEVE, (SIEVE_BITS * ids.length) / 32)));
  const sieve = new Uint32Array(words);
  for (const id of ids) sieve[(id >>> 5) & (words - 1)] |= 1 << (id & 31);
  return sieve;
}
