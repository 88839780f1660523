/**
 * Gathers what report.html shows while the run goes: a picture per snapshot, profiles of the first and the last one.
 * After a resume, pictures of earlier sessions are drawn from their snapshots; the first profiles travel in the
 * checkpoint.
 */
import { join } from "node:path";
import type { StageTime } from "../../backend.ts";
import { integratorText } from "../../direct/settings.ts";
import type { DiagnosticsRow } from "../../io/csv.ts";
import type { HaloSummary } from "../../io/haloes.ts";
import { readSnapshot } from "../../io/snapshot.node.ts";
import type { MeasuredSpectrum } from "../../io/spectrum.ts";
import { unitLabels } from "../../page/units.ts";
import type { ParticleSet } from "../../particles/state.ts";
import { deckText } from "../../scenario/deck.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { version } from "../../version.ts";
import type { Summary } from "../summary.ts";
import type { ReportProfile, ReportRotation, ReportSnapshot } from "./model.ts";
import { reportHtml } from "./page.ts";
import { type ReportView, reportProfile, reportRotation, reportSnapshot, reportView } from "./particle-views.ts";

/** Chosen and measured on the initial state. */
export interface ReportBeginning {
  view: ReportView;
  profile: ReportProfile | null;
  rotation: ReportRotation | null;
}

type Particles = ParticleSet & { accelerations?: Float32Array };

export interface ReportInput {
  spectra: readonly MeasuredSpectrum[];
  haloes: HaloSummary | undefined;
  folder: string;
  rows: readonly DiagnosticsRow[];
  snapshots: readonly { file: string; time: number }[];
  stages: readonly StageTime[];
  summary: Summary;
  /** The final state, with accelerations. */
  last: Particles;
  node: string;
}

export class ReportGatherer {
  readonly #scenario: Scenario;
  readonly #pictures = new Map<number, ReportSnapshot>();
  #beginning: ReportBeginning | undefined;

  constructor(scenario: Scenario, beginning?: ReportBeginning) {
    this.#scenario = scenario;
    this.#beginning = beginning;
  }

  /** What a checkpoint has to keep. */
  get beginning(): ReportBeginning | undefined {
    return this.#beginning;
  }

  /** Takes the initial state, with accelerations. */
  begin(initial: Particles): void {
    const view = reportView(initial, this.#scenario);
    this.#beginning = {
      view,
      profile: reportProfile(initial, 0, view) ?? null,
      rotation: reportRotation(initial, 0, view) ?? null,
    };
  }

  /** Takes snapshot number `index`. */
  addPicture(index: number, particles: ParticleSet, time: number): void {
    if (this.#beginning) this.#pictures.set(index, reportSnapshot(particles, time, this.#beginning.view));
  }

  /** The page. */
  async html({ folder, rows, snapshots, stages, summary, last, node, spectra, haloes }: ReportInput): Promise<string> {
    const scenario = this.#scenario;
    if (!this.#beginning) this.begin(last);
    const { view, profile, rotation } = this.#beginning!;
    for (const [index, { file, time }] of snapshots.entries()) {
      if (this.#pictures.has(index)) continue;
      this.addPicture(
        index,
        await readSnapshot(join(folder, file), {
          units: scenario.units.system,
          comoving: scenario.time.clock === "comoving",
        }),
        time,
      );
    }
    const end = scenario.time.end;
    const comoving = scenario.time.clock === "comoving";
    const lastProfile = reportProfile(last, end, view);
    const lastRotation = reportRotation(last, end, view);
    return reportHtml({
      title: scenario.title,
      reference: scenario.reference,
      expect: scenario.expect,
      units: { ...unitLabels(scenario.units.system), ...(comoving && { time: "", timeFactor: 1 }) },
      boundary: scenario.box.boundary,
      boxSize: scenario.box.size,
      snapshots: [...this.#pictures].sort(([a], [b]) => a - b).map(([, picture]) => picture),
      shown: view.shown,
      diagnostics: [...rows],
      totalMass: last.masses.reduce((sum, mass) => sum + mass, 0),
      ...(profile && {
        profile: {
          kind: view.disk ? "surface-density" : "density",
          first: profile,
          ...(lastProfile && { last: lastProfile }),
        },
      }),
      ...(rotation && { rotation: { first: rotation, ...(lastRotation && { last: lastRotation }) } }),
      stages: [...stages],
      summary: {
        particles: summary.particles,
        cells: summary.cells,
        steps: summary.steps,
        wallSeconds: summary.wallSeconds,
        particleUpdatesPerSecond: summary.particleUpdatesPerSecond,
        backend: summary.backend,
        adapter: summary.adapter?.description || summary.adapter?.device || "",
      },
      ...(comoving && { comoving }),
      ...(spectra.length > 0 && { spectra }),
      ...(haloes && { haloes }),
      ...(scenario.gravity === "direct" && {
        direct: { integrator: integratorText(scenario.direct), softening: scenario.direct.softening },
      }),
      deck: deckText(scenario),
      versions: { gravmesh: version, Node: node },
    });
  }
}
