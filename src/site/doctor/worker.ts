/** The examination of the adapter behind `#doctor`, in a worker of its own: a device that hangs or is lost leaves the page alone. */
import { expose } from "comlink";
import { GravmeshError } from "../../base/errors.ts";
import { examine } from "../../doctor/examine.ts";
import type { CheckResult, DoctorRecord } from "../../doctor/report.ts";
import { acquireContext } from "../../gpu/device.ts";

/** What the page asks of it. */
export interface Doctor {
  /** `seconds` it may take; as the command line takes when left out. */
  examine(
    tell: (what: string, done: number) => void,
    made: (check: CheckResult) => void,
    seconds?: number,
  ): Promise<DoctorRecord>;
  /** Ends it after the check that is under way. */
  stop(): void;
}

const stopping = new AbortController();

const doctor: Doctor = {
  examine: (tell, made, seconds) =>
    examine({
      open: async () => {
        const gpu = globalThis.navigator.gpu;
        if (!gpu) throw new GravmeshError("device", "this browser offers no WebGPU here");
        return acquireContext(gpu);
      },
      platform: { runtime: navigator.userAgent, system: "", webgpu: "browser" },
      ...{ tell, made, signal: stopping.signal },
      ...(seconds !== undefined && { budget: seconds }),
    }),
  stop: () => stopping.abort(),
};

expose(doctor);
