/** Compute kernels: composed WGSL with an explicit binding list, compiled once, bound by order. */
import { GravmeshError } from "../errors.ts";
import { composeWgsl, type WgslConstants, type WgslSource } from "./compose.ts";
import type { GpuContext } from "./context.ts";

/** How @group(0) @binding(i) is used; "uniform-dynamic" takes its offset at dispatch. */
export type BindingKind = "uniform" | "uniform-dynamic" | "read" | "read-write";

export interface KernelSpec {
  /** Names the kernel in errors, captures and tables: "deposit/atomic". */
  label: string;
  /** Modules in order: libraries first. */
  sources: readonly WgslSource[];
  entry: string;
  /** Kind of each binding of group 0, in order of binding number. */
  bindings: readonly BindingKind[];
  constants?: WgslConstants;
}

export type BufferSlice = GPUBuffer | { buffer: GPUBuffer; offset: number; size: number };

/** A kernel with its buffers, ready to dispatch. */
export interface BoundKernel {
  readonly label: string;
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
}

export class Kernel {
  readonly label: string;
  readonly #device: GPUDevice;
  readonly #bindings: readonly BindingKind[];
  readonly #layout: GPUBindGroupLayout;
  readonly #pipeline: GPUComputePipeline;

  private constructor(gpu: GpuContext, spec: KernelSpec, layout: GPUBindGroupLayout, pipeline: GPUComputePipeline) {
    this.label = spec.label;
    this.#device = gpu.device;
    this.#bindings = spec.bindings;
    this.#layout = layout;
    this.#pipeline = pipeline;
  }

  /** Compiles. Throws "device" with file, line and the offending text when the compiler refuses. */
  static async create(gpu: GpuContext, spec: KernelSpec): Promise<Kernel> {
    const { device } = gpu;
    const composed = composeWgsl(spec.sources, spec.constants);
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ label: spec.label, code: composed.code });
    const info = await module.getCompilationInfo();
    const scope = await device.popErrorScope();
    const errors = info.messages.filter((message) => message.type === "error");
    if (errors.length > 0 || scope) {
      const lines = composed.code.split("\n");
      const report = errors.map((message) => {
        const at = composed.locate(message.lineNum);
        const text = lines[message.lineNum - 1]?.trim() ?? "";
        return `${at.path}:${at.line}:${message.linePos} ${message.message}\n    ${text}`;
      });
      throw new GravmeshError(
        "device",
        `kernel ${spec.label} does not compile:\n${report.join("\n") || scope?.message || "no message"}`,
      );
    }
    const layout = device.createBindGroupLayout({
      label: spec.label,
      entries: spec.bindings.map((kind, binding) => ({
        binding,
        visibility: 4, // GPUShaderStage.COMPUTE
        buffer: {
          type: kind === "read" ? "read-only-storage" : kind === "read-write" ? "storage" : "uniform",
          hasDynamicOffset: kind === "uniform-dynamic",
        },
      })),
    });
    try {
      const pipeline = await device.createComputePipelineAsync({
        label: spec.label,
        layout: device.createPipelineLayout({ label: spec.label, bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: spec.entry },
      });
      return new Kernel(gpu, spec, layout, pipeline);
    } catch (cause) {
      throw new GravmeshError("device", `kernel ${spec.label}: ${(cause as Error).message}`, { cause });
    }
  }

  /** Binds buffers in order of binding number. A slice is needed for "uniform-dynamic" (its window). */
  bind(...buffers: BufferSlice[]): BoundKernel {
    if (buffers.length !== this.#bindings.length) {
      throw new Error(`kernel ${this.label} takes ${this.#bindings.length} buffers, got ${buffers.length}`);
    }
    const group = this.#device.createBindGroup({
      label: this.label,
      layout: this.#layout,
      entries: buffers.map((slice, binding) => ({
        binding,
        resource: "buffer" in slice ? slice : { buffer: slice },
      })),
    });
    return { label: this.label, pipeline: this.#pipeline, group };
  }
}
