/**
 * The GPU of the page: one context for all panes and their renderers, with the limits that the adapter has. When it is lost
 * the panes are told, and the next that is opened gets another.
 */

import { GravmeshError } from "../../base/errors.ts";
import { adapterName } from "../../gpu/adapter.ts";
import type { GpuContext } from "../../gpu/context.ts";
import { acquireContext } from "../../gpu/device.ts";
import { switchOn } from "./ability.ts";

export interface Ability {
  webgpu: boolean;
  adapter?: string;
  why?: string;
}

export class PageDevice {
  #context: Promise<GpuContext | undefined> | undefined;
  #why: string | undefined;

  /** `lost` is told once for every device that fails. */
  constructor(private readonly lost: (error: GravmeshError) => void) {}

  /** The context; undefined where there is no WebGPU. */
  async context(): Promise<GpuContext | undefined> {
    this.#context ??= this.#acquire();
    const context = await this.#context;
    if (!context || isWell(context)) return context;
    this.forget(context);
    return this.context();
  }

  async ability(): Promise<Ability> {
    const context = await this.context();
    if (context) return { webgpu: true, adapter: adapterName(context.adapter) };
    return { webgpu: false, why: this.#why ?? "" };
  }

  /** Gives up a context that has failed: the next is another. */
  forget(context: GpuContext): void {
    this.#context = undefined;
    context.destroy();
  }

  async #acquire(): Promise<GpuContext | undefined> {
    const gpu = globalThis.navigator?.gpu;
    try {
      if (!gpu) throw new GravmeshError("device", "this browser offers no WebGPU here");
      const context = await acquireContext(gpu);
      this.#why = undefined;
      context.failed.catch((error: GravmeshError) => this.lost(error));
      return context;
    } catch (error) {
      this.#why = `${said(error)}. ${switchOn(globalThis.navigator?.userAgent ?? "", globalThis.isSecureContext)}`;
      this.#context = undefined; // it may be there the next time
      return undefined;
    }
  }
}

function said(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /no WebGPU adapter/.test(message) ? "this browser finds no graphics adapter for WebGPU" : message;
}

function isWell(context: GpuContext): boolean {
  try {
    context.throwIfLost();
    return true;
  } catch {
    return false;
  }
}
