/**
 * External potentials of a direct sum on the GPU, in its units: records, and a timetable of those that change, which
 * the GPU places itself, since it alone knows when blocks end.
 */
import changingPart from "../../../wgsl/physics/potentials/forces-changing.wgsl";
import steadyPart from "../../../wgsl/physics/potentials/forces-steady.wgsl";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { WgslConstants, WgslSource } from "../../foundation/gpu/compose.ts";
import { anyChangesOrTurned, kindsOf, parameterWords, potentialSources } from "../../physics/potentials/kernel.ts";
import { type CentrePath, splinesOf } from "../../physics/potentials/motion.ts";
import type { ExternalPotential } from "../../physics/potentials/potential.ts";
import type { DirectUnits } from "./units.ts";

/** Words of an `ExternalPotential` in WGSL: centre, kind, parameters. */
const POTENTIAL_WORDS = 12;
/** Words of `Changes`, and of `Piece`. */
const RECORD_WORDS = 16;
const TICKS = 2 ** 30;
/** Whole steps that no run gets to. */
const NEVER = 2 ** 30;
/** Added to the number of pieces of a uniform field's acceleration. */
const IS_ACCELERATION = 2 ** 31;
/** Those that a uniform binding of any device holds, with the other settings. */
const MOST = 1000;
/** Binding of the timetable. */
const CHANGES_BINDING = 8;

export class ExternalPotentials {
  readonly #changing: boolean;

  /** Throws "scenario" for too many. */
  constructor(
    private readonly external: readonly ExternalPotential[],
    private readonly units: DirectUnits,
  ) {
    if (external.length > MOST) {
      throw new GravmeshError(
        "scenario",
        `external potentials: at most ${MOST} rigid components and [[potential]] tables can act at once, found ${external.length}; give fewer of them`,
      );
    }
    this.#changing = anyChangesOrTurned(external);
  }

  get constants(): WgslConstants {
    const count = `${Math.max(1, this.external.length)}u`;
    return { POTENTIALS: count, ...(this.#changing && { CHANGES_BINDING }) };
  }

  /** What kernels with external forces are composed with. */
  sources(): WgslSource[] {
    return [...potentialSources(kindsOf(this.external), "forces"), this.#changing ? changingPart : steadyPart];
  }

  /** At least one. */
  records(): ArrayBuffer {
    const { external, units } = this;
    const packed = new ArrayBuffer(4 * POTENTIAL_WORDS * Math.max(1, external.length));
    const kinds = kindsOf(external);
    external.forEach((potential, k) => {
      const floats = new Float32Array(packed, 4 * POTENTIAL_WORDS * k, POTENTIAL_WORDS);
      floats.set(potential.centre.map((x) => (x - units.origin) * units.perLength));
      new Uint32Array(packed)[POTENTIAL_WORDS * k + 3] = kinds.indexOf(potential.kind);
      const words = parameterWords(potential, {
        mass: units.gm,
        length: (length) => length * units.perLength,
        velocity: (velocity) => velocity * units.perVelocity,
        time: (time) => time / units.step,
        frequency: (frequency) => frequency * units.step,
        acceleration: (acceleration) => acceleration * units.perVelocity * units.step,
      });
      floats.set(words, 4);
    });
    return packed;
  }

  /** The changes of all potentials and the pieces of their paths; one word where none changes. */
  timetable(): Uint32Array<ArrayBuffer> {
    const { external } = this;
    if (!this.#changing) return new Uint32Array(1);
    const { perLength, perVelocity, step } = this.units;
    const pieces = external.map(({ path, acceleration }) =>
      acceleration ? this.#pieces(acceleration, perVelocity * step) : path ? this.#pieces(path, perLength) : [],
    );
    const words = new Uint32Array(RECORD_WORDS * (external.length + Math.max(1, pieces.flat().length)));
    let first = 0;
    external.forEach((potential, k) => {
      this.#writeChanges(potential, words.subarray(RECORD_WORDS * k, RECORD_WORDS * (k + 1)));
      const isAcceleration = potential.acceleration ? IS_ACCELERATION : 0;
      words.set([first, pieces[k].length + isAcceleration], RECORD_WORDS * k + 14);
      first += pieces[k].length;
    });
    pieces.flat().forEach((piece, i) => {
      words.set(piece, RECORD_WORDS * (external.length + i));
    });
    return words;
  }

  #writeChanges({ turn, grow, decay, until }: ExternalPotential, integers: Uint32Array): void {
    const { step } = this.units;
    const floats = new Float32Array(integers.buffer, integers.byteOffset, RECORD_WORDS);
    const { speed = 0, phase = 0 } = turn ?? {};
    const perStep = (speed * step) / (2 * Math.PI);
    integers[0] = fraction64(phase / (2 * Math.PI))[0];
    integers.set([...fraction64(perStep), ...fraction64(perStep / TICKS)], 1);
    floats[5] = speed * step;
    this.#writeTime(grow?.[0] ?? 0, integers, 6);
    floats[8] = grow ? step / (grow[1] - grow[0]) : 0;
    this.#writeTime(decay?.[0] ?? 0, integers, 9);
    floats[11] = decay ? step / decay[1] : 0;
    this.#writeTime(until ?? NEVER * step, integers, 12);
  }

  /** A time in whole steps and a part. */
  #writeTime(time: number, integers: Uint32Array, at: number): void {
    const steps = Math.min(NEVER, Math.max(-NEVER, time / this.units.step));
    const whole = Math.floor(steps);
    integers[at] = whole; // of two's complement
    new Float32Array(integers.buffer, integers.byteOffset + 4 * (at + 1), 1)[0] = steps - whole;
  }

  /** Cubics from knot to knot, and straight lines before and after them. */
  #pieces(path: CentrePath, perUnit: number): Uint32Array[] {
    const { step } = this.units;
    const { times } = path;
    const splines = splinesOf(path);
    const last = times.length - 1;
    const piece = (start: number, duration: number, coefficients: (axis: number) => readonly number[]) => {
      const integers = new Uint32Array(RECORD_WORDS);
      const floats = new Float32Array(integers.buffer);
      for (let axis = 0; axis < 3; axis++) {
        coefficients(axis).forEach((c, power) => {
          floats[4 * power + axis] = c * perUnit;
        });
      }
      const steps = Math.max(-NEVER, start / step);
      integers[3] = Math.floor(steps);
      floats[7] = steps - Math.floor(steps);
      floats[11] = step / duration;
      return integers;
    };
    const between = times.slice(1).map((to, i) => {
      const duration = to - times[i];
      return piece(times[i], duration, (axis) => {
        const [[x0, v0, a0], [, , a1]] = [splines[axis].jet(times[i]), splines[axis].jet(to)];
        return [x0, v0 * duration, (a0 / 2) * duration ** 2, ((a1 - a0) / 6) * duration ** 2];
      });
    });
    const line = (knot: number, start: number) =>
      piece(start, step, (axis) => {
        const [x0, v0] = splines[axis].jet(times[knot]);
        return [x0 + v0 * (start - times[knot]), v0 * step, 0, 0];
      });
    return [line(0, times[0] - step), ...between, line(last, times[last])];
  }
}

/** What a number has beyond its whole part, in units of 2^-64: high and low word. */
function fraction64(x: number): [high: number, low: number] {
  const part = (x - Math.floor(x)) * 2 ** 32;
  const high = Math.floor(part);
  return [high, Math.floor((part - high) * 2 ** 32)];
}
