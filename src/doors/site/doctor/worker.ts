/** The examination of the adapter behind `#doctor`, in a worker of its own: a device that hangs or is lost leaves the page alone. */
import { expose } from "comlink";
import { examine } from "../../../study/doctor/examine.ts";
import type { CheckResult } from "../../../study/doctor/report.ts";
import { pageContext } from "../worker/device.ts";

const stopping = new AbortController();

const doctor = {
  /** `seconds` it may take; as the command line takes when left out. */
  examine: (report: (what: string, done: number) => void, made: (check: CheckResult) => void, seconds?: number) =>
    examine({
      open: pageContext,
      platform: { runtime: navigator.userAgent, system: "", webgpu: "browser" },
      ...{ report, made, signal: stopping.signal },
      ...(seconds !== undefined && { budget: seconds }),
    }),
  /** Ends it after the check that is under way. */
  stop: () => stopping.abort(),
};
export type Doctor = typeof doctor;

expose(doctor);
