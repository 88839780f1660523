/**
 * Which of several kernel shapes is the fastest, by times that scatter: other programs have the processor meanwhile, for a
 * moment or all along, and it changes its speed. So shapes run in turns, and only times of the same round are held against
 * each other: by the median of their ratios, which a few disturbed rounds don't move, and by how many rounds say so (sign
 * test: Dixon & Mood 1946). No state, no clock: the same times give the same verdict.
 */

/** Times of a repetition, one for each round [ms]; a shape that was dropped has fewer. */
export interface Runner {
  readonly name: string;
  readonly found: readonly number[];
}

export interface Verdict {
  winner: string;
  /** Whether the times leave no doubt; otherwise it may be worth measuring again at a quieter time. */
  clear: boolean;
}

/** The usual winner wins unless another is quicker by this part, and by more than the clock can tell. */
const WORTH_IT = 0.03;
/** A shape is surely slower when rounds would say so by chance with at most this probability. */
const BY_CHANCE = 0.035;
/** With fewer rounds it must be slower by far: by this part over their number. */
const FEW_ROUNDS = 5;
const FEW_SAY = 1.5;

/** The winner, and how sure that is. `resolution`: what may be wrong with a time [ms]. */
export function verdictOf(runners: readonly Runner[], usual: string, resolution = 0): Verdict {
  const leader = leaderOf(runners, resolution);
  const others = runners.filter((one) => one !== leader);
  const clear = others.every((one) => surelySlower(one, leader, resolution) || surelyAsGood(one, leader, resolution));
  const likely = others.find(({ name }) => name === usual);
  if (!likely) return { winner: leader.name, clear };
  const ratios = ratiosOf(likely, leader, resolution);
  // In doubt what usually wins: three rounds in four must say that it is slower, or few rounds by much.
  const { length } = ratios;
  const least = Math.max(WORTH_IT, resolution / at(sorted(leader.found), 0.5));
  const slower = length < FEW_ROUNDS ? ratios[0] > 1 + FEW_SAY / 2 / length : at(ratios, 0.25) > 1 + least;
  return { winner: slower ? leader.name : usual, clear };
}

/** The lowest median of times, each as a multiple of its round's least, among those that ran in every round. */
export function leaderOf<T extends Runner>(runners: readonly T[], resolution = 0): T {
  const rounds = Math.max(...runners.map(({ found }) => found.length));
  const staying = runners.filter(({ found }) => found.length === rounds);
  const least = Array.from({ length: rounds }, (_, r) => Math.min(...staying.map(({ found }) => found[r])));
  const score = ({ found }: Runner) => at(sorted(found.map((ms, r) => ratio(ms, least[r], resolution))), 0.5);
  return staying.reduce((a, b) => (score(b) < score(a) ? b : a));
}

/** Whether `one` has no chance any more against `leader`. */
export function surelySlower(one: Runner, leader: Runner, resolution = 0): boolean {
  const ratios = ratiosOf(one, leader, resolution);
  const { length } = ratios;
  if (length < FEW_ROUNDS) return length > 0 && ratios[0] > 1 + FEW_SAY / length;
  // Where ratios scatter other programs run, which may be harder on one shape than on another.
  return ratios[dissenters(length)] > 1 + (at(ratios, 0.75) - at(ratios, 0.25)) / 2;
}

/** Whether `one` is so near to `leader` that it doesn't matter which is taken. */
function surelyAsGood(one: Runner, leader: Runner, resolution: number): boolean {
  const ratios = ratiosOf(one, leader, resolution);
  const { length } = ratios;
  return length >= FEW_ROUNDS && ratios[length - 1 - dissenters(length)] < 1 + WORTH_IT;
}

/** Times of `one` as multiples of the other's in the same rounds, ascending. */
function ratiosOf(one: Runner, other: Runner, resolution: number): number[] {
  const rounds = Math.min(one.found.length, other.found.length);
  return sorted(one.found.slice(0, rounds).map((ms, r) => ratio(ms, other.found[r], resolution)));
}

/** Of times that the clock hardly tells from nothing near one. */
function ratio(ms: number, other: number, resolution: number): number {
  const floor = Math.max(resolution, Number.MIN_VALUE);
  return (ms + floor) / (other + floor);
}

/** Rounds of `all` that may say otherwise: the most whose chance, were both as fast, is at most BY_CHANCE. */
function dissenters(all: number): number {
  let exactly = 0.5 ** all; // binomial, of no round
  let atMost = exactly;
  let most = -1;
  while (atMost <= BY_CHANCE) {
    most++;
    exactly *= (all - most) / (most + 1);
    atMost += exactly;
  }
  return most;
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** The quantile `q` of ascending values, the lower of two neighbours. */
function at(values: readonly number[], q: number): number {
  return values[Math.floor(q * (values.length - 1))];
}
