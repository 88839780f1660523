/** The state of a mesh run in a checkpoint: particles in id order, the kick owed, and what force and potentials go on from. */

import { GravmeshError } from "../../foundation/base/errors.ts";
import { type ArraysInPieces, type ArrayType, arrayType, wholeArray } from "../../physics/particles/saved-arrays.ts";
import type { StateInPieces } from "../backend/backend.ts";
import { STATE_FORMATS, savedVelocities, velocitiesOf } from "../backend/backend.ts";
import type { ParticleReading } from "../gpu-particles/reading.ts";
import type { SelfGravity } from "../mesh/self-gravity.ts";
import type { MeshStage } from "../mesh/stage.ts";
import type { Leapfrog } from "../time/leapfrog.ts";
import type { NeutrinoStage } from "./neutrino-stage.ts";

const STATE_FORMAT = STATE_FORMATS.mesh.webgpu;

/** Whose state it is. */
interface Holders {
  stage: MeshStage;
  reading: ParticleReading;
  gravity: SelfGravity;
  update: Leapfrog;
  neutrinos: NeutrinoStage | undefined;
}

/** Between two steps: the kick that closes the last one. */
export interface Halfway {
  owed: number;
}

/** Where the particles are in time [time]. */
interface Place {
  time: number;
  halfway: Halfway | undefined;
}

export function stateInPieces(
  { stage, reading, gravity, update, neutrinos }: Holders,
  { time, halfway }: Place,
): StateInPieces {
  const { boundary } = stage.particles;
  const arrays = {
    positions: reading.column("positions"),
    ...(boundary === "isolated" && { images: reading.column("images") }),
    ...savedVelocities(reading.column("velocities"), halfway && { ...halfway, velocities: reading.keptVelocities() }),
    steps: Uint32Array.of(update.steps),
    time: Float64Array.of(time),
    ...gravity.saveState(),
    ...neutrinos?.saveState(),
  };
  return { format: STATE_FORMAT, arrays };
}

/** Puts a state back. Throws "input" when it is of another kind of pipeline or of other particles. */
export async function restorePieces(
  { stage, gravity, update, neutrinos }: Omit<Holders, "reading">,
  { format, arrays }: StateInPieces,
): Promise<Place> {
  const { positions, images, steps, time } = arrays;
  const { velocities, halfway: owed } = velocitiesOf(arrays);
  const is = (array: ArraysInPieces[string] | undefined, type: ArrayType) => array && arrayType(array) === type;
  if (
    format !== STATE_FORMAT ||
    !(positions && velocities && is(positions, "Uint32Array") && is(velocities, "Float32Array")) ||
    !(images === undefined || is(images, "Uint32Array"))
  ) {
    throw new GravmeshError(
      "input",
      `the checkpoint holds state "${format}", the GPU pipeline resumes "${STATE_FORMAT}"; use the backend that wrote it`,
    );
  }
  await stage.particles.restore({ positions, velocities, ...(images && { images }) });
  await gravity.restoreState(arrays);
  await neutrinos?.restoreState(arrays);
  update.steps = (steps && (await wholeArray(steps))[0]) ?? 0;
  update.health.reset();
  return {
    time: time ? (await wholeArray(time))[0] : 0,
    halfway: owed === undefined ? undefined : { owed },
  };
}
