/** A film: what is wrong with its settings, its making, and its keyframes. */

import { proxy } from "comlink";
import { mebibytes } from "../../../run/page/numbers.ts";
import type { View } from "../../../studio/view/view.ts";
import { keyframesInOrder, nearestTurn } from "../camera.ts";
import type { FilmSettings } from "../page-state.ts";
import type { Keyframe, Pane } from "../stage.ts";
import type { Store } from "../store.ts";
import { messageText } from "../words.ts";
import { download, fileName } from "./download.ts";

export function filmProblem(
  { seconds, rate, width, height, still, until }: FilmSettings,
  time: number,
): string | undefined {
  if (!(seconds > 0 && seconds <= 600)) return "A film has from 0 to 600 seconds.";
  if (!(Number.isInteger(rate) && rate >= 1 && rate <= 120)) return "A film has from 1 to 120 pictures a second.";
  if (![width, height].every((side) => Number.isInteger(side) && side % 2 === 0 && side >= 64 && side <= 7680)) {
    return "Width and height of a film are even numbers of pixels, from 64 to 7680.";
  }
  if (!still && until !== undefined && !(until > time))
    return `The film's last time lies before the present one, ${time}.`;
  return undefined;
}

export async function makeFilm(store: Store, panes: readonly Pane[]): Promise<void> {
  const { settings, progress, ended } = store.page.film;
  const { until, still, ...request } = settings.value;
  const { title, time, end } = store.panes.a.state.value;
  progress.value = 0;
  ended.value = "";
  try {
    const film = await store.stage.film(
      { ...request, panes, keyframes: keyframesInOrder(store.keyframes.value), until: still ? time : (until ?? end) },
      proxy((share: number) => {
        if (progress.peek() !== undefined) progress.value = share;
      }),
    );
    download(fileName(title, ".mp4"), film);
    ended.value = `The film is made: ${mebibytes(film.size)}.`;
  } catch (error) {
    ended.value = messageText(error);
  } finally {
    progress.value = undefined;
  }
}

/** With another view at the film's end; those before move together, so that evenly spaced ones stay so. */
export function appended(keyframes: readonly Keyframe[], view: View): Keyframe[] {
  const n = keyframes.length;
  const before = keyframesInOrder(keyframes).map((frame) => ({ ...frame, at: n < 2 ? 0 : frame.at * ((n - 1) / n) }));
  return [...before, { at: n === 0 ? 0 : 1, view: turnedTo(view, before[n - 1]?.view) }];
}

/** With the view at a share of the film [0…1], in place of one that is there. */
export function keyframeAt(keyframes: readonly Keyframe[], at: number, view: View): Keyframe[] {
  const before = keyframesInOrder(keyframes).findLast((frame) => frame.at < at);
  return keyframesInOrder([...keyframes, { at, view: turnedTo(view, before?.view) }]);
}

/** The views of the keyframes in another order; their times stay. `from`, `to`: places in order of time. */
export function reordered(keyframes: readonly Keyframe[], from: number, to: number): Keyframe[] {
  const frames = keyframesInOrder(keyframes);
  const views = frames.map(({ view }) => view);
  views.splice(to, 0, ...views.splice(from, 1));
  return frames.map(({ at }, i) => ({ at, view: views[i] }));
}

/** The view with its azimuth by whole turns nearest to another's, so that the camera takes the short way. */
function turnedTo(view: View, other: View | undefined): View {
  return other ? { ...view, camera: nearestTurn(other.camera, view.camera) } : view;
}
