/**
 * report.html: a picture per snapshot, profiles of the first and the last state, the curves of the diagnostics. After a
 * resume, pictures of earlier sessions are drawn from their snapshots; the first profiles travel in the checkpoint. A run
 * that is interrupted has one too, of what there is so far.
 */
import { join } from "node:path";
import type { StageTime } from "../../backend.ts";
import { unitSystem } from "../../deck/units.ts";
import { integratorText } from "../../direct/settings.ts";
import { writeFileAtomic } from "../../io/files.node.ts";
import { unitLabels } from "../../page/units.ts";
import type { ParticleSet } from "../../particles/state.ts";
import { deckText } from "../../scenario/deck.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { version } from "../../version.ts";
import { galaxyViews } from "../report/galaxies.ts";
import type { ReportData, ReportSnapshot } from "../report/model.ts";
import { reportHtml } from "../report/page.ts";
import {
  type ReportView,
  reportProfile,
  reportRotation,
  reportSnapshot,
  reportView,
} from "../report/particle-views.ts";
import { fileLoaders } from "../scenario-source.ts";
import type { Summary } from "../summary.ts";
import type { OutputRun, OutputWriter, RunOutput, RunSnapshot } from "./output.ts";

export const REPORT_FILE = "report.html";

export const report: RunOutput = {
  name: "report",
  meaning: "the run on one page, at its end and when it is interrupted",
  files: [REPORT_FILE],
  writer: (run) => new ReportWriter(run),
};

/** Chosen and measured on the initial state. */
type Beginning = ReturnType<typeof beginningOf>;

type Particles = ParticleSet & { accelerations?: Float32Array };

class ReportWriter implements OutputWriter {
  readonly #pictures = new Map<number, ReportSnapshot>();
  readonly #scenario: Scenario;
  #beginning: Beginning | undefined;
  #last: Particles | undefined;

  constructor(private readonly run: OutputRun) {
    this.#scenario = run.simulation.scenario;
    this.#beginning = run.kept as Beginning | undefined;
  }

  keep(): unknown {
    return this.#beginning;
  }

  async atSnapshot({ index, particles: read, time }: RunSnapshot): Promise<void> {
    const particles = await read({ accelerations: index === 0 });
    if (index === 0) this.#beginning = beginningOf(particles, this.#scenario);
    if (this.#beginning) this.#pictures.set(index, reportSnapshot(particles, time, this.#beginning.view));
  }

  /** Pictures of earlier sessions, from their snapshots: what is wrong with these is known before the first step. */
  async beforeSteps(): Promise<void> {
    const { folder, written } = this.run;
    if (!this.#beginning) return;
    const { loadSnapshot } = fileLoaders(this.#scenario);
    for (const [index, { file, time }] of written.snapshots.entries()) {
      const particles = await loadSnapshot(join(folder, file));
      this.#pictures.set(index, reportSnapshot(particles, time, this.#beginning.view));
    }
  }

  async beforeStop(): Promise<void> {
    this.#last = await this.run.simulation.readParticles({ accelerations: true });
  }

  atStop(summary: Summary, stages: readonly StageTime[]): void {
    const last = this.#last!;
    const beginning = this.#beginning ?? beginningOf(last, this.#scenario);
    writeFileAtomic(join(this.run.folder, REPORT_FILE), reportHtml(this.#data(beginning, last, summary, stages)));
  }

  #data(beginning: Beginning, last: Particles, summary: Summary, stages: readonly StageTime[]): ReportData {
    const { view } = beginning;
    const scenario = this.#scenario;
    const { rows, spectra, haloes } = this.run.written;
    const { time } = this.run.simulation;
    const { resume } = summary;
    const comoving = scenario.time.clock === "comoving";
    const totalMass = last.masses.reduce((sum, mass) => sum + mass, 0);
    return {
      ...(resume !== null && { interrupted: { time, resume } }),
      title: scenario.title,
      reference: scenario.reference,
      expect: scenario.expect,
      units: { ...unitLabels(scenario.units.system), ...(comoving && { time: "", timeFactor: 1 }) },
      boundary: scenario.box.boundary,
      boxSize: scenario.box.size,
      snapshots: [...this.#pictures].sort(([a], [b]) => a - b).map(([, picture]) => picture),
      shown: view.shown,
      diagnostics: rows,
      totalMass,
      boxEnergy: (unitSystem(scenario.units.system).G * totalMass ** 2) / scenario.box.size,
      galaxies: partsOf(beginning).map((part) => structureOf(part, last, time)),
      stages: [...stages],
      summary: { ...summary, adapter: summary.adapter?.description || summary.adapter?.device || "CPU, float64" },
      ...{ comoving, spectra, haloes, warnings: summary.warnings },
      ...(scenario.gravity === "direct" && {
        direct: { integrator: integratorText(scenario.direct), softening: scenario.direct.softening },
      }),
      deck: deckText(scenario),
      versions: { gravmesh: version, Node: process.version },
    };
  }
}

/** A galaxy's view, or that of all, with the profiles of the initial state. */
type Part = ReturnType<typeof partOf>;

function beginningOf(initial: Particles, scenario: Scenario) {
  const view = reportView(initial, scenario);
  const galaxies = galaxyViews(initial, scenario, view).map((galaxy) => partOf(initial, galaxy));
  return { ...partOf(initial, view), galaxies };
}

function partOf(initial: Particles, view: ReportView) {
  return {
    view,
    profile: reportProfile(initial, 0, view) ?? null,
    rotation: reportRotation(initial, 0, view) ?? null,
  };
}

/** The galaxies, where there are several; checkpoints of earlier versions have none. */
function partsOf({ galaxies, ...whole }: Part & { galaxies?: Part[] }): Part[] {
  return galaxies && galaxies.length > 0 ? galaxies : [whole];
}

function structureOf({ view, profile, rotation }: Part, last: Particles, time: number) {
  const kind = view.disk ? ("surface-density" as const) : ("density" as const);
  return {
    ...(view.apart && { name: view.shown }),
    ...(profile && { profile: { kind, first: profile, last: reportProfile(last, time, view) } }),
    ...(rotation && { rotation: { first: rotation, last: reportRotation(last, time, view) } }),
  };
}
