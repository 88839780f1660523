/** doctor.html: what an adapter is, whether it computes what it should, and how fast it is, on one page. */

import { sum } from "d3-array";
import { adapterName } from "../../foundation/gpu/adapter.ts";
import { computedOn, htmlTable, remarks, section, type Tile, unfolded } from "../../run/page/html.ts";
import { html, type Markup, nothing } from "../../run/page/markup.ts";
import { bandwidth, grouped, inMilliseconds, prefixed, wholePercent } from "../../run/page/numbers.ts";
import { studyHtml } from "../page.ts";
import { type CheckResult, type DoctorRecord, errorText, failedChecks, worstOf } from "./report.ts";

const HEADING = "What this adapter computes, and how fast";

/** The outcome in a sentence. */
export function verdictText(record: DoctorRecord): string {
  const { checks, adapter, leftOut, reason } = record;
  if (!adapter) return `There is no adapter: ${reason}.`;
  const failures = failedChecks(record);
  const undone = leftOut.length > 0 ? ` ${leftOut.length} parts were left out.` : "";
  if (failures.length > 0) {
    return `${failures.length} of ${checks.length} checks failed: this adapter’s results are not to be trusted.${undone}`;
  }
  const outcome = leftOut.length > 0 ? "passed." : "passed: the kernels compute here what they should.";
  return `All ${checks.length} checks that were made ${outcome}${undone}`;
}

function keyNumbers(record: DoctorRecord): Tile[] {
  const { adapter, copyBandwidth, checks, platform, seconds, stages, direct } = record;
  const fastest = Math.max(0, ...direct.map(({ interactionsPerSecond }) => interactionsPerSecond));
  const updates = Math.max(0, ...stages.map(({ particleUpdatesPerSecond }) => particleUpdatesPerSecond));
  const passed = checks.filter((check) => check.passed).length;
  return [
    ...(adapter ? [computedOn("webgpu", adapterName(adapter, platform.runtime))] : []),
    {
      label: "Checks passed",
      value: `${passed} of ${checks.length}`,
      concern: passed < checks.length ? "lost" : undefined,
    },
    ...(copyBandwidth ? [{ label: "Copies", value: bandwidth(copyBandwidth), more: "read and written" }] : []),
    ...(updates > 0
      ? [{ label: "Steps on the mesh", value: `${prefixed(updates)}/s`, more: "particles, at best" }]
      : []),
    ...(fastest > 0 ? [{ label: "Direct sums", value: `${prefixed(fastest)}/s`, more: "interactions, at best" }] : []),
    { label: "It took", value: `${Math.round(seconds)} s` },
  ];
}

function checksTable(checks: readonly CheckResult[]): Markup {
  const parts = [...new Set(checks.map(({ part }) => part))];
  const row = (check: CheckResult) => {
    const worst = worstOf(check);
    const figures = worst ? `${worst.what}: ${errorText(worst)}` : "";
    return {
      name: check.name,
      where: check.failure ? `ended: ${check.failure}` : figures,
      cells: [check.passed ? "ok" : "FAILED", `${check.comparisons.length}`, check.seconds.toFixed(1)],
    };
  };
  return htmlTable({
    heads: ["Check, and its largest error over what is allowed", "", "figures", "s"],
    groups: parts.map((title) => ({ title, rows: checks.filter(({ part }) => part === title).map(row) })),
    worded: true,
  });
}

function failuresText(checks: readonly CheckResult[]): Markup {
  const item = ({ name, twin, kernels, comparisons, failure }: CheckResult) => {
    const wrong = comparisons.filter(({ passed }) => !passed).map((one) => `${one.what}: ${errorText(one)}`);
    const found = [...(failure ? [failure] : []), ...wrong].map((text) => html`<li>${text}</li>`);
    const which = unfolded("Its kernels", html`<pre>${kernels.join("\n")}</pre>`);
    return html`<h3>${name}</h3><p class="note">Beside: ${twin}</p><ul class="remarks">${found}</ul>${which}`;
  };
  return html`${checks.map(item)}`;
}

