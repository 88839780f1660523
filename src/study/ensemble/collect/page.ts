/** ensemble.html: the members of an ensemble on one page, which stands alone. */
import { groups } from "d3-array";
import { energyErrorOnPage } from "../../../run/page/concern.ts";
import { charts, htmlTable, section, type TableRow, type Tile, unfolded } from "../../../run/page/html.ts";
import { html, type Markup } from "../../../run/page/markup.ts";
import { duration, maybe, shortNumber, thinGrouped, unbroken } from "../../../run/page/numbers.ts";
import { redshiftText, type UnitLabels, unitLabels, withUnit } from "../../../run/page/units.ts";
import { studyHtml } from "../../page.ts";
import type { VariedKey } from "../ensemble.ts";
import { type MemberState, type MemberSummary, STATES, statesText } from "../member-state.ts";
import { valueText } from "../plan.ts";
import { diagnosticsFigures, finishedOf, otherFigures } from "./curve-figures.ts";
import { finalFigures, finalsTable, heatTable, shownFinals } from "./final-figures.ts";
import { GRID_MEANING } from "./grid.ts";
import type { CollectedParts } from "./hdf5.ts";
import { massFunctionFigure } from "./mass-function.ts";
import type { CollectedMember } from "./members.ts";
import { spectraFigures } from "./spectra-figures.ts";
import { spreadOf } from "./statistics.ts";
import { TABLES } from "./tables.ts";

type EnsemblePage = CollectedParts & { files: { csv: string; hdf5: string } };

/** A sign of each state, so that it doesn't depend on words or colours alone. */
const MARKS: Record<MemberState, string> = {
  ...{ finished: "✓", running: "▸", interrupted: "‖", failed: "✕", waiting: "·" },
};
/** Beyond so many, the table of all is folded, and so is that of those with something to say. */
const FEW_MEMBERS = 24;
const MOST_NAMED = 10;
const REPORT = "report.html";

export function ensembleHtml(page: EnsemblePage): string {
  const { ensemble, members } = page;
  const { scenario, comoving, expect } = page.shared;
  const units = unitLabels(scenario?.units.system ?? "nbody", scenario?.time.clock);
  const moment = (time: number) =>
    unbroken(comoving ? `z = ${redshiftText(time)}` : `t = ${withUnit(shortNumber(time), units.time)}`);
  const shown = shownFinals(page);
  const all = page.finals.map((final) => ({ final, title: final.name }));
  return studyHtml({
    ...{ title: `${ensemble.title}: ensemble`, heading: ensemble.title },
    lead: `${members.length === 1 ? "An ensemble of one member" : `An ensemble of ${thinGrouped(members.length)} members`}: ${ensemble.varied.map(variedText).join("; ") || "nothing varies"}`,
    ...{ reference: scenario?.reference ?? "", expect },
    ...{ numbers: keyNumbers(page, moment), toKnow: toKnow(page) },
    sections: [
      section("Members", memberTables(page, moment)),
      section("Curves", charts([...diagnosticsFigures(page, units), ...otherFigures(page, units)])),
      section("Power spectrum", charts(spectraFigures({ spectra: page.spectra, units, moment }))),
      section("Haloes", charts(haloFigures(page, units))),
      section(
        "What they end with",
        finalsTable(page, shown),
        heatTable(page, shown),
        charts(finalFigures(page, shown)),
        ...(shown.length > 0 ? [unfolded("All quantities", finalsTable(page, all))] : []),
      ),
    ],
    versions: [`gravmesh ${ensemble.version}`, page.files.csv, page.files.hdf5],
  });
}

function haloFigures({ massFunction, members }: EnsemblePage, units: UnitLabels): Markup[] {
  if (!massFunction) return [];
  const [side, ...others] = new Set(massFunction.members.map((index) => members[index].haloes?.side));
  return [massFunctionFigure({ ...massFunction, side: others.length === 0 ? side : undefined }, units)];
}

/** "seed = 1, 2, 3"; "mesh.cells = 32 … 64 (8 values)". */
function variedText({ key, values, range }: VariedKey): string {
  if (range) return `${key} from ${shortNumber(range.from)} to ${shortNumber(range.to)}`;
  const all = values ?? [];
  const shown = all.length <= 6 ? all.join(", ") : `${all[0]} … ${all[all.length - 1]} (${all.length} values)`;
  return `${key} = ${shown}`;
}

/** The energy error that tells most: on the comoving clock that at the end, otherwise the largest. */
function errorOf({ shared: { conserved, comoving } }: EnsemblePage) {
  const titles = { comoving: "Energy error at the end", static: "Largest energy error", driven: "Change of energy" };
  const clock = conserved === "none" ? "driven" : comoving ? "comoving" : "static";
  return {
    title: titles[clock],
    of: ({ energyError, largestEnergyError }: MemberSummary) =>
      clock === "comoving" ? energyError && Math.abs(energyError) : largestEnergyError,
    text: (value: number) => energyErrorOnPage(value, clock),
  };
}

