/**
 * `gravmesh compare`: the same particles through several variants of a scenario, each on an engine of its own, so that none
 * finds kernels or buffers of another. One that fails doesn't stop the others; an interruption keeps what was measured.
 */
import { join } from "node:path";
import { isAborted } from "../../foundation/base/errors.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { initialConditions } from "../../physics/initial/source.ts";
import { reductionsOf } from "../../physics/particles/host-reductions.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { type Engine, engineWithFallback, requireMemory } from "../../run/engine.ts";
import type { ProgressEvent } from "../../run/events.ts";
import { loadExtensions } from "../../run/extensions.ts";
import { EXIT } from "../../run/failure.ts";
import { engineFor, type InstrumentRequest, recordHead, startOf } from "../../run/instrument.ts";
import { withStandardInput } from "../../run/io/standard-input.node.ts";
import { unitLabels } from "../../run/page/units.ts";
import { reportView } from "../../run/report/particle-views.ts";
import { ResultFiles } from "../../run/results.ts";
import { fileLoaders } from "../../run/scenario-source.ts";
import { keptBy } from "../../scenario/conserved.ts";
import { deckText } from "../../scenario/deck.ts";
import { expectationOf } from "../../scenario/expectation.ts";
import { displacementsOn } from "../../scenario/simulation/engine.ts";
import { runCases } from "../cases.ts";
import { DirectErrors, referenceSoftening, softeningsFor } from "./direct-errors.ts";
import { type Measured, measureVariant, type ReferenceState } from "./measure.ts";
import { compareHtml } from "./page.ts";
import { type CompareEvent, type Comparison, unmeasured } from "./record.ts";
import { briefText, comparisonCsv } from "./table.ts";
import { deckDifferences, variantsOf } from "./variants.ts";
import { type Evidence, verdictOf } from "./verdict.ts";

export interface CompareRequest extends InstrumentRequest {
  poisson?: string;
  gravity?: string;
  levels?: string;
  vary: string[];
  /** False: no comparison with a direct sum. */
  direct?: boolean;
  targets?: number;
  /** Its softening [length]; half a cell of the finest mesh when left out. */
  softening?: number;
}

type Watch = (event: CompareEvent) => void;

/** Compares; resolves to the exit code. Throws GravmeshError for what stands in the way of all variants. */
export async function compare(request: CompareRequest, watch: Watch, signal: AbortSignal): Promise<number> {
  await loadExtensions(request.extension ?? []);
  const { scenario: argument, overrides } = request;
  const variants = await withStandardInput(signal, () => variantsOf(argument, overrides, request));
  const folder = request.out ?? join("results", `compare-${variants.name}`);
  const files = new ResultFiles<Comparison>(folder, "compare");
  return compareInto(files, variants, request, watch, signal).finally(() => files.release());
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
  const [first] = scenarios;
  // Models in equilibrium with modified gravity, where that is among the variants.
  const modified = scenarios.find(({ mond }) => mond.formulation !== "none");
  const drawn = modified ?? first;
  const engine = await engineFor(request.backend, scenarios, watch);
  let particles: ParticleSet;
  try {
    ({ particles } = await initialConditions(drawn, {
      G: unitSystem(first.units.system).G,
      displacements: displacementsOn(engine.gpu),
      ...fileLoaders(first, (count) => requireMemory(first, engine, count)),
      signal,
    }));
    files.claim(force);
  } catch (error) {
    engine.gpu?.destroy();
    if (isAborted(error)) return EXIT.interrupted;
    throw error;
  }
  const comparison: Comparison = {
    ...recordHead(argument, first, engine, particles.count),
    end: first.time.end,
    varied: Object.fromEntries(variants.variations.map(({ key, values }) => [key, values])),
    cases: variants.variants.map(({ label, settings, scenario }) =>
      unmeasured(label, settings, scenario.mesh.cells, keptBy(scenario).conserved),
    ),
    ...{ direct: null, verdict: null, notes: [] },
  };
  const { end, varied } = comparison;
  watch({ ...startOf(comparison, folder), end, varied, variants: variants.variants.map(({ label }) => label) });

  const view = await reportView(reductionsOf(particles, first.box), first);
  const cell = first.box.size / first.mesh.cells;
  const maps: Measured["maps"][] = [];
  const evidence: Evidence[] = [];
  const { direct: isWanted = true, targets, softening = referenceSoftening(scenarios) } = request;
  const note = (text: string) => {
    comparison.notes.push(text);
    watch({ event: "warning", message: text });
  };
  const report = (what: string) => watch({ event: "activity", what });
  if (modified) {
    note(
      "Models are set up in the field of modified gravity, and no variant is held against a direct sum, which has Newton's",
    );
  }
  // In a box what counts is the structure; sums over all images of a sample take long and are made where they are asked for.
  const boxes = scenarios.every(({ box }) => box.boundary === "periodic");
  const sums = isWanted && !modified && (!boxes || targets !== undefined);
  const softenings = request.softening === undefined ? softeningsFor(scenarios, softening) : [softening];
  const hold = scenarios.map(({ gravity, p3m }) => (gravity === "p3m" ? p3m.maxPhysicalSoftening : Infinity));
  const maxPhysicalSoftening = request.softening === undefined ? Math.min(...hold) : Number.POSITIVE_INFINITY;
  const ofSums = { targets, softening, softenings, maxPhysicalSoftening };
  const direct = sums ? new DirectErrors({ ...ofSums, signal, report, note }) : undefined;
  const spectraCells = boxes ? Math.max(...scenarios.map(({ mesh }) => mesh.cells)) : undefined;
  let reference: ReferenceState | undefined;
  let next: Engine | undefined = engine;
  await runCases({
    ...{ record: comparison, files, signal, watch },
    brief: (variant) => briefText(variant, comparison.timeUnit),
    warning: ({ label, message }) => `${label} failed: ${message}`,
    make: async (variant, place) => {
      const kept: Measured = { state: { cell }, evidence: {} };
      const { index } = place;
      try {
        next ??= await engineWithFallback(engine.gpu ? "webgpu" : "cpu");
        const onProgress = (event: ProgressEvent) => watch({ ...event, ...place });
        const measured = { scenario: scenarios[index], particles, engine: next, view, reference, direct, spectraCells };
        await measureVariant({ ...measured, signal, onProgress }, variant, kept);
      } finally {
        next?.gpu?.destroy();
        next = undefined;
        reference ??= kept.state;
        maps[index] = kept.maps;
        evidence[index] = kept.evidence;
        comparison.direct = direct?.reference ?? null;
      }
    },
  });
  comparison.verdict = verdictOf(comparison.cases, evidence, comparison.direct);
  const expected = comparison.cases.map(({ result }, index) => expectationOf(scenarios[index], result.time));
  if (expected.every((text) => text !== "")) comparison.expect = expected[0];
  const { units, box, time } = first;
  const html = () =>
    compareHtml({
      ...{ comparison, units: unitLabels(units.system, time.clock) },
      ...{ boundary: box.boundary, boxSize: box.size, shown: view.shown },
      maps: comparison.cases.map((_, index) => maps[index]),
      differences: deckDifferences(variants.variants),
      deck: deckText(first),
    });
  const csv = () => comparisonCsv(comparison);
  return files.close(comparison, { csv, html }, (at) => watch({ event: "end", ...at, record: comparison }));
}
