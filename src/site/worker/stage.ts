/** The stage of the page: panes with what they show, in the worker. */
import type { Stage } from "../stage.ts";

export function stage(): Pick<Stage, "ability"> {
  return {
    async ability() {
      const webgpu = (await globalThis.navigator?.gpu?.requestAdapter()) != null;
      return webgpu ? { webgpu } : { webgpu, why: "this browser offers no WebGPU" };
    },
  };
}