function keyNumbers(page: EnsemblePage, moment: Moment): Tile[] {
  const { members } = page;
  const done = finishedOf(page);
  const spread = (of: (summary: MemberSummary) => number | null) =>
    spreadOf(done.map(({ summary }) => (summary && of(summary)) ?? Number.NaN));
  const error = errorOf(page);
  const [particles, times] = [spread((s) => s.particles), spread((s) => s.time)];
  const [errors, walls] = [spread(error.of), spread((s) => s.wallSeconds)];
  const span = (low: number, high: number, text: (value: number) => string) =>
    text(low) === text(high) ? text(low) : `${text(low)} … ${text(high)}`;
  const list: Tile[] = [{ label: "Members", value: thinGrouped(members.length), more: statesText(members) }];
  if (done.length > 0) {
    const [atMost, median] = [error.text(errors.greatest), duration(walls.median)];
    list.push(
      { label: "Particles", value: span(particles.least, particles.greatest, thinGrouped), more: "in each" },
      { label: "End", value: span(times.least, times.greatest, moment), wide: true },
      { label: error.title, value: error.text(errors.median), more: `median; at most ${atMost}` },
      { label: "Wall time", value: duration(walls.mean * walls.count), more: `together; median ${median}` },
    );
  }
  return list;
}

/** "Member 3", "3 members: 3, 5, 7" */
function named(members: readonly { index: number }[]): string {
  const indices = members.map(({ index }) => index);
  const shown = indices.slice(0, MOST_NAMED).join(", ") + (indices.length > MOST_NAMED ? " …" : "");
  return `${indices.length === 1 ? "Member" : `${indices.length} members:`} ${shown}`;
}

function toKnow(page: EnsemblePage): string[] {
  const { members, curves, spectra } = page;
  const texts: string[] = page.shared.notice === "" ? [] : [page.shared.notice];
  const finished = finishedOf(page).length;
  const others = members.length - finished;
  if (others > 0) {
    texts.push(
      `Statistics are of the ${finished} members that have finished. ${others} of ${members.length} have not: ` +
        "curves of those on their way are drawn as far as they are.",
    );
  }
  const unsuccessful = members.filter(({ state }) => state === "failed");
  const failed = groups(unsuccessful, ({ message = "" }) => message);
  for (const [message, of] of failed.slice(0, MOST_NAMED)) texts.push(`${named(of)} failed: ${message}`);
  if (failed.length > MOST_NAMED) texts.push(`Further messages of members that failed are in ${page.files.csv}.`);
  const damaged = members.filter(({ faults }) => faults.length > 0);
  for (const { index, faults } of damaged.slice(0, MOST_NAMED)) {
    const why = [...new Set(faults)].join(" ");
    texts.push(`Member ${index} has a file that can't be read, and is without its numbers: ${why}`);
  }
  if (damaged.length > MOST_NAMED) texts.push(`${named(damaged)} have files that can't be read.`);
  texts.push(...warningsOf(members));
  for (const { name, file } of TABLES) {
    const grid = curves[name]?.grid;
    if (grid && grid.kind !== "shared")
      texts.push(`Rows of ${file} are at different times. Taken here: ${GRID_MEANING[grid.kind]}.`);
  }
  for (const { index, leftOut } of spectra.filter((one) => one.leftOut.length > 0)) {
    const those = named(leftOut.map((index) => ({ index })));
    texts.push(`${those} not in the power spectrum of snapshot ${index}: at another time, or in other bins.`);
  }
  return texts;
}

/** Every warning of the members, those that differ by their numbers alone together. */
function warningsOf(members: readonly CollectedMember[]): string[] {
  const all = members.flatMap(({ index, summary }) => (summary?.warnings ?? []).map((text) => ({ index, text })));
  const alike = groups(all, ({ text }) => text.replace(/[-+\d.,]*\d(e[-+]?\d+)?/g, "#"));
  const texts = alike.slice(0, MOST_NAMED).map(([, of]) => {
    const more = of.some(({ text }) => text !== of[0].text) ? " (with other numbers in the others)" : "";
    return `${named(of)} warned: ${of[0].text}${more}`;
  });
  return alike.length > MOST_NAMED ? [...texts, "Further warnings are in the members' summary.json."] : texts;
}

function memberTables(page: EnsemblePage, moment: Moment): Markup {
  const { members } = page;
  if (members.length <= FEW_MEMBERS) return memberTable(page, members, moment);
  const telling = members.filter((member) => !member.counted || member.faults.length > 0);
  const failed = telling.filter(({ state }) => state === "failed");
  const first = (failed.length > 0 ? failed : telling).slice(0, FEW_MEMBERS);
  const all = unfolded(`All ${thinGrouped(members.length)} members`, memberTable(page, members, moment));
  return html`${first.length > 0 && memberTable(page, first, moment)}${all}`;
}

type Moment = (time: number) => string;

function memberTable(page: EnsemblePage, members: readonly CollectedMember[], moment: Moment): Markup {
  const keys = page.parameters.map(({ key }) => key);
  const error = errorOf(page);
  const rows = members.map((member): TableRow => {
    const { index, folder, state, values, summary, tables } = member;
    const time = summary?.time ?? tables.diagnostics?.times.at(-1);
    return {
      ...{ name: `${MARKS[state]} ${index}`, href: summary ? `${folder}/${REPORT}` : undefined },
      cells: [
        state,
        ...keys.map((key) => (key in values ? valueText(values[key]) || null : null)),
        maybe(time, moment),
        maybe(summary?.steps, thinGrouped),
        maybe(summary?.wallSeconds, duration),
        maybe(summary && error.of(summary), error.text),
      ],
    };
  });
  const heads = ["", "state", ...keys, "reached", "steps", "wall time", error.title.toLowerCase()];
  const states = STATES.filter((state) => members.some((member) => member.state === state));
  return htmlTable({ heads, groups: [{ rows }], note: states.map((state) => `${MARKS[state]} ${state}`).join("   ") });
}
