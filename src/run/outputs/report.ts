/**
 * report.html: pictures of the snapshots, profiles of the first and last state, curves of the diagnostics, also of an
 * interrupted run. After a resume, earlier pictures are drawn from their snapshots; the first profiles travel in the
 * checkpoint.
 */

import { join } from "node:path";
import type { StageTime } from "../../engine/backend/backend.ts";
import { integratorText } from "../../engine/direct/settings.ts";
import { version } from "../../foundation/base/version.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { HostReductions } from "../../physics/particles/host-reductions.ts";
import type { Reductions } from "../../physics/particles/reductions.ts";
import { withMasses } from "../../physics/particles/source.ts";
import { deckText } from "../../scenario/deck.ts";
import { expectationOf } from "../../scenario/expectation.ts";
import { resolutionOf } from "../../scenario/resolution.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { PhantomMatter } from "../../scenario/simulation/phantom-matter.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { encountersOf } from "../encounters.ts";
import { writeFileAtomic } from "../io/files.node.ts";
import { unitLabels } from "../page/units.ts";
import { externalSpeeds, modifiedSpeeds } from "../report/external-speeds.ts";
import { galaxyViews } from "../report/galaxies.ts";
import type { ReportData, ReportGroup, ReportSnapshot } from "../report/model.ts";
import { reportHtml } from "../report/page.ts";
import {
  componentSpeeds,
  type ReportView,
  reportProfile,
  reportRotation,
  reportSnapshot,
  reportSpecies,
  reportView,
} from "../report/particle-views.ts";
import { reportGroups } from "../report/pictures.ts";
import { ownSnapshot } from "../scenario-source.ts";
import type { Summary } from "../summary.ts";
import { bars } from "./bars.ts";
import { centres } from "./centres.ts";
import { clustering } from "./clustering.ts";
import { components, galaxies as galaxiesOutput } from "./galaxies.ts";
import { haloCatalogues } from "./halo-catalogues.ts";
import { haloes } from "./haloes.ts";
import { lightCone } from "./light-cone.ts";
import { orbits } from "./orbits.ts";
import type { OutputRun, OutputWriter, RunOutput, RunSnapshot } from "./output.ts";
import { powerSpectra } from "./power-spectra.ts";

export const REPORT_FILE = "report.html";

export const report: RunOutput = {
  name: "report",
  meaning: "the run on one page, at its end and when it is interrupted",
  files: [REPORT_FILE],
  writer: (run) => new ReportWriter(run),
};

/** Chosen and measured on the initial state. */
type Beginning = Awaited<ReturnType<typeof beginningOf>>;

interface Ending {
  beginning: Beginning;
  galaxies: NonNullable<ReportData["galaxies"]>;
  groups: ReportGroup[];
  /** [mass] */
  totalMass: number;
}

class ReportWriter implements OutputWriter {
  readonly #pictures = new Map<number, ReportSnapshot>();
  readonly #scenario: Scenario;
  #beginning: Beginning | undefined;
  #ending: Ending | undefined;

  constructor(private readonly run: OutputRun) {
    this.#scenario = run.simulation.scenario;
    this.#beginning = run.kept as Beginning | undefined;
  }

  keep(): unknown {
    return this.#beginning;
  }

  async atSnapshot({ index, time }: RunSnapshot): Promise<void> {
    const particles = this.run.simulation.reductions();
    this.run.activity("pictures");
    if (index === 0) this.#beginning = await beginningOf(particles, this.run.simulation);
    await this.#draw(particles, index, time);
  }

  async #draw(particles: Reductions, index: number, time: number): Promise<void> {
    if (!this.#beginning) return;
    this.#pictures.set(index, await reportSnapshot(particles, time, this.#beginning.view));
  }

