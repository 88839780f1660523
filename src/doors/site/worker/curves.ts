/**
 * The curves of a run: rows of diagnostics at the deck's times and at a hundred between at least, the power spectrum of a
 * periodic box, and of a disk |A₂|/A₀ = |Σ m e²ⁱᵠ| / Σ m within the radius that holds 60 % of it at first: two scale lengths
 * of an exponential disk; and its rotation curve out to five. What is measured takes at most a small share of the run's time.
 */
import { columns, type Diagnostics, type DiagnosticsRow } from "../../../engine/diagnostics/columns.ts";
import { linearEdges, rotationIn } from "../../../engine/diagnostics/profiles.ts";
import type { IdRange } from "../../../physics/particles/reductions.ts";
import type { Simulation } from "../../../scenario/simulation/simulation.ts";
import type { LiveBar } from "../../../studio/live/protocol.ts";
import type { PaneRow } from "../stage.ts";
import type { ExhibitHost } from "./exhibit.ts";

/** Rows of a run at least, in steps of its fraction. */
const ROWS = 100;
/** Spectra and bars of a run at most. */
const SPECTRA = 50;
const BARS = 200;
/** Share of the time that spectra, or bars, may take. */
const SHARE = 0.05;
/** The share of the disk's particles that is measured. */
const INNER = 0.6;
/** With fewer particles |A₂|/A₀ is noise. */
const LEAST_IN_DISK = 100;
/** Rings of the rotation curve, the radius that they reach over that of the inner part, and particles of one at least. */
const RINGS = 24;
const RINGS_REACH = 2.5;
const LEAST_IN_RING = 8;

class NowAndThen {
  #fraction = Number.NEGATIVE_INFINITY;
  #ended = Number.NEGATIVE_INFINITY;
  #took = 0;

  constructor(private readonly most: number) {}

  async maybe(fraction: number, measure: () => Promise<void>): Promise<void> {
    const now = performance.now();
    if (fraction - this.#fraction < 1 / this.most && fraction < 1) return;
    if (now - this.#ended < this.#took / SHARE && fraction < 1) return;
    if (fraction === this.#fraction) return;
    this.#fraction = fraction;
    await measure();
    this.#ended = performance.now();
    this.#took = this.#ended - now;
  }
}

/** What curves have sent, with which another run can go on. */
export interface SentCurves {
  rows: readonly PaneRow[];
  bars: readonly LiveBar[];
}

export class Curves {
  readonly sent: { rows: PaneRow[]; bars: LiveBar[] } = { rows: [], bars: [] };
  #fraction = Number.NEGATIVE_INFINITY;
  #output = -1;
  #fresh = true;
  #disk: { ranges: IdRange[]; radius: number } | undefined;
  readonly #spectra = new NowAndThen(SPECTRA);
  readonly #bars = new NowAndThen(BARS);

  constructor(
    private readonly simulation: Simulation,
    private readonly emit: ExhibitHost["emit"],
    /** Those of a run that this one goes on from. */
    private readonly before: SentCurves = { rows: [], bars: [] },
  ) {}

  /** The fraction of the run at which a row is due, whatever the deck says. */
  get nextRow(): number {
    return Math.min(1, Math.max(0, this.#fraction + 1 / ROWS));
  }

  /** Looks at the state where something is due; `fraction` of the run. The row, where there is one. */
  async look(fraction: number): Promise<Diagnostics | undefined> {
    const { simulation } = this;
    const { outputs, output } = simulation;
    const reached = outputs.slice(this.#output + 1, output + 1).some(({ diagnostics }) => diagnostics);
    this.#output = output;
    const due = reached || fraction >= this.nextRow - 1e-12;
    let row: Diagnostics | undefined;
    if (due) {
      this.#fraction = fraction;
      row = await simulation.diagnostics();
      if (this.#fresh) this.#sendBefore();
      this.#sendRows([plainRow(row)]);
    }
    if (simulation.scenario.box.boundary === "periodic") await this.#spectra.maybe(fraction, () => this.#spectrum());
    else await this.#bars.maybe(fraction, () => this.#bar());
    return row;
  }

  #sendRows(rows: readonly PaneRow[]): void {
    this.sent.rows.push(...rows);
    this.emit({ event: "rows", rows, fresh: this.#fresh });
    this.#fresh = false;
  }

  #sendBar(bar: LiveBar): void {
    this.sent.bars.push(bar);
    this.emit({ event: "bar", ...bar });
  }

  /** Sends the curves of the run that this one goes on from, up to where it does. */
  #sendBefore(): void {
    const { time } = this.simulation;
    const isEarlier = (one: { time: number }) => one.time < time;
    const rows = this.before.rows.filter(isEarlier);
    if (rows.length > 0) this.#sendRows(rows);
    for (const bar of this.before.bars.filter(isEarlier)) this.#sendBar(bar);
  }

  async #spectrum(): Promise<void> {
    const { simulation } = this;
    const { k, power, modes } = await simulation.powerSpectrum({ subtractShotNoise: false });
    const bins = Array.from(modes, (_, bin) => bin).filter((bin) => modes[bin] > 0);
    const of = (values: ArrayLike<number>) => bins.map((bin) => values[bin]);
    this.emit({ event: "spectrum", time: simulation.time, k: of(k), power: of(power) });
  }

  async #bar(): Promise<void> {
    const { simulation } = this;
    const ranges = simulation.components.filter(({ species }) => species === "disk");
    if (ranges.reduce((sum, { count }) => sum + count, 0) < LEAST_IN_DISK) return;
    const particles = simulation.reductions();
    // The inner part has the centre: what is flung out pulls the mean of all away.
    const whole = await particles.centre(ranges);
    const within = this.#disk && { centre: whole.centre, radius: this.#disk.radius };
    const { centre } = within ? await particles.centre(ranges, within) : whole;
    this.#disk ??= { ranges, radius: await particles.radius(INNER, { centre, flat: true }, ranges) };
    const { radius } = this.#disk;
    if (!(radius > 0)) return;
    const { cosine, sine, count } = await particles.waves({ centre, edges: [0, radius] }, ranges);
    if (count[0] < LEAST_IN_DISK) return;
    this.#sendBar({ time: simulation.time, strength: Math.hypot(cosine[1][0], sine[1][0]) });
    const edges = linearEdges(RINGS_REACH * radius, RINGS);
    const velocity = await particles.meanVelocity(ranges, { centre, radius });
    const rings = rotationIn(await particles.rings({ centre, velocity, edges, accelerations: true }, ranges), edges);
    const filled = rings.radius.map((_, k) => k).filter((k) => rings.count[k] >= LEAST_IN_RING);
    const of = (values: readonly number[] = []) => filled.map((k) => values[k]);
    const speeds = { rotation: of(rings.rotation), circular: of(rings.circular) };
    this.emit({ event: "rotation", radius: of(rings.radius), ...speeds });
  }
}

/** The columns of the file, and the momentum's error. */
function plainRow(row: Diagnostics): PaneRow {
  const values = new Map(Object.entries(row));
  const inFile = columns.records.filter(({ heads }) => heads !== null);
  const plain = Object.fromEntries(inFile.map(({ name }) => [name, values.get(name)])) as unknown as DiagnosticsRow;
  return { ...plain, momentumError: row.momentumError };
}
