/** A result folder as the page sees it: frames from its files, rows, spectra, the report; looked at again as it grows. */
import { existsSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { DiagnosticsRow } from "../../engine/diagnostics/columns.ts";
import { SAME_TIME } from "../../engine/time/schedule.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { summaryIn } from "../../run/finished-part.ts";
import { warningsOf } from "../../run/health.ts";
import { textOrNone } from "../../run/io/regular-file.node.ts";
import { BARS_FILE } from "../../run/outputs/bars.ts";
import { DECK_FILE } from "../../run/outputs/deck.ts";
import { DIAGNOSTICS_FILE } from "../../run/outputs/diagnostics.ts";
import { REPORT_FILE } from "../../run/outputs/report.ts";
import { namesIn, type ParticleFiles, particleFiles } from "../../run/results.ts";
import { readDeck } from "../../run/saved-run.ts";
import { ownMoment } from "../../run/scenario-source.ts";
import { keptBy } from "../../scenario/conserved.ts";
import { deckText } from "../../scenario/deck.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { FrameStore, fileParticles, frameOfFile } from "./file-frames.node.ts";
import { everyFor } from "./frame.ts";
import type { About, LiveBar, LiveSpectrum } from "./protocol.ts";
import type { FrameSourceName } from "./request.ts";
import { barsOf, fileWithin, reportIn, rowsOf, spectrumIn, stampOf, statusOf } from "./run-files.node.ts";

/** Subsamples of fewer particles make no picture: then snapshots are taken, although they are fewer. */
const LEAST_PARTICLES = 20_000;
const SPECTRUM_NAME = /^power_\d{3,}\.csv$/;
const NOTHING = { components: [] as About["components"], of: 0, unit: 1 };

interface FileMoment {
  name: string;
  stamp: string;
  time: number;
  /** Particles in the file. */
  count: number;
}

/** What the page shows of a deck. */
export function aboutScenario(scenario: Scenario) {
  const { title, box, time, units, gravity, mesh } = scenario;
  const { labels } = unitSystem(units.system);
  return {
    ...{ title, deck: deckText(scenario), boxSize: box.size, periodic: box.boundary === "periodic" },
    ...{ start: time.start, end: time.end, cells: gravity !== "direct" ? mesh.cells : null },
    ...keptBy(scenario),
    units: { length: labels.length, time: labels.time, mass: labels.mass, velocity: labels.velocity },
  };
}

/** The deck of a result folder. Throws "usage" for another folder, "scenario". */
export function scenarioOfResults(folder: string): Scenario {
  if (!existsSync(folder)) throw new GravmeshError("usage", `There is no folder ${folder}.`);
  if (!statSync(folder).isDirectory()) {
    throw new GravmeshError("usage", `${folder} is a file; expected the result folder of a run.`);
  }
  if (!existsSync(resolve(folder, DECK_FILE))) {
    throw new GravmeshError("usage", `${folder} has no ${DECK_FILE}: expected the result folder of a run.`);
  }
  return readDeck(folder);
}

export class RunFolder {
  rows: DiagnosticsRow[] = [];
  spectra: LiveSpectrum[] = [];
  bars: LiveBar[] = [];
  /** The same object as long as nothing of it changes. */
  about: About;
  #files: FileMoment[] = [];
  #kind: ParticleFiles = "snapshots";
  #particles: typeof NOTHING = NOTHING;
  readonly #stamps = new Map<string, string | undefined>();
  readonly #spectra = new Map<string, LiveSpectrum | undefined>();
  readonly #frames = new FrameStore();

  constructor(
    private readonly folder: string,
    private readonly scenario: Scenario,
    private readonly from: FrameSourceName = "auto",
  ) {
    this.about = this.#aboutNow("running");
  }

  /** Reads what has changed. Throws "input" for the first file that can't be read and wasn't there before. */
  async look(): Promise<void> {
    const status = statusOf(this.folder);
    const rows = this.#fresh(DIAGNOSTICS_FILE);
    if (rows !== undefined) this.rows = rowsOf(rows);
    const bars = this.#fresh(BARS_FILE);
    if (bars !== undefined) this.bars = barsOf(bars);
    for (const name of namesIn(this.folder).filter((one) => SPECTRUM_NAME.test(one))) {
      const text = this.#fresh(name);
      if (text !== undefined) this.#spectra.set(name, spectrumIn(text));
    }
    this.spectra = [...this.#spectra.values()].flatMap((found) => found ?? []).sort((a, b) => a.time - b.time);
    await this.#lookAtParticles();
    const about = this.#aboutNow(status);
    if (JSON.stringify(about) !== JSON.stringify(this.about)) this.about = about;
  }

  /** The text of a file that has changed since the last look; "" where it has gone. */
  #fresh(name: string): string | undefined {
    const stamp = stampOf(resolve(this.folder, name));
    if (stamp === this.#stamps.get(name)) return undefined;
    this.#stamps.set(name, stamp);
    return stamp === undefined ? "" : (textOrNone(fileWithin(this.folder, name)) ?? "");
  }

  #aboutNow(status: About["status"]): About {
    const frames = this.#files.map(({ time }) => {
      const step = this.#stepAt(time);
      return { time, ...(step !== undefined && { step }) };
    });
    const report = existsSync(resolve(this.folder, REPORT_FILE));
    const { components } = this.#particles;
    const warnings = this.#warningsOf(status);
    return { kind: "folder", ...aboutScenario(this.scenario), components, frames, status, report, warnings };
  }

  /** Bytes of a frame; undefined where there is none of that index. Throws "input". */
  async frame(index: number, most: number, gone: () => boolean): Promise<Uint8Array | undefined> {
    const found = this.#files[index];
    if (!found) return undefined;
    const { of, unit } = this.#particles;
    const every = everyFor(of, most, unit);
    const [{ name, stamp, time }, kind] = [found, this.#kind];
    const { output, subsample } = this.scenario;
    const fields = kind === "snapshots" ? output.fields : subsample.fields;
    const moving = fields.includes("velocities");
    const make = () => {
      if (gone()) throw new GravmeshError("aborted", "nobody waits for the frame any more");
      const file = fileWithin(this.folder, name);
      return frameOfFile({ file, scenario: this.scenario, every, step: this.#stepAt(time), moving });
    };
    const bytes = () => this.#frames.get(`${name} ${stamp} ${every}`, make);
    // Another may have asked for the same one, and have gone.
    return bytes().catch((cause) => {
      if (gone() || !(cause instanceof GravmeshError && cause.kind === "aborted")) throw cause;
      return bytes();
    });
  }

  report(): Uint8Array | undefined {
    return existsSync(resolve(this.folder, REPORT_FILE)) ? reportIn(this.folder, REPORT_FILE) : undefined;
  }

  /** The step of the row of that time, where there is one. */
  #stepAt(time: number): number | undefined {
    const near = SAME_TIME * this.scenario.time.end;
    return this.rows.find((row) => Math.abs(row.time - time) <= near + 1e-8 * Math.abs(time))?.step;
  }

  /** The run's own warnings; while it is under way those that follow from the deck and the rows so far. */
  #warningsOf(status: About["status"]): readonly string[] {
    const warnings = status === "running" ? undefined : summaryIn(this.folder)?.warnings;
    if (Array.isArray(warnings)) return warnings.map(String);
    const particles = this.#particles.components.reduce((sum, { count }) => sum + count, 0);
    return warningsOf(this.scenario, { particles, rows: this.rows });
  }

  async #lookAtParticles(): Promise<void> {
    const known = new Map(this.#files.map((file) => [file.name, file]));
    const moments = async (kind: ParticleFiles): Promise<FileMoment[]> => {
      const found: FileMoment[] = [];
      for (const name of particleFiles(this.folder, kind)) {
        const stamp = stampOf(resolve(this.folder, name)) ?? "";
        const before = known.get(name);
        if (before?.stamp === stamp) found.push(before);
        else found.push({ name, stamp, ...(await ownMoment(fileWithin(this.folder, name), this.scenario)) });
      }
      return found;
    };
    const kind = await this.#kindOfFrames(moments);
    const files = await moments(kind);
    if (files.length > 0 && (this.#particles === NOTHING || kind !== this.#kind)) {
      this.#particles = await fileParticles(resolve(this.folder, files[0].name), this.scenario);
    }
    [this.#kind, this.#files] = [kind, files];
  }

  async #kindOfFrames(moments: (kind: ParticleFiles) => Promise<FileMoment[]>): Promise<ParticleFiles> {
    if (this.from !== "auto") return this.from;
    const [snapshots, subsamples] = (["snapshots", "subsamples"] as const).map((kind) =>
      particleFiles(this.folder, kind),
    );
    if (subsamples.length <= snapshots.length) return "snapshots";
    if (snapshots.length === 0) return "subsamples";
    const [first] = await moments("subsamples");
    return first.count >= LEAST_PARTICLES ? "subsamples" : "snapshots";
  }
}

/** Throws "usage" where there is nothing to be shown. */
export function requireFrames(folder: string, { frames, status }: About, from: FrameSourceName): void {
  if (frames.length > 0 || status === "running") return;
  const what = from === "auto" ? "snapshots" : from;
  throw new GravmeshError(
    "usage",
    `${folder} has no ${what} of the run "${basename(resolve(folder))}": there is nothing to show.`,
  );
}
