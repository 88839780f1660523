/** The GPU of the page, one context for all panes. When it is lost the panes say so, and the next opening gets another. */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { acquireContext } from "../../../foundation/gpu/device.ts";
import type { Ability } from "../stage.ts";
import { messageText } from "../words.ts";

export class PageDevice {
  #context: Promise<GpuContext | undefined> | undefined;
  #why: string | undefined;

  /** `lost` is called once for every device that fails. */
  constructor(private readonly lost: (error: GravmeshError) => void) {}

  /** The context; undefined where there is no WebGPU. */
  async context(): Promise<GpuContext | undefined> {
    this.#context ??= this.#acquire();
    const context = await this.#context;
    try {
      context?.throwIfLost();
      return context;
    } catch {
      this.#context = undefined;
      context?.destroy();
      return this.context();
    }
  }

  async ability(): Promise<Ability> {
    return (await this.context()) ? { webgpu: true } : { webgpu: false, why: this.#why ?? "" };
  }

  async #acquire(): Promise<GpuContext | undefined> {
    try {
      const context = await pageContext();
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

/** Throws "device" where there is no WebGPU. */
export async function pageContext(): Promise<GpuContext> {
  const gpu = globalThis.navigator?.gpu;
  if (!gpu) throw new GravmeshError("device", "this browser offers no WebGPU here");
  return acquireContext(gpu);
}
function said(error: unknown): string {
  const message = messageText(error);
  return /no WebGPU adapter/.test(message) ? "this browser finds no graphics adapter for WebGPU" : message;
}

/** What to switch on where a browser offers no WebGPU, by what the browser calls itself: a sentence or two. */
export function switchOn(userAgent: string, secure: boolean): string {
  if (!secure) return "Browsers offer WebGPU on https:// and on localhost alone: open the page from there";
  if (/Firefox\//.test(userAgent)) {
    return "Firefox has WebGPU on Windows from 141 and on macOS from 145; elsewhere open about:config, set both dom.webgpu.enabled and gfx.webgpu.ignore-blocklist to true, and start it again";
  }
  if (/Chrom(e|ium)\/|Edg\//.test(userAgent)) {
    return /Linux|X11/.test(userAgent) && !/Android/.test(userAgent)
      ? "On Linux open chrome://flags, switch on “Unsafe WebGPU Support” and “Vulkan”, and start the browser again; or start it with --enable-unsafe-webgpu --enable-features=Vulkan"
      : "Switch on “Use graphics acceleration when available” in the settings under System, update the browser to 113 or later, and look at chrome://gpu";
  }
  if (/Safari\//.test(userAgent)) {
    return "Safari has WebGPU from 26; in earlier versions switch it on in Settings, Feature Flags (Develop menu)";
  }
  return "Chrome, Edge, Firefox and Safari have WebGPU in their present versions";
}
