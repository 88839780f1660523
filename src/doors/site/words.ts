/** What a pane does, in words: times, sizes, states. */
import { large, thinGrouped } from "../../run/page/numbers.ts";
import { isComoving, redshiftText, withUnit } from "../../run/page/units.ts";
import type { PaneState } from "./stage.ts";

/** "t = 0.492 kpc/(km/s)", "a = 0.5 (z = 1)"; digits enough to see it move. */
export function momentText({ time, start, end, units }: PaneState): string {
  const size = Math.max(Math.abs(start), Math.abs(end), 1e-300);
  const digits = Math.min(9, Math.max(0, 3 - Math.floor(Math.log10(size))));
  const shown = time.toFixed(digits).replace("-", "−");
  if (isComoving(units.time)) return `a = ${shown} (z = ${redshiftText(Math.max(time, 1e-9))})`;
  return `t = ${withUnit(shown, units.time)}`;
}

const STATUS: Record<PaneState["status"], string> = {
  empty: "nothing shown",
  preparing: "preparing",
  paused: "paused",
  running: "running",
  done: "finished",
  failed: "stopped by a problem",
  shown: "snapshot",
};

/** Whether the page tries to reach a server: not that of a run that has ended, which has gone for good. */
export const reconnects = ({ status, connected }: PaneState): boolean =>
  connected === false && status !== "done" && status !== "failed";

export const statusText = (state: PaneState): string => (reconnects(state) ? "reconnecting" : STATUS[state.status]);

export function holdingText({ particles, cells }: PaneState): string {
  if (particles === 0) return "";
  return `${thinGrouped(particles)} particles${cells === undefined ? "" : `, ${cells}³ cells`}`;
}

export function placeText({ backend, adapter }: PaneState): string {
  if (backend === undefined) return "";
  return backend === "cpu" ? "CPU, in double precision" : `WebGPU${adapter ? `, ${adapter}` : ""}`;
}

export function paceText({ status, step, stepsPerSecond }: PaneState): string {
  const running = status === "running" && stepsPerSecond > 0;
  return `step ${thinGrouped(step)}${running ? ` · ${large(Number(stepsPerSecond.toPrecision(2)))} steps/s` : ""}`;
}

export function frameText({ frames }: PaneState): string {
  if (!frames) return "";
  const { times, shown } = frames;
  return shown < times.length ? `snapshot ${shown + 1} of ${times.length}` : "as it goes";
}

export const messageText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
