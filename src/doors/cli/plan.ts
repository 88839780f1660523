/** What `gravmesh run --dry-run` says of a run that isn't made. */

import { bytesText } from "../../foundation/base/bytes.ts";
import type { PlanEvent } from "../../run/events.ts";
import { changeText, duration, grouped, shortNumber } from "../../run/page/numbers.ts";
import { hanging, tableOf } from "../../run/page/text.ts";
import { timeInTerminal } from "../../run/page/units.ts";
import { pairsText } from "../../run/pair-figures.ts";
import { colours } from "./colours.ts";
import { sizeText, whereText } from "./display.ts";

const maybe = (value: number | null) => (value === null ? "" : shortNumber(value));

export function scenarioPlanText(plan: PlanEvent, columns: number): string {
  const { memory, ofLevels, encounters, resolution, disk, time, pairs } = plan;
  const line = (label: string, text: string) => hanging(`  ${label.padEnd(8)}  `, text, columns);
  const part = (shown: boolean, text: () => string) => (shown ? [text(), ""] : []);
  const steps =
    plan.steps === null
      ? `about ${grouped(time.expectedSteps)} steps as long as now`
      : `${grouped(time.expectedSteps)} steps`;
  const free = disk.free === null ? "" : `, of ${bytesText(disk.free)} free`;
  return [
    colours.bold(plan.title),
    `${sizeText(plan)}, to ${timeInTerminal(plan.end, plan.timeUnit)}; nothing is written`,
    whereText(plan),
    "",
    tableOf(plan.components, {
      component: ({ name }) => name,
      species: ({ species }) => species,
      particles: ({ count }) => grouped(count),
      mass: ({ mass }) => shortNumber(mass),
    }),
    "",
    ...part(encounters.length > 0, () =>
      tableOf(encounters, {
        orbit: ({ name, of }) => `${name} about ${of}`,
        in: ({ field }) => (field === "actual" ? "the actual field" : "that of points"),
        from: ({ separation }) => shortNumber(separation),
        pericentre: ({ pericentre }) => shortNumber(pericentre),
        eccentricity: ({ eccentricity }) => shortNumber(eccentricity),
        "there at": ({ untilPericentre }) => maybe(untilPericentre),
      }),
    ),
    ...part(resolution.length > 0, () =>
      tableOf(resolution, {
        length: ({ name, key }) => `${name}: ${key}`,
        "": ({ length }) => shortNumber(length),
        [`${resolution[0].against} there`]: ({ spacing }) => shortNumber(spacing),
        ratio: ({ ratio }) => shortNumber(ratio),
        "in ten dynamical times": ({ change }) => changeText(change),
        " ": ({ enough }) => (enough ? "" : "too much"),
      }),
    ),
    ...part(ofLevels.length > 0, () =>
      tableOf(ofLevels, {
        level: ({ name }) => name,
        cells: ({ cells }) => `${cells}³`,
        h: ({ h }) => shortNumber(h),
        "core reaches": ({ coreHalfWidth }) => shortNumber(coreHalfWidth),
        particles: ({ share }) => `${shortNumber(100 * share)} %`,
        "on a GPU": ({ bytes }) => bytesText(bytes),
      }),
    ),
    tableOf(plan.outputs, {
      output: ({ what }) => what,
      times: ({ count }) => grouped(count),
      from: ({ from }) => maybe(from),
      to: ({ to }) => maybe(to),
      "at most": ({ bytes }) => bytesText(bytes),
    }),
    "",
    line(
      "memory",
      `${bytesText(memory.total)}: particles ${bytesText(memory.particles)}, mesh ${bytesText(memory.mesh)}`,
    ),
    line("disk", `at most ${bytesText(disk.bytes)}${free}; haloes, spectra and orbits not counted`),
    line(
      "time",
      `about ${duration(time.seconds)} for ${steps} and their diagnostics, from ${time.trialSteps} trial steps of ` +
        `${shortNumber(1000 * time.secondsPerStep)} ms; writing files comes on top`,
    ),
    ...(pairs && pairsText(pairs) ? [line("pairs", pairsText(pairs))] : []),
  ].join("\n");
}
