/** A simulation's checkpoint, whether its figures can be a scenario's, and particles to begin from it. */
import { type ExactState, originOf, STATE_FORMATS, type StateInPieces } from "../../engine/backend/backend.ts";
import { CONTROL } from "../../engine/direct/control.ts";
import { TICKS } from "../../engine/time/adaptive.ts";
import { between } from "../../engine/time/settings.ts";
import { unmovedPotentials } from "../../physics/initial/placing.ts";
import { ParticleMasses } from "../../physics/particles/masses.ts";
import type { ArraysInPieces } from "../../physics/particles/saved-arrays.ts";
import { type ParticleSource, restingParticles } from "../../physics/particles/source.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";
import type { ExternalPotential } from "../../physics/potentials/potential.ts";
import type { Scenario } from "../scenario.ts";
import { scheduleOf } from "../timetables.ts";
import type { SavedDiagnostics } from "./diagnostics.ts";
import type { StepsPlace } from "./step-plans.ts";

/** Everything that resuming needs. */
export interface SimulationCheckpoint extends StepsPlace, SavedDiagnostics {
  components: ComponentRange[];
  /** Mass of a particle per component, or of every particle when they differ within one. */
  masses: number[] | Float64Array;
  externalPotentials: ExternalPotential[];
  /** The GPU that it was computed on, as it calls itself; null on the CPU. */
  adapter?: string | null | undefined;
  state: ExactState;
}

/** The same whose arrays may come in pieces. */
export interface CheckpointInPieces extends Omit<SimulationCheckpoint, "state"> {
  state: StateInPieces;
}

/** Times are sums and quotients that another version may have rounded otherwise. */
const TIME_TOLERANCE = 1e-9;

