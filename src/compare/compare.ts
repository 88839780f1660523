/**
 * `gravmesh compare`: the same initial conditions through several variants of a scenario, one after the other on an
 * engine of its own, so that none finds compiled kernels or buffers of another. A variant that fails doesn't stop the
 * others; an interruption keeps what has been measured.
 */
import { join } from "node:path";
import { GravmeshError } from "../base/errors.ts";
import { unitSystem } from "../deck/units.ts";
import { initialConditions } from "../initial/index.ts";
import { unitLabels } from "../page/units.ts";
import { reductionsOf } from "../particles/host-reductions.ts";
import type { ParticleSet } from "../particles/state.ts";
import { chooseEngine, type Engine, requireMemory } from "../run/engine.ts";
import { loadExtensions } from "../run/extensions.ts";
import { EXIT, messageOf } from "../run/failure.ts";
import { engineFor, type InstrumentRequest, recordHead, startOf } from "../run/instrument.ts";
import { reportView } from "../run/report/particle-views.ts";
import { ResultFiles } from "../run/results.ts";
import { fileLoaders } from "../run/scenario-source.ts";
import { conservedBy } from "../scenario/conserved.ts";
import { deckText } from "../scenario/deck.ts";
import { expectationOf } from "../scenario/expectation.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { displacementsOn } from "../simulation/engine.ts";
import type { Progress } from "../simulation/simulation.ts";
import { DirectErrors, referenceSoftening } from "./direct-errors.ts";
import { type Measured, measureVariant, type ReferenceState } from "./measure.ts";
import { compareHtml } from "./page.ts";
import { type CompareEvent, type CompareVariant, type Comparison, unmeasured } from "./record.ts";
import { comparisonCsv } from "./table.ts";
import { deckDifferences, variantsOf } from "./variants.ts";
import { type Evidence, verdictOf } from "./verdict.ts";

export interface CompareRequest extends InstrumentRequest {
  poisson?: string;
  vary: string[];
  /** False: no comparison with a direct sum. */
  direct?: boolean;
  /** Particles that it is made on; by time when left out. */
  targets?: number;
  /** Its softening [length]; half a cell of the finest mesh when left out. */
  softening?: number;
}

type Watch = (event: CompareEvent) => void;

/** Compares; resolves to the exit code. Throws GravmeshError for what stands in the way of all variants. */
export async function compare(request: CompareRequest, watch: Watch, signal: AbortSignal): Promise<number> {
  await loadExtensions(request.extension ?? []);
  const { scenario: argument, overrides } = request;
  const variants = variantsOf(argument, overrides, request);
  const folder = request.out ?? join("results", `compare-${variants.name}`);
  const files = new ResultFiles<Comparison>(folder, "compare");
  try {
    return await compareInto(files, variants, request, watch, signal);
  } finally {
    files.release();
  }
}