  /** Pictures of earlier sessions, from their snapshots: what is wrong with these is known before the first step. */
  async beforeSteps(): Promise<void> {
    const { folder, written, simulation } = this.run;
    if (!this.#beginning) return;
    const { length } = written.snapshots;
    for (const [index, { file, time }] of written.snapshots.entries()) {
      this.run.activity(`picture ${index + 1} of ${length}, from its snapshot`);
      const source = await ownSnapshot(join(folder, file), this.#scenario);
      const blocks = () => withMasses(source.blocks(), simulation.weights);
      await this.#draw(new HostReductions({ ...source, blocks }, this.#scenario.box), index, time);
    }
  }

  async beforeStop(): Promise<void> {
    const { simulation } = this.run;
    const particles = simulation.reductions();
    this.run.activity("profiles");
    const beginning = this.#beginning ?? (await beginningOf(particles, simulation));
    const galaxies: Ending["galaxies"][number][] = [];
    const phantom = await simulation.phantomMatter();
    const parts = beginning.galaxies.length > 0 ? beginning.galaxies : [beginning];
    for (const part of parts) galaxies.push(await structureOf(part, particles, simulation, phantom));
    const { mass: totalMass } = await particles.centre();
    this.run.activity("pictures by galaxy and species");
    const groups = await reportGroups(particles, beginning.view);
    this.#ending = { beginning, galaxies, groups, totalMass };
  }

  atStop(summary: Summary, stages: readonly StageTime[]): void {
    writeFileAtomic(join(this.run.folder, REPORT_FILE), reportHtml(this.#data(this.#ending!, summary, stages)));
  }

  #data(
    { beginning, galaxies, groups, totalMass }: Ending,
    summary: Summary,
    stages: readonly StageTime[],
  ): ReportData {
    const scenario = this.#scenario;
    const { title, reference, box, units, gravity, direct } = scenario;
    const { told, written } = this.run;
    const history = told(galaxiesOutput);
    const { G } = unitSystem(units.system);
    const { time } = this.run.simulation;
    const { resume, conserved, field, adapter } = summary;
    return {
      ...(resume !== null && { interrupted: { time, resume } }),
      ...{ title, reference, expect: expectationOf(scenario, time) },
      units: unitLabels(units.system, scenario.time.clock),
      ...{ boundary: box.boundary, boxSize: box.size },
      snapshots: [...this.#pictures].sort(([a], [b]) => a - b).map(([, picture]) => picture),
      ...{ shown: beginning.view.shown, diagnostics: written.rows, galaxies, groups },
      ...{ totalMass, boxEnergy: (G * totalMass ** 2) / box.size },
      components: told(components),
      history: history && { ...history, ...encountersOf(this.run.simulation) },
      stages: [...stages],
      summary: { ...summary, adapter: adapter?.description || adapter?.device || "CPU, float64" },
      ...{
        spectra: told(powerSpectra) ?? [],
        clustering: told(clustering),
        haloes: told(haloes),
        haloHistory: told(haloCatalogues),
        lightCone: told(lightCone),
        bars: told(bars),
        orbits: told(orbits),
        centres: told(centres),
      },
      ...{ comoving: scenario.time.clock === "comoving", conserved, field },
      resolution: resolutionOf(scenario),
      warnings: [...summary.warnings, ...summary.notes],
      pairs: gravity === "p3m",
      ...(gravity === "direct" && {
        direct: { integrator: integratorText(direct), softening: direct.softening },
      }),
      deck: deckText(scenario),
      versions: { gravmesh: version, Node: process.version },
    };
  }
}

/** A galaxy's view, or that of all, with the profiles of the initial state. */
type Part = Awaited<ReturnType<typeof partOf>>;

async function beginningOf(initial: Reductions, simulation: Simulation) {
  const { scenario } = simulation;
  const phantom = await simulation.phantomMatter();
  const view = await reportView(initial, scenario);
  const galaxies: Part[] = [];
  for (const galaxy of await galaxyViews(initial, scenario, view))
    galaxies.push(await partOf(initial, galaxy, phantom));
  return { ...(await partOf(initial, view, phantom)), galaxies };
}

async function partOf(initial: Reductions, view: ReportView, phantom: PhantomMatter | undefined) {
  return {
    view,
    profile: (await reportProfile(initial, 0, view)) ?? null,
    rotation: (await reportRotation(initial, 0, view)) ?? null,
    species: await reportSpecies(initial, 0, view, phantom),
  };
}

async function structureOf(
  { view, profile, rotation, species }: Part,
  last: Reductions,
  simulation: Simulation,
  phantom: PhantomMatter | undefined,
) {
  const { time } = simulation;
  const now = rotation ? await reportRotation(last, time, view) : undefined;
  const { G } = unitSystem(simulation.scenario.units.system);
  const own = now ? await componentSpeeds(last, view, now.radius, G) : [];
  const kind = view.disk ? ("surface-density" as const) : ("density" as const);
  const lastOf = await reportSpecies(last, time, view, phantom);
  return {
    species: species.map(({ name, ...first }, i) => ({ name, first, last: lastOf[i] })),
    ...(view.apart && { name: view.shown }),
    ...(profile && { profile: { kind, first: profile, last: await reportProfile(last, time, view) } }),
    ...(rotation && {
      rotation: {
        first: rotation,
        last: now && {
          ...now,
          parts: [...own, ...externalSpeeds(simulation, now, own.length === 0), ...modifiedSpeeds(phantom, now)],
        },
      },
    }),
  };
}