/** What of a checkpoint doesn't fit its scenario, in words. The pipeline that takes its arrays looks at them. */
export function misfit(scenario: Scenario, checkpoint: CheckpointInPieces): string | undefined {
  return (
    placeFault(scenario, checkpoint) ??
    legFault(checkpoint) ??
    stateFault(scenario, checkpoint) ??
    particleFault(checkpoint) ??
    energyFault(scenario, checkpoint)
  );
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

/** Where between the outputs it stands: what the deck alone decides. */
function placeFault(scenario: Scenario, { step, time, output, tick }: StepsPlace): string | undefined {
  const { outputs, totalSteps, step: dt = 0, edges } = scheduleOf(scenario);
  if (!isCount(output) || output >= outputs.length) {
    return `expected one of the outputs 0 to ${outputs.length - 1} of its deck, found output ${output}`;
  }
  const [from, next] = [outputs[output], outputs[output + 1]];
  const adaptive = totalSteps === undefined;
  // Every adaptive step is a tick at least, and leads to an output or past one.
  const [least, most] = adaptive
    ? [output + Math.min(1, tick), output * TICKS + tick]
    : [from.step!, next ? next.step! - 1 : from.step!];
  if (!isCount(tick) || tick >= TICKS || (tick > 0 && !(adaptive && next))) {
    return `expected ticks of an adaptive step below ${TICKS} after output ${output}, found ${tick}`;
  }
  if (!isCount(step) || step < least || step > most) {
    return `expected a step from ${least} to ${most} after output ${output}, found ${step}`;
  }
  const { time: settings } = scenario;
  const beyond = adaptive ? tick > 0 : step > from.step!;
  const later = () => (adaptive ? between(settings, from.time, next.time, tick / TICKS) : (edges?.[step] ?? step * dt));
  const expected = beyond ? later() : from.time;
  const fits = Math.abs(time - expected) <= TIME_TOLERANCE * Math.abs(settings.end - settings.start);
  return fits ? undefined : `expected time ${expected} at step ${step}, found ${time}`;
}

/** What is left of a segment of adaptive steps leads no further than to the next output. */
function legFault({ tick, adaptive }: StepsPlace): string | undefined {
  if (!adaptive?.begun) return undefined;
  const { steps, ticks } = adaptive.begun;
  if (adaptive.measured.length > 0 && tick + steps * ticks <= TICKS) return undefined;
  return `expected the rest of a segment of adaptive steps up to tick ${TICKS}, found ${steps} steps of ${ticks} from ${tick} on`;
}

/** Word `at` of an array that is there as a whole. */
const word = (array: ArraysInPieces[string] | undefined, at: number) =>
  array === undefined || "pieces" in array ? undefined : array[at];

/** Steps that the pipelines count for themselves, by format, in the arrays of their states. */
const STEPS_DONE: Readonly<Record<string, (arrays: ArraysInPieces) => number | undefined>> = {
  [STATE_FORMATS.mesh.webgpu]: ({ steps }) => word(steps, 0),
  [STATE_FORMATS.mesh.cpu]: ({ step }) => word(step, 0),
  [STATE_FORMATS.direct.webgpu]: ({ control }) => word(control, CONTROL.stepsDone),
  [STATE_FORMATS.direct.cpu]: ({ clock }) => word(clock, 0),
};

function stateFault({ gravity }: Scenario, { step, state }: CheckpointInPieces): string | undefined {
  const origin = originOf(state.format);
  const stored = gravity === "direct" ? "direct" : "mesh";
  const formats = Object.values(STATE_FORMATS[stored]);
  if (origin?.gravity !== stored) {
    return `expected a state "${formats.join('" or "')}" of gravity = "${gravity}", found "${state.format}"`;
  }
  const done = STEPS_DONE[state.format](state.arrays) ?? step;
  return done === step ? undefined : `expected particles after step ${step}, found them after ${done}`;
}

function particleFault({ components, masses }: CheckpointInPieces): string | undefined {
  let count = 0;
  for (const { name, first, count: n } of components) {
    if (first !== count || !isCount(n)) {
      return `expected the particles of ${name} to begin with number ${count}, found ${n} from ${first}`;
    }
    count += n;
  }
  const expected = masses instanceof Float64Array ? count : components.length;
  if (masses.length !== expected) return `expected ${expected} masses, found ${masses.length}`;
  const wrong = masses.find((mass) => !(mass >= 0 && Number.isFinite(mass)));
  return wrong === undefined ? undefined : `expected masses from 0 up, found ${wrong}`;
}

/** The reference of errors, and the fields that act in addition to the particles' own. */
function energyFault(scenario: Scenario, checkpoint: CheckpointInPieces): string | undefined {
  const { initialSums, cosmicEnergy, externalPotentials, time } = checkpoint;
  const { kinetic, potential, mass, momentum } = initialSums;
  const sums = [kinetic, potential, mass, ...momentum];
  if (!sums.every(Number.isFinite)) return `expected finite sums of the initial state, found ${sums.join(", ")}`;
  if (cosmicEnergy) {
    const { initial, integral, last } = cosmicEnergy;
    const figures = [initial, integral, last.a, last.kinetic, last.potential];
    if (!figures.every(Number.isFinite) || last.a > time * (1 + TIME_TOLERANCE)) {
      return `expected finite cosmic energies of a time up to ${time}, found ${figures.join(", ")}`;
    }
  }
  const fixed = unmovedPotentials(scenario, 1).length;
  if (externalPotentials.length !== fixed) {
    return `expected ${fixed} external potentials, found ${externalPotentials.length}`;
  }
  const wrong = externalPotentials.find(({ centre, parameters, path, acceleration }) => {
    const along = [path, acceleration].flatMap((one) => (one ? [...one.times, ...one.points.flat()] : []));
    return ![...centre, ...Object.values(parameters), ...along].every(Number.isFinite);
  });
  return wrong && `expected finite numbers of the ${wrong.kind} potential, found ${JSON.stringify(wrong)}`;
}

/** Particles of the right number, masses and components at the centre of the box: the exact state replaces them. */
export function placeholderParticles(scenario: Scenario, { components, masses }: CheckpointInPieces): ParticleSource {
  const compact =
    masses instanceof Float64Array
      ? ParticleMasses.of(masses, components)
      : new ParticleMasses(components.map(({ first, count }, c) => ({ first, count, mass: masses[c] })));
  return restingParticles({ components, masses: compact }, scenario.box.size / 2);
}
