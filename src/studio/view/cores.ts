/** Levels in a picture: the edges of the cubes in which their forces count, and which of these a line of sight meets. */
import type { LevelCore } from "../../physics/particles/level-core.ts";
import { cameraAxes } from "./camera.ts";
import type { ViewCamera } from "./view.ts";

/** `period`: side of a periodic box, of which the nearest images are seen [length]. */
export interface CoreView extends Pick<ViewCamera, "azimuth" | "elevation"> {
  centre: readonly number[];
  period?: number | undefined;
}

/** On a picture, x0, y0, x1, y1 from its middle, x to the right and y up [length]. */
export type Edge = readonly [number, number, number, number];

/** Of a core's centre from what the camera looks at [length]. */
const separations = ({ centre }: LevelCore, { centre: seen, period }: CoreView) =>
  centre.map((x, k) => x - seen[k] - (period ? period * Math.round((x - seen[k]) / period) : 0));

const along = (a: readonly number[], b: readonly number[]) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** The 12 edges of each cube. */
export function coreEdges(cores: readonly LevelCore[], view: CoreView): Edge[] {
  const { right, up } = cameraAxes(view);
  return cores.flatMap((core) => {
    const middle = separations(core, view);
    const ends = [-core.halfWidth, core.halfWidth];
    const place = (axis: number, offsets: readonly number[]) => {
      const corner = [...middle];
      for (const [k, d] of offsets.entries()) corner[(axis + k) % 3] += d;
      return [along(corner, right), along(corner, up)];
    };
    return [0, 1, 2].flatMap((axis) =>
      ends.flatMap((second) =>
        ends.map((third): Edge => {
          const [[x0, y0], [x1, y1]] = ends.map((first) => place(axis, [first, second, third]));
          return [x0, y0, x1, y1];
        }),
      ),
    );
  });
}

/** The core of the smallest cells that the line of sight at `x`, `y` meets, from the picture's middle, y up [length]. */
export function finestAt(
  cores: readonly LevelCore[],
  view: CoreView,
  [x, y]: readonly number[],
): LevelCore | undefined {
  const { right, up, nearer } = cameraAxes(view);
  const meets = (core: LevelCore) => {
    const middle = separations(core, view);
    let [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let k = 0; k < 3; k++) {
      const d = middle[k] - x * right[k] - y * up[k];
      // Of a line along a face both ends lie infinitely far on one side, unless it is within.
      const ends = [d - core.halfWidth, d + core.halfWidth].map((end) => end / nearer[k]).sort((a, b) => a - b);
      [from, to] = [Math.max(from, ends[0]), Math.min(to, ends[1])];
    }
    return from < to;
  };
  return cores.filter(meets).sort((a, b) => a.h - b.h)[0];
}
