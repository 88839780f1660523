/** validate.html: how wrong the mesh is, on one page. */

import { fieldNote } from "../../run/page/concern.ts";
import { charts, computedOn, deckDetails, meshTile, section, type Tile } from "../../run/page/html.ts";
import { html, type Markup } from "../../run/page/markup.ts";
import { hundredths, inCells, small, thinGrouped } from "../../run/page/numbers.ts";
import { momentOnPage } from "../../run/page/units.ts";
import { studyHtml } from "../page.ts";
import { tableHtml } from "../table.ts";
import type { ForceLaw } from "./law.ts";
import { evolutionFigures, forceFigures, forceLawFigures } from "./page-charts.ts";
import {
  COMPARED,
  type Evolution,
  type ForceComparison,
  failuresOf,
  partsOf,
  type ValidatePage,
  type Validation,
} from "./record.ts";
import {
  componentSentences,
  evolutionRows,
  forceRows,
  largestError,
  lawRows,
  levelRows,
  ON_PAGE,
  someOf,
} from "./table.ts";

function keyNumbers({ validation, units }: ValidatePage): Tile[] {
  const { particles, mesh, boundary, boxSize, adapter, backend } = validation;
  const { forces, evolution } = partsOf(validation);
  const sum = ({ method, precision }: ForceComparison) =>
    `${method}, ${precision === "double" ? "float64" : precision}`;
  const reached = ({ rows, time }: Evolution) => `${rows.at(-1)?.step ?? 0} steps, to ${momentOnPage(time, units)}`;
  return [
    { label: "Particles", value: thinGrouped(particles) },
    meshTile(`${mesh.cells}³`, boundary, boxSize, units),
    ...(forces ? [{ label: "Forces compared on", value: thinGrouped(forces.targets), more: sum(forces) }] : []),
    ...(evolution ? [{ label: "Evolved", value: thinGrouped(evolution.particles), more: reached(evolution) }] : []),
    computedOn(backend, adapter),
  ];
}

function lawSentence({ rows }: ForceLaw): Markup[] {
  const parts = rows
    .filter(({ separation }) => [2, 4, 8].includes(separation))
    .map(
      ({ separation, meanRadial, scatter }) =>
        `${hundredths(meanRadial)} ± ${hundredths(scatter)}\u202f% at ${inCells(separation)}`,
    );
  if (parts.length === 0) return [];
  return [
    html`<b>Point mass.</b> Error of its pull, mean and scatter by direction and place in the cell: ${parts.join(", ")}.`,
  ];
}

function evolutionSentence(evolution: Evolution, gravity: Validation["gravity"]): Markup {
  const { rows, softeningCells } = evolution;
  const last = rows.at(-1)!;
  const chaos = last.chaos ? `; two direct runs that began a little apart, ${inCells(last.chaos.median)}` : "";
  const [mesh, direct] = (["mesh", "direct"] as const).map((run) => small(largestError(evolution, run)));
  const text =
    `Beside a direct run with ε = ${inCells(softeningCells)}: energy is kept to ${mesh} by ${COMPARED[gravity].named}, ${direct} directly; ` +
    `the same particles end ${inCells(last.distance.median)} apart in the median${chaos}.`;
  return html`<b>Evolution.</b> ${text}`;
}

function forcesTable(forces: ForceComparison, gravity: Validation["gravity"]): Markup {
  const { named, owns } = COMPARED[gravity];
  const near =
    " Without softening, neighbours inside a cell make most of the difference: a mesh is meant to leave those out.";
  const note =
    `Δ is ${owns} acceleration less the exact one, on ${someOf(forces.targets, forces.sources, thinGrouped)} particles; the sum is over all. Along: the part of Δ in the direction of the ` +
    `force over the force, in the mean; positive where ${named} pulls too hard.${gravity === "mesh" ? near : ""}`;
  return tableHtml({ ...forceRows(forces, ON_PAGE), note });
}

const levelsTable = ({ byLevel }: ForceComparison): Markup[] => {
  const note =
    "|Δ|/|a| by the mesh that the force on a particle comes from: that of the box, the core of a level, or the blend, where its force " +
    "goes over into that of the mesh around it; against the sum softened in cells (h) of where the particle is.";
  return byLevel ? [tableHtml({ ...levelRows(byLevel, ON_PAGE), note })] : [];
};

function lawTable(law: ForceLaw): Markup {
  const note =
    `${law.scheme}: mean error of the pull and rms scatter [%], over 64 places in a cell and 200 directions, by separation in cells.` +
    (law.rows.some(({ known }) => known)
      ? " docs/accuracy.md: the table of gravmesh’s documentation, on 64³ cells; diamonds in the charts."
      : "");
  return tableHtml({ ...lawRows(law), note });
}

export function validateHtml(page: ValidatePage): string {
  const { validation, deck } = page;
  const { title, reference, expect, status, version, node, date, gravity } = validation;
  const { named } = COMPARED[gravity];
  const { forces, forceLaw, evolution } = partsOf(validation);
  const evolved = evolution && evolution.rows.length > 1 ? evolution : null;
  const toKnow = [
    ...(status === "interrupted" ? ["It was stopped before its end."] : []),
    ...failuresOf(validation),
    ...validation.notes,
  ];
  const sentences = [
    ...(forces ? componentSentences(forces, validation, ON_PAGE) : []),
    ...(forceLaw ? lawSentence(forceLaw) : []),
    ...(evolved ? [evolutionSentence(evolved, gravity)] : []),
  ];
  const law = (measured: ForceLaw) => [charts(forceLawFigures(measured, forces?.fitted ?? null)), lawTable(measured)];
  return studyHtml({
    ...{ title: `${title}: ${COMPARED[gravity].short} against direct summation`, heading: title, reference, expect },
    lead: `${named.replace(/^t/, "T")} against direct summation on the same particles`,
    ...{ numbers: keyNumbers(page), sentences: sentences.map((text) => ({ text })), toKnow },
    sections: [
      section(
        "Force at the first step",
        ...(forces?.plain ? [forcesTable(forces, gravity), ...levelsTable(forces), charts(forceFigures(page))] : []),
      ),
      section("Force law", ...(forceLaw ? law(forceLaw) : [])),
      section(
        "Both evolved",
        ...(evolved
          ? [
              tableHtml({
                ...evolutionRows(evolved, ON_PAGE, gravity),
                note: fieldNote(validation.field, "In both runs "),
              }),
              charts(evolutionFigures(page)),
            ]
          : []),
      ),
      deckDetails("The complete deck", deck),
    ],
    versions: [`gravmesh ${version}`, `Node ${node}`, date.slice(0, 10)],
  });
}
