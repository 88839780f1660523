/** Stages recorded into one submission. A stage is a timed compute pass, in which many dependent dispatches may follow. */
import { GravmeshError } from "../base/errors.ts";
import { MAP_READ } from "./buffers.ts";
import { captured, LOST } from "./faults.ts";
import type { BoundKernel } from "./kernel.ts";
import type { ReadBacks } from "./read-backs.ts";
import type { HostTraffic, StageTimer } from "./timing.ts";

/** Workgroups for `count` invocations of workgroup size `size`, folded into two dimensions past 65535. */
export function workgroups(count: number, size: number): [number, number] {
  const groups = Math.max(1, Math.ceil(count / size));
  const limit = 65535;
  if (groups <= limit) return [groups, 1];
  const y = Math.ceil(groups / limit);
  return [Math.ceil(groups / y), y];
}

export interface Pass {
  kernel: BoundKernel;
  groups: readonly [number, number];
}

/** A copy from one buffer to another, ready to record [bytes]. */
export interface Copy {
  source: GPUBuffer;
  sourceOffset: number;
  target: GPUBuffer;
  targetOffset: number;
  size: number;
}

/** What a stage consists of. Copies end the compute pass, so that many of them stand together. */
export type Step = Pass | Copy;

/** A stage that may need the host: then it can't be recorded with others, but runs by itself. */
export interface HostStage {
  readonly needsHost: boolean;
  encode(batch: Batch): void;
  /** What a stage that needs the host does in submissions of its own. */
  run?(): Promise<void>;
}

interface ReadBack {
  source: GPUBuffer;
  offset: number;
  bytes: number;
  /** Is given what was read, mapped. */
  take(mapped: Uint8Array<ArrayBuffer>): void;
}

/** What a batch takes of GpuContext. */
interface Submitting {
  readonly device: GPUDevice;
  readonly timer: StageTimer;
  readonly readBacks: ReadBacks;
  readonly traffic: HostTraffic;
  throwIfLost(): void;
  wait<T>(work: Promise<T>, where: string): Promise<T>;
}

export class Batch {
  readonly #stages: string[] = [];
  /** One part in all; where stages are timed by the wall clock, one for every run of a stage. */
  readonly #parts: { stage: string; encoder: GPUCommandEncoder }[] = [];
  readonly #writes: (() => void)[] = [];
  readonly #mirrored = new Set<GPUBuffer>();
  readonly #readBacks: ReadBack[] = [];
  /** Stages of the passes that have timestamps. */
  readonly #timed: string[] = [];
  #pass: GPUComputePassEncoder | undefined;
  #stage = "setup";

  constructor(
    private readonly gpu: Submitting,
    readonly label: string,
  ) {
    gpu.throwIfLost();
    this.#begin();
  }

  /** Whether it is submitted part by part, each when the one before has ended. */
  get inParts(): boolean {
    return this.#parts.length > 1;
  }

  /** Everything recorded from here on belongs to `name`, for timing and errors. */
  stage(name: string): this {
    if (name !== this.#stage) {
      this.#endPass();
      this.#stage = name;
      if (this.gpu.timer.byWallClock) this.#begin();
    }
    if (!this.#stages.includes(name)) this.#stages.push(name);
    return this;
  }

  dispatch(kernel: BoundKernel, groups: readonly [number, number?, number?], dynamicOffset = 0): this {
    const pass = this.#openPass();
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, kernel.group, new Array<number>(kernel.dynamicOffsets).fill(dynamicOffset));
    pass.dispatchWorkgroups(groups[0], groups[1] ?? 1, groups[2] ?? 1);
    return this;
  }

  passes(passes: readonly Pass[]): this {
    for (const { kernel, groups } of passes) this.dispatch(kernel, groups);
    return this;
  }

  steps(steps: readonly Step[]): this {
    for (const step of steps) {
      if ("kernel" in step) this.dispatch(step.kernel, step.groups);
      else this.copy(step.source, step.sourceOffset, step.target, step.targetOffset, step.size);
    }
    return this;
  }

  /** Records a stage, or submits and lets it run by itself; the rest goes into the batch returned. */
  async through(stage: HostStage): Promise<Batch> {
    if (!stage.needsHost) {
      stage.encode(this);
      return this;
    }
    await this.submit();
    await stage.run?.();
    return new Batch(this.gpu, this.label);
  }

  /** Zeroes a buffer or a part of it. Ends the current pass: prefer a kernel inside hot loops. */
  clear(buffer: GPUBuffer, offset = 0, size = buffer.size - offset): this {
    this.#endPass();
    this.#encoder.clearBuffer(buffer, offset, size);
    return this;
  }

  copy(source: GPUBuffer, sourceOffset: number, target: GPUBuffer, targetOffset: number, size: number): this {
    this.#endPass();
    this.#encoder.copyBufferToBuffer(source, sourceOffset, target, targetOffset, size);
    return this;
  }

  /** Copies a picture's bytes, `rowBytes` (a multiple of 256) a row, into a texture of its size. */
  copyIntoTexture(source: GPUBuffer, rowBytes: number, texture: GPUTexture): this {
    this.#endPass();
    const { width, height } = texture;
    this.#encoder.copyBufferToTexture({ buffer: source, bytesPerRow: rowBytes }, { texture }, [width, height]);
    return this;
  }

