/**
 * report.html: a picture per snapshot, profiles of the first and the last state, the curves of the diagnostics. After a
 * resume, pictures of earlier sessions are drawn from their snapshots; the first profiles travel in the checkpoint.
 */
import { join } from "node:path";
import type { StageTime } from "../../backend.ts";
import { integratorText } from "../../direct/settings.ts";
import { writeFileAtomic } from "../../io/files.node.ts";
import { unitLabels } from "../../page/units.ts";
import type { ParticleSet } from "../../particles/state.ts";
import { deckText } from "../../scenario/deck.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { version } from "../../version.ts";
import type { ReportData, ReportProfile, ReportRotation, ReportSnapshot } from "../report/model.ts";
import { reportHtml } from "../report/page.ts";
import {
  type ReportView,
  reportProfile,
  reportRotation,
  reportSnapshot,
  reportView,
} from "../report/particle-views.ts";
import { snapshotLoader } from "../scenario-source.ts";
import type { Summary } from "../summary.ts";
import type { OutputRun, OutputWriter, RunOutput, RunSnapshot } from "./output.ts";

export const REPORT_FILE = "report.html";

export const report: RunOutput = {
  name: "report",
  meaning: "the run on one page, at its end",
  files: [REPORT_FILE],
  writer: (run) => new ReportWriter(run),
};

/** Chosen and measured on the initial state. */
interface Beginning {
  view: ReportView;
  profile: ReportProfile | null;
  rotation: ReportRotation | null;
}

type Particles = ParticleSet & { accelerations?: Float32Array };

class ReportWriter implements OutputWriter {
  readonly #run: OutputRun;
  readonly #scenario: Scenario;
  readonly #pictures = new Map<number, ReportSnapshot>();
  #beginning: Beginning | undefined;

  constructor(run: OutputRun) {
    this.#run = run;
    this.#scenario = run.simulation.scenario;
    this.#beginning = run.kept as Beginning | undefined;
  }

  keep(): unknown {
    return this.#beginning;
  }

  atSnapshot({ index, particles, time }: RunSnapshot): void {
    // They are read for the initial state alone.
    if (particles.accelerations) this.#beginning = beginningOf(particles, this.#scenario);
    if (this.#beginning) this.#pictures.set(index, reportSnapshot(particles, time, this.#beginning.view));
  }

  async atEnd(summary: Summary, stages: readonly StageTime[]): Promise<void> {
    const { simulation, folder, written } = this.#run;
    const last = await simulation.readParticles({ accelerations: true });
    const beginning = this.#beginning ?? beginningOf(last, this.#scenario);
    const load = snapshotLoader(this.#scenario);
    for (const [index, { file, time }] of written.snapshots.entries()) {
      if (this.#pictures.has(index)) continue;
      this.#pictures.set(index, reportSnapshot(await load(join(folder, file)), time, beginning.view));
    }
    writeFileAtomic(join(folder, REPORT_FILE), reportHtml(this.#data(beginning, last, summary, stages)));
  }

  #data(
    { view, profile, rotation }: Beginning,
    last: Particles,
    summary: Summary,
    stages: readonly StageTime[],
  ): ReportData {
    const scenario = this.#scenario;
    const { rows, spectra, haloes } = this.#run.written;
    const end = scenario.time.end;
    const comoving = scenario.time.clock === "comoving";
    const lastProfile = reportProfile(last, end, view);
    const lastRotation = reportRotation(last, end, view);
    return {
      title: scenario.title,
      reference: scenario.reference,
      expect: scenario.expect,
      units: { ...unitLabels(scenario.units.system), ...(comoving && { time: "", timeFactor: 1 }) },
      boundary: scenario.box.boundary,
      boxSize: scenario.box.size,
      snapshots: [...this.#pictures].sort(([a], [b]) => a - b).map(([, picture]) => picture),
      shown: view.shown,
      diagnostics: rows,
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
      summary: { ...summary, adapter: summary.adapter?.description || summary.adapter?.device || "" },
      ...(comoving && { comoving }),
      ...(spectra.length > 0 && { spectra }),
      ...(haloes && { haloes }),
      ...(scenario.gravity === "direct" && {
        direct: { integrator: integratorText(scenario.direct), softening: scenario.direct.softening },
      }),
      deck: deckText(scenario),
      versions: { gravmesh: version, Node: process.version },
    };
  }
}

function beginningOf(initial: Particles, scenario: Scenario): Beginning {
  const view = reportView(initial, scenario);
  return {
    view,
    profile: reportProfile(initial, 0, view) ?? null,
    rotation: reportRotation(initial, 0, view) ?? null,
  };
}
