/**
 * Camera moves, as functions from a camera to another. With the axes of ../view/view.ts, right r and up u, and s lengths a
 * CSS pixel, a point (x, y) [pixel] from the picture's middle, y downwards, shows c + s(x r − y u).
 */
import { cameraAxes } from "../view/camera.ts";
import type { ViewCamera } from "../view/view.ts";

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
