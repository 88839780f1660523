/** What a pane shows of a folder or a live run, from the last message of each kind that its server has sent. */

import type { LevelCore } from "../../../physics/particles/level-core.ts";
import type { FromServer } from "../../../studio/live/protocol.ts";
import { EMPTY, type PaneState, type PaneStatus } from "../stage.ts";
/** The last message of each kind, but for those of curves, which are passed on. */
export type LastMessages = { [Kind in FromServer["event"]]?: Extract<FromServer, { event: Kind }> };

/** The frame that is shown, and its place in a folder. */
export interface Seen {
  time: number;
  step?: number;
  index?: number;
  cores?: readonly LevelCore[];
}

export const isLive = ({ about }: LastMessages): boolean => about?.about.kind === "live";

export function liveStatus({ about, state: last }: LastMessages): PaneStatus {
  const state = last?.state ?? "preparing";
  if (state === "ended") return about?.about.status === "failed" ? "failed" : "done";
  return state === "stopping" ? "running" : state;
}

/** The state of a pane in which a frame is seen; `looksBack`: a snapshot instead of a live run's present. */
export function shownState(
  messages: LastMessages,
  seen: Seen | undefined,
  looksBack: boolean,
): Omit<PaneState, "status"> {
  const { about: { about } = {}, state, preparation } = messages;
  const progress = isLive(messages) ? messages.progress : undefined;
  const shared = {
    ...{ ...EMPTY, stepsPerSecond: progress?.stepsPerSecond ?? 0 },
    ...{ doing: preparation?.detail, notice: state?.message, stays: state?.stays },
  };
  if (!about) return { ...shared, fraction: preparation?.fraction ?? 0 };
  const { title, start, end, cells, boxSize, periodic, units, components, warnings, conserved, field, frames } = about;
  const { time = start, step = 0, index, cores } = seen ?? {};
  const live = looksBack ? undefined : progress;
  const share = live?.fraction ?? (end > start ? (time - start) / (end - start) : 0);
  const isPreparing = (state?.state ?? "preparing") === "preparing";
  const times = frames.map((frame) => frame.time);
  const shown = index ?? (isLive(messages) ? times.length : 0);
  return {
    ...shared,
    ...{ title, start, end, cells: cells ?? undefined, boxSize, periodic, units, components },
    ...{ cores, warnings, conserved, field, time: live?.time ?? time, step: live?.step ?? step },
    fraction: isPreparing ? (preparation?.fraction ?? 0) : share,
    particles: components.reduce((sum, { count }) => sum + count, 0),
    ...(!isLive(messages) && { frames: { times, shown } }),
    ...(isLive(messages) && times.length > 0 && { frames: { times, shown, live: true } }),
  };
}
