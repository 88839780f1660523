/**
 * A batch of stages recorded into one submission. A stage is a timed compute pass; many dependent dispatches
 * share it (each dispatch is a synchronisation scope of its own). Errors reject the promise of `submit` and
 * name the batch and its stages.
 */
import { GravmeshError } from "../errors.ts";
import type { GpuContext } from "./context.ts";
import type { BoundKernel } from "./kernel.ts";

/** Workgroups for `count` invocations of workgroup size `size`, folded into two dimensions past 65535. */
export function workgroups(count: number, size: number): [number, number] {
  const groups = Math.max(1, Math.ceil(count / size));
  const limit = 65535;
  if (groups <= limit) return [groups, 1];
  const y = Math.ceil(groups / limit);
  return [Math.ceil(groups / y), y];
}

/** A dispatch, ready to record. */
export interface Pass {
  kernel: BoundKernel;
  groups: readonly [number, number];
}

/** A stage that may need the host: then it can't be recorded with others, but runs by itself. */
export interface HostStage {
  readonly needsHost: boolean;
  encode(batch: Batch): void;
  /** Of a stage that needs the host. */
  run?(): Promise<void>;
}

export class Batch {
  readonly #stages: string[] = [];
  /** One part in all; where stages are timed by the wall clock, one for every run of a stage. */
  readonly #parts: { stage: string; encoder: GPUCommandEncoder }[] = [];
  #pass: GPUComputePassEncoder | undefined;
  #stage = "setup";

  constructor(
    private readonly gpu: GpuContext,
    readonly label: string,
  ) {
    gpu.throwIfLost();
    gpu.device.pushErrorScope("validation");
    gpu.device.pushErrorScope("out-of-memory");
    this.#begin();
  }

  /** Everything recorded from here on belongs to `name`, for timing and errors. */
  stage(name: string): this {
    if (name !== this.#stage) {
      this.#endPass();
      this.#stage = name;
      if (!this.gpu.timer.timestamps) this.#begin();
    }
    if (!this.#stages.includes(name)) this.#stages.push(name);
    return this;
  }

  dispatch(kernel: BoundKernel, groups: readonly [number, number?, number?], dynamicOffset?: number): this {
    const pass = this.#openPass();
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, kernel.group, dynamicOffset === undefined ? [] : [dynamicOffset]);
    pass.dispatchWorkgroups(groups[0], groups[1] ?? 1, groups[2] ?? 1);
    return this;
  }

  passes(passes: readonly Pass[]): this {
    for (const { kernel, groups } of passes) this.dispatch(kernel, groups);
    return this;
  }

  dispatchIndirect(kernel: BoundKernel, args: GPUBuffer, offset = 0, dynamicOffset?: number): this {
    const pass = this.#openPass();
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, kernel.group, dynamicOffset === undefined ? [] : [dynamicOffset]);
    pass.dispatchWorkgroupsIndirect(args, offset);
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

  /** Submits and resolves when the GPU is done; rejects with a GravmeshError that names the stages. */
  async submit(): Promise<void> {
    this.#endPass();
    const { device, timer } = this.gpu;
    const where = `${this.label} (${this.#stages.join(", ") || this.#stage})`;
    timer.resolve(this.#encoder);
    const commands = this.#parts.map(({ stage, encoder }) => ({ stage, buffer: encoder.finish() }));
    if (timer.timestamps) device.queue.submit(commands.map(({ buffer }) => buffer));
    else await this.#submitInTurns(commands, where);
    const memory = device.popErrorScope();
    const validation = device.popErrorScope();
    const done = device.queue.onSubmittedWorkDone();
    const work = Promise.all([memory, validation, done, timer.collect()]);
    const [outOfMemory, invalid] = await this.gpu.wait(work, where);
    const error = invalid ?? outOfMemory;
    if (error) {
      throw new GravmeshError(outOfMemory ? "memory" : "device", `${where}: ${error.message}`);
    }
  }

  /** Waits for each part before the next, and adds up the wall-clock time of the stages. */
  async #submitInTurns(commands: { stage: string; buffer: GPUCommandBuffer }[], where: string): Promise<void> {
    const { device, timer } = this.gpu;
    const times = new Map<string, number>();
    for (const { stage, buffer } of commands) {
      const started = performance.now();
      device.queue.submit([buffer]);
      await this.gpu.wait(device.queue.onSubmittedWorkDone(), where);
      if (this.#stages.includes(stage)) times.set(stage, (times.get(stage) ?? 0) + performance.now() - started);
    }
    timer.add(times);
  }

  #begin(): void {
    const label = `${this.label}/${this.#stage}`;
    this.#parts.push({ stage: this.#stage, encoder: this.gpu.device.createCommandEncoder({ label }) });
  }

  get #encoder(): GPUCommandEncoder {
    return this.#parts[this.#parts.length - 1].encoder;
  }

  #openPass(): GPUComputePassEncoder {
    if (!this.#pass) {
      const timestampWrites = this.gpu.timer.begin(this.#stage);
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
