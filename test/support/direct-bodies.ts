/** Bodies in motion for tests of direct summation, and how far vectors are from what they should be. */
import { sequence } from "./scenario-fixture.ts";

export interface Motion {
  positions: Float64Array;
  velocities: Float64Array;
  accelerations: Float64Array;
  jerks: Float64Array;
  times: Float64Array;
  masses: Float64Array;
  ids: Uint32Array;
}

/** Bodies in the unit ball's cube about (0.2, −0.1, 0), with ids that are no row numbers and times in [0, 1). */
export function moving(count: number, seed: number): Motion {
  const random = sequence(seed);
  const vectors = (scale: number) => Float64Array.from({ length: 3 * count }, () => scale * (2 * random() - 1));
  const positions = vectors(1).map((x, i) => x + [0.2, -0.1, 0][i % 3]);
  const motion = { velocities: vectors(0.7), accelerations: vectors(1.1), jerks: vectors(2) };
  return {
    ...{ positions, ...motion },
    times: Float64Array.from({ length: count }, random),
    masses: Float64Array.from({ length: count }, () => (0.5 + random()) / count),
    ids: Uint32Array.from({ length: count }, (_, i) => 3 * (count - i)),
  };
}

/** The same at a time, by Taylor series in float64. */
export function predictedTo(bodies: Motion, time: number): Motion {
  const { velocities, accelerations, jerks, times } = bodies;
  const h = (i: number) => time - times[Math.floor(i / 3)];
  return {
    ...bodies,
    positions: bodies.positions.map(
      (x, i) => x + velocities[i] * h(i) + (accelerations[i] * h(i) ** 2) / 2 + (jerks[i] * h(i) ** 3) / 6,
    ),
    velocities: velocities.map((v, i) => v + accelerations[i] * h(i) + (jerks[i] * h(i) ** 2) / 2),
    accelerations: accelerations.map((a, i) => a + jerks[i] * h(i)),
  };
}

/** Length of the difference over the length of what is expected, vector by vector; 0 where both are 0. */
export function vectorErrors(found: Float64Array, expected: Float64Array, width: number): number[] {
  if (found.length !== expected.length) throw new Error(`lengths ${found.length} and ${expected.length}`);
  return Array.from({ length: expected.length / width }, (_, k) => {
    const norm = (x: Float64Array, y?: Float64Array) =>
      Math.hypot(...Array.from({ length: width }, (_, axis) => x[width * k + axis] - (y?.[width * k + axis] ?? 0)));
    const [difference, length] = [norm(found, expected), norm(expected)];
    return difference === 0 ? 0 : difference / length;
  });
}
