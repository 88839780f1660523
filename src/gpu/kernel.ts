/** Compute kernels: composed WGSL with an explicit binding list, compiled once, bound by order. */
import { GravmeshError } from "../errors.ts";
import { type ComposedWgsl, composeWgsl, type WgslConstants, type WgslSource } from "./compose.ts";

/** How @group(0) @binding(i) is used; "uniform-dynamic" takes its offset at dispatch. */
export type BindingKind = "uniform" | "uniform-dynamic" | "read" | "read-write";

export interface KernelSpec {
  /** Names the kernel in errors, captures and tables: "deposit/atomic". */
  label: string;
  /** The kernel's own files, and those that it chooses between; what they import comes with them. */
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

/** What a kernel is compiled to. */
interface Compiled {
  layout: GPUBindGroupLayout;
  pipeline: GPUComputePipeline;
}

/** Kernels that a cache keeps, the latest ones: a long life with many meshes shall not fill the memory. */
const MOST_KERNELS = 512;

/** Kernels of a device by their composed code, entry and bindings: what several simulations ask for is compiled once. */
export class KernelCache {
  readonly #compiled = new Map<string, Promise<Compiled>>();

  constructor(private readonly device: GPUDevice) {}

  async get(spec: KernelSpec): Promise<Kernel> {
    const composed = composeWgsl(spec.sources, spec.constants);
    const key = [spec.entry, ...spec.bindings, composed.code].join(" ");
    const compiled = this.#compiled.get(key) ?? compile(this.device, spec, composed);
    this.#compiled.delete(key); // last in the order of use from here on
    this.#compiled.set(key, compiled);
    if (this.#compiled.size > MOST_KERNELS) this.#compiled.delete(this.#compiled.keys().next().value!);
    try {
      return new Kernel(this.device, spec, await compiled);
    } catch (error) {
      if (this.#compiled.get(key) === compiled) this.#compiled.delete(key);
      throw error;
    }
  }
}

/** Throws "device" with file, line and the offending text when the compiler refuses. */
async function compile(device: GPUDevice, spec: KernelSpec, composed: ComposedWgsl): Promise<Compiled> {
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
    return { layout, pipeline };
  } catch (cause) {
    throw new GravmeshError("device", `kernel ${spec.label}: ${(cause as Error).message}`, { cause });
  }
}

export class Kernel {
  readonly label: string;
  readonly #bindings: readonly BindingKind[];

  constructor(
    private readonly device: GPUDevice,
    spec: KernelSpec,
    private readonly compiled: Compiled,
  ) {
    this.label = spec.label;
    this.#bindings = spec.bindings;
  }

  /** Binds buffers in order of binding number. A slice is needed for "uniform-dynamic" (its window). */
  bind(...buffers: BufferSlice[]): BoundKernel {
    if (buffers.length !== this.#bindings.length) {
      throw new Error(`kernel ${this.label} takes ${this.#bindings.length} buffers, got ${buffers.length}`);
    }
    const group = this.device.createBindGroup({
      label: this.label,
      layout: this.compiled.layout,
      entries: buffers.map((slice, binding) => ({
        binding,
        resource: "buffer" in slice ? slice : { buffer: slice },
      })),
    });
    return { label: this.label, pipeline: this.compiled.pipeline, group };
  }
}
