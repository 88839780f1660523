/** Compute kernels: composed WGSL, compiled once, bound by order or by name. */
import { patiently } from "../base/waiting.ts";
import { type Binding, type BindingKind, bindingsOf } from "./bindings.ts";
import { type ComposedWgsl, composeWgsl, type WgslConstants, type WgslSource } from "./compose.ts";
import type { Preparing } from "./context.ts";
import { captured, KernelRefused } from "./faults.ts";

export interface KernelSpec {
  /** Names the kernel in errors, captures and tables: "deposit/atomic". */
  label: string;
  /** The kernel's own files, and those that it chooses between; what they import comes with them. */
  sources: readonly WgslSource[];
  entry: string;
  /** So many bindings from 0 on are uniforms whose common offset is given at dispatch. */
  dynamicOffsets?: number;
  constants?: WgslConstants;
}

/** A part of a buffer [bytes]. */
export interface BufferRange {
  buffer: GPUBuffer;
  offset: number;
  size: number;
}
export type BufferSlice = GPUBuffer | BufferRange;
export type Bound = BufferSlice | GPUTextureView;

/** A kernel with its buffers, ready to dispatch. */
export interface BoundKernel {
  readonly label: string;
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  /** Bindings that take the offset of a dispatch. */
  readonly dynamicOffsets: number;
}

interface Compiled {
  bindings: ReadonlyMap<number, Binding>;
  layout: GPUBindGroupLayout;
  pipeline: GPUComputePipeline;
  dynamicOffsets: number;
}

/** Kernels that a cache keeps, the latest ones: a long life with many meshes shall not fill the memory. */
const MOST_KERNELS = 512;

/** Kernels of a device by their composed code and entry: what several simulations ask for is compiled once. */
export class KernelCache {
  readonly #compiled = new Map<string, Promise<Compiled>>();

  constructor(
    private readonly device: GPUDevice,
    private readonly software: boolean,
    private readonly preparing: Preparing,
  ) {}

  async get(spec: KernelSpec): Promise<Kernel> {
    const composed = composeWgsl(spec.sources, spec.constants);
    const key = [spec.entry, spec.dynamicOffsets, composed.code].join(" ");
    const known = this.#compiled.get(key);
    if (!known) this.preparing.compiles(spec.label);
    const compiled = known ?? patiently(compile(this.device, spec, composed), { software: this.software });
    this.#compiled.delete(key); // last in the order of use from here on
    this.#compiled.set(key, compiled);
    if (this.#compiled.size > MOST_KERNELS) this.#compiled.delete(this.#compiled.keys().next().value!);
    try {
      return new Kernel(this.device, spec.label, await compiled);
    } catch (error) {
      if (this.#compiled.get(key) === compiled) this.#compiled.delete(key);
      throw error;
    }
  }
}

/** Throws "device" with file, line and the offending text when the compiler refuses. */
async function compile(device: GPUDevice, spec: KernelSpec, composed: ComposedWgsl): Promise<Compiled> {
  const { value: module, error } = captured(device, () =>
    device.createShaderModule({ label: spec.label, code: composed.code }),
  );
  const info = await module.getCompilationInfo();
  const scope = await error;
  const errors = info.messages.filter((message) => message.type === "error");
  if (errors.length > 0 || scope) {
    const lines = composed.code.split("\n");
    const report = errors.map((message) => {
      const at = composed.locate(message.lineNum);
      const text = lines[message.lineNum - 1]?.trim() ?? "";
      return `${at.path}:${at.line}:${message.linePos} ${message.message}\n    ${text}`;
    });
    throw new KernelRefused(
      `kernel ${spec.label} does not compile:\n${report.join("\n") || scope?.message || "no message"}`,
    );
  }
  const bindings = bindingsOf(composed.code, spec.entry, spec.constants);
  const { dynamicOffsets = 0 } = spec;
  const entries = Array.from(bindings, ([binding, { kind }]) => ({
    binding,
    visibility: 4, // GPUShaderStage.COMPUTE
    ...layoutOf(kind, binding < dynamicOffsets),
  }));
  const made = captured(device, () => {
    const layout = device.createBindGroupLayout({ label: spec.label, entries });
    const whole = device.createPipelineLayout({ label: spec.label, bindGroupLayouts: [layout] });
    const compute = { module, entryPoint: spec.entry };
    return { layout, pipeline: device.createComputePipelineAsync({ label: spec.label, layout: whole, compute }) };
  });
  try {
    const pipeline = await made.value.pipeline;
    return { bindings, layout: made.value.layout, pipeline, dynamicOffsets };
  } catch (cause) {
    const { message } = (await made.error) ?? (cause as Error);
    throw new KernelRefused(`kernel ${spec.label}: ${message}`, { cause });
  }
}

function layoutOf(
  kind: BindingKind,
  hasDynamicOffset: boolean,
): Pick<GPUBindGroupLayoutEntry, "buffer" | "storageTexture"> {
  if (kind === "texels read" || kind === "texels write") {
    const access = kind === "texels read" ? "read-only" : "write-only";
    return { storageTexture: { access, format: "rgba32float", viewDimension: "3d" } };
  }
  const type = kind === "read" ? "read-only-storage" : kind === "read-write" ? "storage" : "uniform";
  return { buffer: { type, hasDynamicOffset } };
}

/** Bindings that a kernel remembers: those of a picture's levels, say, which are asked for with every picture. */
const MOST_BOUND = 32;

export class Kernel {
  readonly #bound: { to: readonly Bound[]; kernel: BoundKernel }[] = [];

  constructor(
    private readonly device: GPUDevice,
    readonly label: string,
    private readonly compiled: Compiled,
  ) {}

  /**
   * Binds buffers and textures in order of binding number; those that the entry point doesn't use are left out. A dynamic
   * offset needs a slice. The same list again costs nothing.
   */
  bind(...buffers: Bound[]): BoundKernel {
    const known = this.#bound.find(
      ({ to }) => to.length === buffers.length && to.every((one, i) => one === buffers[i]),
    );
    if (known) return known.kernel;
    const kernel = this.#bindAnew(buffers);
    if (this.#bound.length === MOST_BOUND) this.#bound.shift();
    this.#bound.push({ to: buffers, kernel });
    return kernel;
  }

  /** The same by the names of the WGSL's variables, or by number where a constant has it; others are left out. */
  bindNamed(given: Readonly<Record<string, Bound | undefined>>): BoundKernel {
    const buffers: Bound[] = [];
    for (const [binding, { name }] of this.compiled.bindings) buffers[binding] = (given[name] ?? given[binding])!;
    return this.bind(...buffers);
  }

  #bindAnew(buffers: readonly Bound[]): BoundKernel {
    const { label } = this;
    const { bindings, layout, pipeline, dynamicOffsets } = this.compiled;
    const entries = Array.from(bindings, ([binding, { name, kind }]) => {
      const slice = buffers[binding];
      if (!slice) throw new Error(`kernel ${label}: nothing is bound to ${name}, at ${binding}`);
      const whole = kind === "texels read" || kind === "texels write" || "buffer" in slice;
      return { binding, resource: whole ? slice : { buffer: slice as GPUBuffer } } as GPUBindGroupEntry;
    });
    return { label, pipeline, group: this.device.createBindGroup({ label, layout, entries }), dynamicOffsets };
  }
}
