/**
 * Drawing on several threads: blocks of ids are handed out, drawn by whoever is free and taken in order. What a thread is
 * made of is the platform's business (threads.node.ts); the particles are those that one thread would draw.
 */
import type { SourceBlock } from "../particles/source.ts";
import type { InitialSettings } from "./components.ts";
import type { Frame } from "./frames.ts";

/** What the threads have to know beforehand; plain data, which can be sent. */
export interface DrawJob {
  scenario: InitialSettings;
  G: number;
  /** Frames of its galaxies, by name. */
  frames: ReadonlyMap<string, Frame>;
  /** Precision of a component of a velocity. */
  bits: 32 | 64;
  /** The components that are drawn, by their place in the deck, and their particles together. */
  indices: readonly number[];
  count: number;
}

/** Particles first … first + count − 1 of a component. */
export interface DrawTask {
  index: number;
  first: number;
  count: number;
}

/** What a task has drawn; the arrays may be longer. */
export interface DrawnArrays {
  positions: Float64Array<ArrayBuffer>;
  velocities: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
}

export interface Hand {
  /** `room` from an earlier task is written to if it is large enough, and gone in any case. */
  draw(task: DrawTask, room?: DrawnArrays): Promise<DrawnArrays>;
}

export interface Crew {
  hands: readonly Hand[];
  dismiss(): void;
}

/** Undefined where there is nothing to gain, or nothing to start threads with. */
export type CrewMaker = (job: DrawJob) => Promise<Crew | undefined>;

/** Tasks that each hand has at a time, so that it needn't wait while the blocks are used. */
const TASKS_EACH = 2;

/** The blocks of a component's ranges, in their order. */
export async function* drawnByCrew(
  { hands }: Crew,
  index: number,
  ranges: Iterable<{ first: number; count: number }>,
): AsyncGenerator<SourceBlock> {
  const rest = ranges[Symbol.iterator]();
  const underWay: { first: number; count: number; drawn: Promise<DrawnArrays> }[] = [];
  const rooms: DrawnArrays[] = [];
  const busy = hands.map(() => 0);
  const handOut = () => {
    const { value: range, done } = rest.next();
    if (done) return;
    const free = busy.indexOf(Math.min(...busy));
    busy[free] += 1;
    const drawn = hands[free].draw({ index, ...range }, rooms.pop());
    // A failure is thrown when its turn comes.
    const settled = () => {
      busy[free] -= 1;
    };
    drawn.then(settled, settled);
    underWay.push({ ...range, drawn });
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
