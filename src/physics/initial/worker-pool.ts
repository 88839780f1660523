/**
 * Drawing particles from a model: any range of ids, in any order and on any thread, since the generator is a function of
 * the id. Several threads (threads.node.ts) are handed blocks of ids, and their blocks are taken in order.
 */
import type { IdRange } from "../particles/reductions.ts";
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
  const centre = offset.map((distance) => 0.5 * boxSize + distance);
  const point = new Float64Array(6);
  return ({ positions, velocities }, first, count) => {
    for (let i = 0, at = 0; i < count; i++, at += 3) {
      random.seek(first + i);
      draw(random, point);
      for (let k = 0; k < 3; k++) {
        positions[at + k] = centre[k] + point[k];
        velocities[at + k] = velocity[k] + point[3 + k];
      }
    }
  };
}

/** What the threads have to know beforehand; plain data, which can be sent. */
export interface DrawJob {
  scenario: InitialSettings;
  G: number;
  /** Precision of a component of a velocity. */
  bits: 32 | 64;
  /** The components that are drawn, by their place in the deck, with the frames of their galaxies, and their particles together. */
  components: readonly { index: number; frame: Frame | undefined }[];
  count: number;
}

/** What a task has drawn; the arrays may be longer. */
export interface DrawnArrays {
  positions: Float64Array<ArrayBuffer>;
  velocities: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
}

export function roomFor(length: number, bits: 32 | 64): DrawnArrays {
  const positions = new Float64Array(length);
  return { positions, velocities: bits === 64 ? new Float64Array(length) : new Float32Array(length) };
}

export interface Hand {
  /** Some particles of the component `index`. `room` from an earlier task is written to if it is large enough, and gone in any case. */
  draw(task: IdRange & { index: number }, room?: DrawnArrays): Promise<DrawnArrays>;
}

export interface WorkerPool {
  hands: readonly Hand[];
  dismiss(): void;
}

/** Undefined where there is nothing to gain, or nothing to start threads with. */
export type WorkerPoolMaker = (job: DrawJob) => Promise<WorkerPool | undefined>;

/** Tasks that each hand has at a time, so that it needn't wait while the blocks are used. */
const TASKS_EACH = 2;

export async function* drawnByCrew(
  { hands }: WorkerPool,
  index: number,
  ranges: Iterable<IdRange>,
): AsyncGenerator<SourceBlock> {
  const rest = ranges[Symbol.iterator]();
  const underWay: (IdRange & { drawn: Promise<DrawnArrays> })[] = [];
  const rooms: DrawnArrays[] = [];
  const busy = hands.map(() => 0);
  const handOut = () => {
    const { value: range, done } = rest.next();
    if (done) return;
    const free = busy.indexOf(Math.min(...busy));
    busy[free] += 1;
    const drawn = hands[free].draw({ index, ...range }, rooms.pop());
    underWay.push({ ...range, drawn });
    // A failure is thrown when its turn comes.
    void drawn.catch(() => {}).then(() => (busy[free] -= 1));
  };
  for (let k = 0; k < TASKS_EACH * hands.length; k++) handOut();
  for (let task = underWay.shift(); task; task = underWay.shift()) {
    const { first, count, drawn } = task;
    const arrays = await drawn;
    handOut();
    const { positions, velocities } = arrays;
    yield {
      ...{ first, count },
      positions: positions.subarray(0, 3 * count),
      velocities: velocities.subarray(0, 3 * count),
    };
    rooms.push(arrays);
  }
}
