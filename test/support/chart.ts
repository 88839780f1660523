/** What tests read off a chart's SVG. */
import type { Points } from "../../src/run/page/charts.ts";

/** Pixels of a unit across and up, from the ends of the first curve, which are `points`' first and last. */
export function pixelsPerUnit(svg: string, points: Points): [number, number] {
  const [, path] = /<path class="curve[^"]*" d="([^"]*)"/.exec(svg)!;
  const drawn = path.split(/[ML]/).flatMap((point) => (point === "" ? [] : [point.split(",").map(Number)]));
  const [from, to] = [points[0], points[points.length - 1]];
  const per = (axis: 0 | 1) => (drawn[drawn.length - 1][axis] - drawn[0][axis]) / (to[axis] - from[axis]);
  return [per(0), -per(1)];
}
