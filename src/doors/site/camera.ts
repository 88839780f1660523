/**
 * Camera moves, as functions from a camera to another. With the axes of studio/view/view.ts, right r and up u, and s lengths a
 * CSS pixel, a point (x, y) [pixel] from the picture's middle, y downwards, shows c + s(x r − y u).
 */
import { cameraAxes } from "../../studio/view/camera.ts";
import type { View, ViewCamera } from "../../studio/view/view.ts";
import type { Keyframe } from "./stage.ts";

/** By angles [degree]; the elevation ends at the poles. */
export function turned(camera: ViewCamera, azimuth: number, elevation: number): ViewCamera {
  return {
    ...camera,
    azimuth: (((camera.azimuth + azimuth) % 360) + 360) % 360,
    elevation: Math.min(90, Math.max(-90, camera.elevation + elevation)),
  };
}

/** The centre moves by `x`, `y` of the picture's shorter side, y upwards. */
export function panned(camera: ViewCamera, x: number, y: number): ViewCamera {
  const { right, up } = cameraAxes(camera);
  const along = (k: 0 | 1 | 2) => camera.centre[k] + camera.span * (x * right[k] + y * up[k]);
  return { ...camera, centre: [along(0), along(1), along(2)] };
}

/** Shows `factor` times as much; the point at `x`, `y` of the shorter side, y upwards, stays where it is. */
export function zoomed(camera: ViewCamera, factor: number, [x, y]: readonly [number, number] = [0, 0]): ViewCamera {
  return { ...panned(camera, x * (1 - factor), y * (1 - factor)), span: camera.span * factor };
}

/** `to` with its azimuth the short way round from `from`. */
export function nearestTurn(from: ViewCamera, to: ViewCamera): ViewCamera {
  const way = ((((to.azimuth - from.azimuth) % 360) + 540) % 360) - 180;
  return { ...to, azimuth: from.azimuth + way };
}

/*
 * A film's view in time: each number follows a cubic that is monotonic between two keyframes and at rest at the first and the
 * last (Fritsch & Carlson 1980, SIAM J. Numer. Anal. 17, 238, with slopes by the harmonic mean), spans and densities by their
 * logarithms. So two equal keyframes are a pause, and nothing overshoots. From 0° to 360° is a whole turn. What isn't a number
 * is as in the keyframe before.
 */

/** In order of time; where two are at one time, the later one of the list. */
export function keyframesInOrder(keyframes: readonly Keyframe[]): Keyframe[] {
  return [...new Map(keyframes.map((frame) => [frame.at, frame])).values()].sort((a, b) => a.at - b.at);
}

/** The slope at a knot between two secants; none where they differ in sign. */
function slopeBetween(left: number, right: number, widths: readonly [number, number]): number {
  if (left * right <= 0) return 0;
  const [before, after] = widths;
  const [w, v] = [2 * after + before, after + 2 * before];
  return (w + v) / (w / left + v / right);
}

/** The value at `at` between knots `x` [n] ascending with values `y` [n]; constant beyond the ends. */
function smooth(x: readonly number[], y: readonly number[], at: number): number {
  const n = x.length;
  if (at <= x[0]) return y[0];
  if (at >= x[n - 1]) return y[n - 1];
  const next = x.findIndex((knot) => knot > at);
  const secant = (i: number) => (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
  const slope = (i: number) =>
    i === 0 || i === n - 1 ? 0 : slopeBetween(secant(i), secant(i + 1), [x[i] - x[i - 1], x[i + 1] - x[i]]);
  const width = x[next] - x[next - 1];
  const t = (at - x[next - 1]) / width;
  const [y0, y1] = [y[next - 1], y[next]];
  const [s0, s1] = [width * slope(next - 1), width * slope(next)];
  return (1 + 2 * t) * (1 - t) ** 2 * y0 + t * (1 - t) ** 2 * s0 + t * t * (3 - 2 * t) * y1 + t * t * (t - 1) * s1;
}

/** The view at the share `at` of a film [0…1]; `present` where there are no keyframes. */
export function viewAlong(keyframes: readonly Keyframe[], at: number, present: View): View {
  const frames = keyframesInOrder(keyframes);
  if (frames.length === 0) return present;
  const x = frames.map((frame) => frame.at);
  const along = (value: (view: View) => number) =>
    smooth(
      x,
      frames.map(({ view }) => value(view)),
      at,
    );
  const alongLog = (value: (view: View) => number) => Math.exp(along((view) => Math.log(value(view))));
  const { view } = frames.findLast((frame) => frame.at <= at) ?? frames[0];
  const bright = ({ brightest }: View) => (typeof brightest === "number" && brightest > 0 ? brightest : undefined);
  const centre = (axis: 0 | 1 | 2) => along(({ camera }) => camera.centre[axis]);
  return {
    ...view,
    camera: {
      azimuth: along(({ camera }) => camera.azimuth),
      elevation: along(({ camera }) => camera.elevation),
      centre: [centre(0), centre(1), centre(2)],
      span: alongLog(({ camera }) => camera.span),
    },
    decades: along(({ decades }) => decades),
    brightest: frames.every((frame) => bright(frame.view) !== undefined)
      ? alongLog((other) => bright(other) as number)
      : view.brightest,
  };
}