  /** The same into the first `planes` planes of a three-dimensional texture, timed with its stage. */
  copyIntoTexels(source: GPUBuffer, rowBytes: number, texture: GPUTexture, planes: number): this {
    this.#endPass();
    const { width, height } = texture;
    const from = { buffer: source, bytesPerRow: rowBytes, rowsPerImage: height };
    const stamps = this.gpu.timer.begin(this.#timed, this.#stage);
    const { querySet, beginningOfPassWriteIndex = 0, endOfPassWriteIndex = 0 } = stamps ?? {};
    if (querySet) this.#stamp({ querySet, beginningOfPassWriteIndex });
    this.#encoder.copyBufferToTexture(from, { texture }, [width, height, planes]);
    if (querySet) this.#stamp({ querySet, endOfPassWriteIndex });
    return this;
  }

  /** Writes into a buffer before anything of the batch runs, and after all that was submitted before. */
  write(target: GPUBuffer, offset: number, data: ArrayBuffer): this {
    this.#writes.push(() => this.gpu.device.queue.writeBuffer(target, offset, data));
    return this;
  }

  /** Writes into a part of a buffer of which `mirror` has the content on the host: all that a batch writes is one write. */
  writeThrough(target: GPUBuffer, mirror: Uint8Array<ArrayBuffer>, offset: number, data: ArrayBuffer): this {
    mirror.set(new Uint8Array(data), offset);
    if (this.#mirrored.has(target)) return this;
    this.#mirrored.add(target);
    return this.write(target, 0, mirror.buffer);
  }

  /** Reads `bytes` of a buffer (multiples of 4) back; `take` gets a copy of them before `submit` resolves, or rejects with what it throws. */
  read(source: GPUBuffer, offset: number, bytes: number, take: (data: ArrayBuffer) => void): this {
    this.#readBacks.push({ source, offset, bytes, take: (mapped) => take(mapped.slice().buffer) });
    return this;
  }

  /** The same into an array that is there. */
  readInto(target: Uint8Array<ArrayBuffer>, source: GPUBuffer, offset: number): this {
    this.#readBacks.push({ source, offset, bytes: target.length, take: (mapped) => target.set(mapped) });
    return this;
  }

  /** Submits at once; resolves when the GPU is done. Rejects with a GravmeshError that names batch and stages. */
  async submit(): Promise<void> {
    this.#endPass();
    const { timer, readBacks } = this.gpu;
    const timed = timer.resolve(this.#encoder, this.#timed);
    if (timed) this.read(timed.buffer, 0, timed.bytes, (data) => timer.note(this.#timed, data));
    const total = this.#readBacks.reduce((sum, { bytes }) => sum + bytes, 0);
    const staging = total > 0 ? readBacks.take(total) : undefined;
    let at = 0;
    for (const { source, offset, bytes } of staging ? this.#readBacks : []) {
      this.#encoder.copyBufferToBuffer(source, offset, staging!, at, bytes);
      at += bytes;
    }
    try {
      const last = this.#parts.length - 1;
      const times = new Map<string, number>();
      for (const [i, { stage }] of this.#parts.entries()) {
        const started = performance.now();
        await this.#submitPart(i, i === last ? staging : undefined);
        const ms = (times.get(stage) ?? 0) + performance.now() - started;
        if (this.#stages.includes(stage)) times.set(stage, ms);
      }
      if (timer.byWallClock) timer.add(times);
      if (staging) this.#handOut(staging.getMappedRange(0, total));
    } finally {
      if (staging) readBacks.giveBack(staging);
    }
  }

  /** Submits, and gives what `read` takes. */
  async readBack(source: GPUBuffer, offset = 0, bytes = source.size - offset): Promise<ArrayBuffer> {
    let found = new ArrayBuffer(0);
    await this.read(source, offset, bytes, (data) => {
      found = data;
    }).submit();
    return found;
  }

  /** Submits a part and waits for it, and for what is read back into `staging`. */
  async #submitPart(part: number, staging: GPUBuffer | undefined): Promise<void> {
    const { device, traffic } = this.gpu;
    const where = `${this.label} (${this.#stages.join(", ") || this.#stage})`;
    const { error } = captured(device, () => {
      if (part === 0) for (const write of this.#writes) write();
      device.queue.submit([this.#parts[part].encoder.finish()]);
    });
    traffic.submissions += 1;
    const done = staging ? staging.mapAsync(MAP_READ) : device.queue.onSubmittedWorkDone();
    const failure = done.then(
      () => undefined,
      (cause: Error) => new GravmeshError("device", cause.message || LOST, { cause }),
    );
    const [refused, lost] = await this.gpu.wait(Promise.all([error, failure]), where);
    const wrong = refused ?? lost;
    if (wrong) throw new GravmeshError(wrong.kind, `${where}: ${wrong.message}`);
  }

  #handOut(data: ArrayBuffer): void {
    this.gpu.traffic.bytesRead += data.byteLength;
    let at = 0;
    for (const { bytes, take } of this.#readBacks) {
      take(new Uint8Array(data, at, bytes));
      at += bytes;
    }
  }

  #begin(): void {
    const label = `${this.label}/${this.#stage}`;
    this.#parts.push({ stage: this.#stage, encoder: this.gpu.device.createCommandEncoder({ label }) });
  }

  get #encoder(): GPUCommandEncoder {
    return this.#parts[this.#parts.length - 1].encoder;
  }

  /** A pass of nothing but a timestamp. */
  #stamp(timestampWrites: GPUComputePassTimestampWrites): void {
    this.#encoder.beginComputePass({ label: `${this.label}/${this.#stage}`, timestampWrites }).end();
  }

  #openPass(): GPUComputePassEncoder {
    if (!this.#pass) {
      const timestampWrites = this.gpu.timer.begin(this.#timed, this.#stage);
      this.#pass = this.#encoder.beginComputePass({
        label: `${this.label}/${this.#stage}`,
        ...(timestampWrites && { timestampWrites }),
      });
    }
    return this.#pass;
  }

  #endPass(): void {
    this.#pass?.end();
    this.#pass = undefined;
  }
}