function stagesTable({ stages }: DoctorRecord): Markup {
  if (stages.length === 0) return nothing;
  const names = [...new Set(stages.flatMap((one) => one.stages.map(({ stage }) => stage)))];
  const rows = stages.map((one) => ({
    name: `${one.cells}³ cells, ${grouped(one.particles)} particles${one.pairsOfParticles > 0 ? ", P³M" : ""}`,
    where: `${prefixed(one.particleUpdatesPerSecond)} particles/s${pairRate(one)}`,
    cells: [
      ...names.map((name) => {
        const found = one.stages.find(({ stage }) => stage === name);
        if (!found) return null;
        const shares = [found.movedFraction, found.fraction].map(wholePercent).join(", ");
        const share = found.bytes > 0 ? ` (${shares})` : "";
        return `${inMilliseconds(found.ms)}${share}`;
      }),
      one.timestamps ? inMilliseconds(Math.max(0, one.stepMs - sum(one.stages, ({ ms }) => ms))) : null,
      inMilliseconds(one.stepMs),
    ],
  }));
  const note =
    "In brackets: what the stage moves in that time, and what it would have to move in an ideal step, over the bandwidth of the copies; host: what isn't in the stages. Uniform periodic box, CIC (TSC with P³M), 4-point gradient.";
  return htmlTable({ heads: ["", ...names, "host", "step"], groups: [{ rows }], note });
}

/** ", 800 M pairs/s" of the stage that sums them; empty without pairs. */
function pairRate({ pairsOfParticles, stages }: DoctorRecord["stages"][number]): string {
  const ms = stages.find(({ stage }) => stage === "pairs")?.ms ?? 0;
  return ms > 0 ? `, ${prefixed((1000 * pairsOfParticles) / ms)} pairs/s` : "";
}

function directTable({ direct }: DoctorRecord): Markup {
  if (direct.length === 0) return nothing;
  const rows = direct.map((one) => ({
    name: `${grouped(one.targets)} × ${grouped(one.sources)}`,
    where: `${one.order}, ${one.precision}`,
    cells: [inMilliseconds(one.ms), prefixed(one.interactionsPerSecond)],
  }));
  return htmlTable({ heads: ["targets × sources", "time", "interactions/s"], groups: [{ rows }] });
}

function adapterTable({ adapter, platform, doubleSingle }: DoctorRecord): Markup {
  if (!adapter) return nothing;
  const { limits, features, software, description, vendor, architecture, device } = adapter;
  const about = {
    ...{ runtime: platform.runtime, system: platform.system, WebGPU: platform.webgpu },
    ...{ vendor, architecture, device, "description, with the driver": description },
    kind: software ? "software, on the CPU" : "GPU",
    features: features.join(", "),
    "double-single arithmetic": doubleSingle ? `${doubleSingle.passed ? "yes" : "no"}: ${doubleSingle.detail}` : "",
  };
  const rowsOf = (content: Record<string, string>) =>
    Object.entries(content).map(([name, value]) => ({ name, cells: [value === "" ? null : value] }));
  const numbers = Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, grouped(value)]));
  const limitsTable = unfolded("Limits", htmlTable({ heads: ["", ""], groups: [{ rows: rowsOf(numbers) }] }));
  return html`${htmlTable({ heads: ["", ""], groups: [{ rows: rowsOf(about) }], worded: true })}${limitsTable}`;
}

/** The report as one HTML page. */
export function doctorHtml(record: DoctorRecord): string {
  const failures = failedChecks(record);
  const { leftOut, gravmesh, platform, date, checks } = record;
  return studyHtml({
    title: "gravmesh doctor",
    heading: HEADING,
    lead: "Every kernel beside its twin in float64, times of stages and of direct sums",
    ...{ numbers: keyNumbers(record), sentences: [{ text: verdictText(record) }] },
    sections: [
      section("What failed", failuresText(failures)),
      remarks(leftOut.map(({ what, why }) => `Left out: ${what}; ${why}.`)),
      section("Checks", checks.length > 0 ? checksTable(checks) : nothing),
      section("Stages of a step", stagesTable(record)),
      section("Direct sums", directTable(record)),
      section("Adapter", adapterTable(record)),
    ],
    versions: [`gravmesh ${gravmesh}`, platform.runtime, date.slice(0, 10)],
  });
}
