/**
 * Waiting for a device or for other processes without burning a core. While a promise of WebGPU is pending, Dawn for Node
 * polls without pause, some 0.06 ms of a core each time; and MPI only goes on when it is called. So one loop for all that is
 * waited for looks now and then and sleeps in between, which leaves the cores to a software adapter. What comes about as late
 * as the last time is slept for until shortly before. A GPU has its core, and what it is waited for often takes less than
 * a millisecond: there the sleep begins when that hasn't come soon. Browsers and Deno see to their devices by themselves.
 */

const sleeper = typeof SharedArrayBuffer === "undefined" ? undefined : new Int32Array(new SharedArrayBuffer(4));
/** Deno has a version of Node as well, but a WebGPU of its own. */
const { node, deno }: Partial<NodeJS.ProcessVersions> = globalThis.process?.versions ?? {};
const withDawn = node !== undefined && deno === undefined;

/** Turns without sleep on hardware before the first one with [ms]. */
const POLLED_MS = 4;
/** Pauses [ms]: `ofWaited` of the time beyond what was expected, within bounds; `late` ms beyond it there are longer ones. */
const PAUSES = { shortest: 0.15, ofWaited: 0.2, longest: 1, late: 250, longestLate: 4 };
/** While it isn't expected yet [ms]; a page that is served and Ctrl-C wait as long. */
const LONGEST_SLEEP = 3;
/** Share of what it took before. */
const ASLEEP = 0.85;

/** From one nudge to the next [ms]; browsers make it 4 when there are many. */
const NUDGES = 1;

/** How long something takes that is waited for again and again: one record for each such thing. */
export class Expected {
  #ms = 0;

  /** Until when there is no use in looking [ms since it began]. */
  get asleep(): number {
    return ASLEEP * this.#ms;
  }

  /** Goes down at once, and up by and by: what came late for once isn't waited for as long the next time. */
  note(ms: number): void {
    this.#ms = Math.min(ms, (this.#ms + ms) / 2);
  }
}

interface Wait {
  since: number;
  /** Looks without pause for so long [ms] or, where it is waited for longer, so often. */
  polled: { ms: number; looks: number };
  expected?: Expected | undefined;
  /** Whether it is there; asked at every turn. Throws what ends the wait. */
  look?(): boolean;
}

const waits = new Set<Wait>();
let turning = false;

interface Waited {
  software: boolean;
  /** Gives it an empty submission; left out where none is needed. */
  nudge?: () => void;
}

/** Resolves as `promise` does. With Dawn for Node it sleeps meanwhile; elsewhere it nudges the device. */
export function patiently<T>(promise: Promise<T>, { software, nudge }: Waited, expected?: Expected): Promise<T> {
  if (!withDawn || !sleeper) return nudge ? nudging(promise, nudge) : promise;
  const wait = { since: performance.now(), polled: { ms: software ? 0 : POLLED_MS, looks: 0 }, expected };
  begin(wait);
  return promise.finally(() => end(wait));
}

/** Firefox looks for finished work every 100 ms and at each submission; the timer also keeps the event loop alive. */
function nudging<T>(promise: Promise<T>, nudge: () => void): Promise<T> {
  const timer = setInterval(nudge, NUDGES);
  return promise.finally(() => clearInterval(timer));
}

/** Resolves when `look` says so, which is asked again and again, `looks` times without a pause. Rejects with what it throws. */
export function untilThere(look: () => boolean, looks: number, expected?: Expected): Promise<void> {
  return new Promise((resolve, reject) => {
    const wait: Wait = { since: performance.now(), polled: { ms: 0, looks }, expected };
    const settle = (how: () => void) => {
      end(wait);
      how();
      return true;
    };
    wait.look = () => {
      try {
        return look() && settle(resolve);
      } catch (error) {
        return settle(() => reject(error));
      }
    };
    if (!wait.look()) begin(wait);
  });
}

function begin(wait: Wait): void {
  waits.add(wait);
  void turn();
}

function end(wait: Wait): void {
  if (waits.delete(wait)) wait.expected?.note(performance.now() - wait.since);
}

async function turn(): Promise<void> {
  if (turning) return;
  turning = true;
  while (waits.size > 0) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const now = performance.now();
    let pause = Number.POSITIVE_INFINITY;
    for (const wait of [...waits]) if (!wait.look?.()) pause = Math.min(pause, pauseOf(wait, now));
    if (waits.size > 0 && sleeper && pause > 0) Atomics.wait(sleeper, 0, 0, pause);
  }
  turning = false;
}

function pauseOf({ since, polled, expected }: Wait, now: number): number {
  const waited = now - since;
  if (waited < polled.ms || polled.looks-- > 0) return 0;
  const asleep = expected?.asleep ?? 0;
  if (asleep - waited > PAUSES.shortest) return Math.min(LONGEST_SLEEP, asleep - waited);
  const over = Math.max(0, waited - asleep);
  const longest = over > PAUSES.late ? PAUSES.longestLate : PAUSES.longest;
  return Math.max(PAUSES.shortest, Math.min(longest, PAUSES.ofWaited * over));
}
