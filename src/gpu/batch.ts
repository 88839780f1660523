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

export class Batch {
  readonly label: string;
  readonly #gpu: GpuContext;
  readonly #stages: string[] = [];
  #encoder: GPUCommandEncoder;
  #pass: GPUComputePassEncoder | undefined;
  #stage = "setup";

  constructor(gpu: GpuContext, label: string) {
    this.#gpu = gpu;
    this.label = label;
    gpu.throwIfLost();
    gpu.device.pushErrorScope("validation");
    gpu.device.pushErrorScope("out-of-memory");
    this.#encoder = gpu.device.createCommandEncoder({ label });
  }

  /** Everything recorded from here on belongs to `name`, for timing and errors. */
  stage(name: string): this {
    if (name !== this.#stage) {
      this.#endPass();
      this.#stage = name;
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

  dispatchIndirect(kernel: BoundKernel, args: GPUBuffer, offset = 0, dynamicOffset?: number): this {
    const pass = this.#openPass();
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, kernel.group, dynamicOffset === undefined ? [] : [dynamicOffset]);
    pass.dispatchWorkgroupsIndirect(args, offset);
    return this;
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
    const { device, timer } = this.#gpu;
    timer.resolve(this.#encoder);
    const commands = this.#encoder.finish();
    device.queue.submit([commands]);
    const memory = device.popErrorScope();
    const validation = device.popErrorScope();
    const done = device.queue.onSubmittedWorkDone();
    const work = Promise.all([memory, validation, done, timer.collect()]);
    const where = `${this.label} (${this.#stages.join(", ") || this.#stage})`;
    const [outOfMemory, invalid] = await this.#gpu.wait(work, where);
    const error = invalid ?? outOfMemory;
    if (error) {
      throw new GravmeshError(outOfMemory ? "memory" : "device", `${where}: ${error.message}`);
    }
  }

  #openPass(): GPUComputePassEncoder {
    if (!this.#pass) {
      const timestampWrites = this.#gpu.timer.begin(this.#stage);
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
