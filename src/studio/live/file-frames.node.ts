/** Frames from the files of a run: every k-th particle of a snapshot or a subsample, a block of ids in memory at a time. */
import { everyCount } from "../../physics/particles/blocks.ts";
import type { ParticleMasses } from "../../physics/particles/masses.ts";
import type { SourceBlock } from "../../physics/particles/source.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";
import { putThinned } from "../../physics/particles/thinned.ts";
import { ownSnapshot } from "../../run/scenario-source.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { emptyFrame } from "./frame.ts";
import type { LiveFrame } from "./protocol.ts";

/** The mean weight of a particle of each component [mass]. */
export function weightsByComponent(masses: ParticleMasses, components: readonly ComponentRange[]): number[] {
  const { weights } = masses;
  return components.map((range) => (range.count > 0 ? weights.within(range) / range.count : 0));
}

/** What of a run's particles a file holds, without those; components by the ids of the whole run. Throws "input". */
export async function fileParticles(file: string, scenario: Scenario) {
  const { components, every, count } = await ownSnapshot(file, scenario);
  const whole = components.map((range) => ({ ...range, first: every * range.first, count: every * range.count }));
  return { components: whole, of: every * count, unit: every };
}

interface FileFrame {
  file: string;
  scenario: Scenario;
  /** A multiple of that of the file. */
  every: number;
  /** Whether the file has velocities. */
  moving: boolean;
  step?: number | undefined;
}

/** The frame's bytes. Throws "input". */
export async function frameOfFile({ file, scenario, every, moving, step }: FileFrame): Promise<Uint8Array> {
  const source = await ownSnapshot(file, scenario, moving ? "start" : "positions");
  const { size, boundary } = scenario.box;
  const stride = every / source.every;
  const { bytes, frame } = emptyFrame({
    ...{ time: source.time, ...(step !== undefined && { step }), every, images: boundary === "isolated" },
    ...{ count: everyCount(source.count, stride), of: source.every * source.count },
    masses: weightsByComponent(source.masses, source.components),
    ...(source.cores && { cores: source.cores }),
  });
  for await (const block of source.blocks()) take(frame, block, { stride, size });
  return bytes;
}

/** Puts into the frame those of a block that belong there. */
function take(frame: LiveFrame, block: SourceBlock, { stride, size }: { stride: number; size: number }): void {
  const { positions, velocities, packedImages: images } = frame;
  const into = { positions, velocities, ...(images && { images }) };
  for (let k = everyCount(block.first, stride); stride * k < block.first + block.count; k++) {
    frame.ids[k] = frame.every * k;
    const from = { positions: block.positions, velocities: block.velocities, particle: stride * k - block.first };
    putThinned(into, k, from, size);
  }
}

/** Room for frames [byte]. */
const MOST_BYTES = 128 * 2 ** 20;

/** Frames that were asked for lately: one is made at a time, and as many are kept as find room. */
export class FrameStore {
  /** The one that was asked for last stands last. */
  readonly #kept = new Map<string, Promise<Uint8Array>>();
  readonly #sizes = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();

  get(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const found = this.#kept.get(name) ?? this.#inTurn(name, make);
    this.#kept.delete(name);
    this.#kept.set(name, found);
    return found;
  }

  #inTurn(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const coming = this.#last.then(() => make());
    this.#last = coming.then(
      ({ length }) => this.#keep(name, length),
      () => this.#kept.delete(name),
    );
    return coming;
  }

  #keep(name: string, length: number): void {
    this.#sizes.set(name, length);
    let sum = [...this.#sizes.values()].reduce((all, one) => all + one, 0);
    for (const old of this.#kept.keys()) {
      if (sum <= MOST_BYTES || old === name) continue;
      sum -= this.#sizes.get(old) ?? 0;
      if (this.#sizes.delete(old)) this.#kept.delete(old);
    }
  }
}