async function compareInto(
  files: ResultFiles<Comparison>,
  variants: ReturnType<typeof variantsOf>,
  request: CompareRequest,
  watch: Watch,
  signal: AbortSignal,
): Promise<number> {
  const { scenario: argument, force = false } = request;
  const { folder } = files;
  files.requireEmpty(force);
  const scenarios = variants.variants.map(({ scenario }) => scenario);
  const engine = await engineFor(request.backend, scenarios, watch);
  let particles: ParticleSet;
  try {
    particles = await draw(scenarios[0], engine, signal);
    files.claim(force);
  } catch (error) {
    engine.gpu?.destroy();
    if (error instanceof GravmeshError && error.kind === "aborted") return EXIT.interrupted;
    throw error;
  }
  const comparison: Comparison = {
    ...recordHead(argument, scenarios[0], engine, particles.count),
    end: scenarios[0].time.end,
    varied: Object.fromEntries(variants.variations.map(({ key, values }) => [key, values])),
    variants: variants.variants.map(({ label, settings, scenario }) =>
      unmeasured(label, settings, scenario.mesh.cells),
    ),
    ...{ direct: null, verdict: null, notes: [] },
  };
  const { end, varied } = comparison;
  watch({ ...startOf(comparison, folder), end, varied, variants: variants.variants.map(({ label }) => label) });

  const view = await reportView(reductionsOf(particles, scenarios[0].box), scenarios[0]);
  const cell = scenarios[0].box.size / scenarios[0].mesh.cells;
  const maps: Measured["maps"][] = [];
  const evidence: Evidence[] = [];
  const { direct: isWanted = true, targets, softening = referenceSoftening(scenarios) } = request;
  const note = (text: string) => {
    comparison.notes.push(text);
    watch({ event: "warning", message: text });
  };
  const report = (what: string) => watch({ event: "activity", what });
  const direct = isWanted ? new DirectErrors({ targets, softening, signal, report, note }) : undefined;
  let reference: ReferenceState | undefined;
  let next: Engine | undefined = engine;
  for (const [index, record] of comparison.variants.entries()) {
    if (signal.aborted) break;
    const place = { index, count: comparison.variants.length };
    const kept: Measured = { state: { cell }, evidence: {} };
    try {
      next ??= await chooseEngine(engine.gpu ? "webgpu" : "cpu");
      const { timeUnit } = comparison;
      const scenario = scenarios[index];
      const conserved = conservedBy(scenario).quantity;
      const onProgress = pace(particles.count, record, (event) =>
        watch({ ...event, timeUnit, conserved, variant: record.label, ...place }),
      );
      await measureVariant(
        { scenario, particles, engine: next, view, reference, direct, signal, onProgress },
        record,
        kept,
      );
    } catch (error) {
      record.status = "failed";
      record.message = messageOf(error);
      watch({ event: "warning", message: `${record.label} failed: ${record.message}` });
    } finally {
      next?.gpu?.destroy();
      next = undefined;
    }
    reference ??= kept.state;
    maps[index] = kept.maps;
    evidence[index] = kept.evidence;
    comparison.direct = direct?.reference ?? null;
    const { rows: _, ...variant } = record;
    watch({ event: "variant", ...place, timeUnit: comparison.timeUnit, variant });
    files.save(comparison); // whatever happens to the next one
  }

  comparison.status = overall(comparison.variants, signal.aborted);
  comparison.verdict = verdictOf(comparison.variants, evidence, comparison.direct);
  const expected = comparison.variants.map(({ time }, index) => expectationOf(scenarios[index], time));
  if (expected.every((text) => text !== "")) comparison.expect = expected[0];
  const { units, box, time } = scenarios[0];
  const html = () =>
    compareHtml({
      ...{ comparison, units: unitLabels(units.system, time.clock) },
      ...{ boundary: box.boundary, boxSize: box.size, shown: view.shown },
      maps: comparison.variants.map((_, index) => maps[index]),
      differences: deckDifferences(variants.variants),
      deck: deckText(scenarios[0]),
    });
  const csv = () => comparisonCsv(comparison);
  return files.close(comparison, { csv, html }, (at) => watch({ event: "end", ...at, comparison }));
}

async function draw(scenario: Scenario, engine: Engine, signal: AbortSignal): Promise<ParticleSet> {
  const { particles } = await initialConditions(scenario, {
    G: unitSystem(scenario.units.system).G,
    displacements: displacementsOn(engine.gpu),
    ...fileLoaders(scenario, (count) => requireMemory(scenario, engine, count)),
    signal,
  });
  return particles;
}

function overall(variants: readonly CompareVariant[], aborted: boolean): Comparison["status"] {
  if (aborted && variants.some(({ status }) => status === "interrupted" || status === "waiting")) return "interrupted";
  return variants.some(({ status }) => status === "failed") ? "failed" : "complete";
}

function pace(
  particles: number,
  record: CompareVariant,
  report: (
    event: Omit<Extract<CompareEvent, { event: "progress" }>, "variant" | "index" | "count" | "timeUnit" | "conserved">,
  ) => void,
): (progress: Progress) => void {
  const started = performance.now();
  return ({ time, step, fraction }) => {
    const elapsedSeconds = (performance.now() - started) / 1000;
    const stepsPerSecond = elapsedSeconds > 0 ? step / elapsedSeconds : 0;
    report({
      ...{ event: "progress", time, step, fraction, elapsedSeconds, stepsPerSecond },
      particleUpdatesPerSecond: stepsPerSecond * particles,
      energyError: record.energyError ?? 0,
      remainingSeconds: fraction > 0 ? (elapsedSeconds * (1 - fraction)) / fraction : Number.NaN,
    });
  };
}
