/**
 * Drawing particles from a model: any range of a component's ids, in any order and on any thread, since the generator is
 * a function of the id.
 */
import type { SourceBlock } from "../particles/source.ts";
import type { InitialSettings } from "./components.ts";
import type { Draw } from "./draw.ts";
import { type Frame, intoFrame } from "./frames.ts";
import { concentric } from "./group.ts";
import type { ModelComponent, ModelContext, ModelMeans } from "./model.ts";
import { ParticleRandom } from "./philox.ts";

/** Puts particles first, first + 1, … of a component into arrays [3·count] from their beginning on. */
export type Drawing = (into: Pick<SourceBlock, "positions" | "velocities">, first: number, count: number) => void;

/** What each component of a scenario gets to know when it is set up, in deck order. */
export function contextsOf(scenario: InitialSettings, means: ModelMeans): ModelContext[] {
  const { box, cosmology, time } = scenario;
  return concentric(scenario, means.G).map((about) => ({
    ...means,
    ...{ box, cosmology, clock: time.clock, start: time.start, ...about },
  }));
}

/** `index` of the component in its deck: the stream of its random numbers; `frame`: of its galaxy. */
export function drawingOf(
  draw: Draw,
  { seed, velocity, offset }: Pick<ModelComponent, "seed" | "velocity" | "offset">,
  index: number,
  boxSize: number,
  frame?: Frame,
): Drawing {
  if (frame) {
    const inGalaxy: Draw = (random, point) => {
      draw(random, point);
      for (let k = 0; k < 3; k++) {
        point[k] += offset[k];
        point[3 + k] += velocity[k];
      }
      intoFrame(frame, point);
    };
    return drawingOf(inGalaxy, { seed, velocity: [0, 0, 0], offset: [0, 0, 0] }, index, boxSize);
  }
  const random = new ParticleRandom(seed, index);
  const [x, y, z] = offset.map((distance) => 0.5 * boxSize + distance);
  const [vx, vy, vz] = velocity;
  const point = new Float64Array(6);
  return ({ positions, velocities }, first, count) => {
    for (let i = 0, at = 0; i < count; i++, at += 3) {
      random.seek(first + i);
      draw(random, point);
      positions[at] = x + point[0];
      positions[at + 1] = y + point[1];
      positions[at + 2] = z + point[2];
      velocities[at] = vx + point[3];
      velocities[at + 1] = vy + point[4];
      velocities[at + 2] = vz + point[5];
    }
  };
}
