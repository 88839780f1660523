/**
 * `gravmesh bench force --levels`: the force of a point mass with levels in the mesh, against Ewald's sum (periodic) or −1/r²
 * (isolated), by separation in cells of the finest level, beside one mesh of such cells: source and target in its core; and
 * with the source where the core goes over into the mesh around it, the target on either side of that and within.
 */

import { stencilReach } from "../../engine/mesh/deposit/stencil.ts";
import { BLEND, LEVEL_EDGE, levelGeometry, levelProblems } from "../../engine/mesh/levels/level-grid.ts";
import { levelRegion } from "../../engine/mesh/levels/level-regions.ts";
import type { Level } from "../../engine/mesh/levels/level-settings.ts";
import type { Assignment } from "../../engine/mesh/settings.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import { meshSizes } from "../../foundation/deck/mesh-sizes.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { assignmentNames, assignments } from "../../physics/particles/assignments.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import { hundredths, MISSING } from "../../run/page/numbers.ts";
import { textTable } from "../../run/page/text.ts";
import type { LeftOut } from "../spec.ts";
import type { TableStudy } from "../table-study.ts";
import {
  type ForceErrorRow,
  type ForceErrorsByPart,
  forceErrorsByPart,
  pipelineForces,
  unitBox,
} from "../validate/law.ts";

type Place = [number, number, number];

/** [cells of the finest level] */
const SEPARATIONS = [2, 3, 4, 6, 8, 12, 16, 24, 32];
/** What targets keep from the ends of an isolated mesh [cells]. */
const MARGIN = 4;
/** Centre of the levels, away from the corners of cells [cells of the box, from its middle]. */
const OFF_CORNERS: Place = [0.37, -0.21, 0.13];

export interface LevelForceRequest {
  /** Of the mesh of the box; levels have twice as many, or as many as an isolated box has room for. */
  cells: number;
  boundary: Boundary;
  /** Places of the source, in the core and in the blend each. */
  places: number;
  /** Cells a side of the one mesh beside them at most; errors in cells hardly depend on how many they are. */
  mostCells: number;
}

interface Case {
  assignment: Assignment;
  refinement: 2 | 4;
  /** One within the other. */
  levels: number;
}

export type LevelForceResult = Exclude<Awaited<ReturnType<typeof benchLevelCase>>, LeftOut>;

/** Schemes with a force that is continuous. */
const SMOOTH = assignmentNames.filter((name) => assignments[name].order > 1);

/** All of them, on the GPU or (without one) in float64 on the CPU. */
export const levelForceStudy = (request: LevelForceRequest): TableStudy<Case, LevelForceResult> => ({
  cases: SMOOTH.flatMap((assignment) =>
    ([2, 4] as const).flatMap((refinement) => [1, 2].map((levels) => ({ assignment, refinement, levels }))),
  ),
  label: (one) => caseText({ ...one, cells: cellsOf(one, request) }),
  measure: (one, { gpu, signal }) => benchLevelCase(gpu, request, one, signal),
});

/** Cells a side of a level. */
function cellsOf({ refinement }: Case, { cells, boundary }: LevelForceRequest): number {
  const room = boundary === "isolated" ? refinement * (cells - 2 * LEVEL_EDGE) : 2 * cells;
  return meshSizes.findLast((size) => size <= Math.min(2 * cells, room))!;
}

/** One of them, or why it can't be. */
export async function benchLevelCase(
  gpu: GpuContext | undefined,
  request: LevelForceRequest,
  one: Case,
  signal?: AbortSignal,
) {
  const { cells, boundary, places, mostCells } = request;
  const { assignment, refinement } = one;
  const isolated = boundary === "isolated";
  const own = cellsOf(one, request);
  const centre = OFF_CORNERS.map((d) => 0.5 + d / cells) as Place;
  const level = { name: "level", refinement, cells: own, follows: [], place: centre, substeps: 1 };
  const levels = Array.from(
    { length: one.levels },
    (_, l): Level => ({ ...level, parent: l === 0 ? undefined : l - 1 }),
  );
  const settings = settingsOf(boundary, cells, assignment);
  const [problem] = levelProblems(levels, { ...settings.mesh, boundary });
  if (problem) return { leftOut: problem.problem };
  const geometry = levelGeometry(levels, cells, stencilReach(settings.mesh));
  const { perBox, core } = geometry.at(-1)!;
  const plain = (core - BLEND) * refinement;
  const separations = SEPARATIONS.filter((separation) => separation < 1.5 * plain);
  const last = levels.length - 1;
  const centres = levels.flatMap(() => centre);
  const partOf = (sources: readonly Place[]) => (source: number, displacement: ArrayLike<number>) => {
    const point = sources[source].map((x, k) => x + displacement[k] / perBox);
    const { level: found, blend } = levelRegion({ levels, geometry, centres, isolated }, point);
    return found !== last ? 2 : blend ? 1 : 0;
  };
  const about = (p: Place) => p.map((x, k) => centre[k] + x / perBox) as Place;
  const inCore = placesIn(places, (p) => about(p.map((x) => (2 * x - 1) * plain) as Place));
  const atEdge = placesIn(places, (p, i) => about(onFace(p, i, plain, core * refinement)));
  const at = { cells: perBox, boundary, separations, ...(signal && { signal }) };
  const ofCore = { sources: inCore, parts: 1, partOf: partOf(inCore) };
  return releasing(pipelineForces({ ...settings, levels }, gpu), async ({ forces }) => {
    const [rows] = await forceErrorsByPart(forces, { ...at, ...ofCore });
    const ofEdge = { sources: atEdge, parts: 3, partOf: partOf(atEdge) };
    const [toCore, toBlend, beyond] = await forceErrorsByPart(forces, { ...at, ...ofEdge });
    return {
      /** Cells a side of a level; of its size along the box; from its centre to the blend. */
      ...{ ...one, cells: own, perBox, core: plain },
      /** Source and target in the core; and the same on one mesh of such cells, so many a side. */
      inCore: rows,
      oneMesh: await onOneMesh(gpu, assignment, Math.min(perBox, mostCells), { ...at, ...ofCore }),
      /** Source in the blend, and target in the core, in the blend, and beyond. */
      atEdge: { core: toCore, blend: toBlend, beyond },
    };
  });
}

/** The same on one mesh, each source as far from the corners of its middle cell as it is from those of its own. */
function onOneMesh(
  gpu: GpuContext | undefined,
  assignment: Assignment,
  cells: number,
  of: ForceErrorsByPart & Required<Pick<ForceErrorsByPart, "separations" | "sources">>,
) {
  const { boundary } = of;
  const room = cells / 2 - (boundary === "isolated" ? MARGIN : 0);
  const separations = of.separations.filter((separation) => separation < room);
  const sources = of.sources.map((place) => place.map((x) => (cells / 2 + ((x * of.cells) % 1)) / cells) as Place);
  return releasing(pipelineForces(settingsOf(boundary, cells, assignment), gpu), async ({ forces }) => {
    const [rows] = await forceErrorsByPart(forces, { ...of, cells, separations, sources });
    return { cells, rows };
  });
}

const settingsOf = (boundary: Boundary, cells: number, assignment: Assignment) =>
  unitBox(boundary, { cells, assignment, green: "exact", kernel: "split", gradient: "4-point" });

/** Quasi-random places (the R₃ sequence: Roberts 2018), from three numbers in 0 … 1 each. */
function placesIn(count: number, place: (p: number[], index: number) => Place): Place[] {
  const g = 1.2207440846057596;
  return Array.from({ length: count }, (_, i) =>
    place(
      [1, 2, 3].map((k) => (0.5 + (i + 1) / g ** k) % 1),
      i,
    ),
  );
}

/** Between two cubes about the centre, on a face that `index` says. */
function onFace([x, y, depth]: number[], index: number, inner: number, outer: number): Place {
  const side = index % 2 === 0 ? 1 : -1;
  const found = [(2 * x - 1) * inner, (2 * y - 1) * inner];
  found.splice(index % 3, 0, side * (inner + depth * (outer - inner)));
  return found as Place;
}

const caseText = ({ assignment, refinement, levels, cells }: Case & { cells: number }) =>
  `${assignment.toUpperCase()}, ${levels === 1 ? "one level" : "two levels"} of ${cells}³, R = ${refinement}`;

const rms = ({ meanRadial, scatter }: ForceErrorRow) => Math.hypot(meanRadial, scatter);
const percent = (value: number) => (Number.isFinite(value) ? value.toPrecision(3) : MISSING);

/** A table a case: rms of the relative error and mean radial error [%]. */
export function levelForceText(results: readonly LevelForceResult[]): string {
  return results
    .map((result) => {
      const { inCore, oneMesh, atEdge, perBox, core } = result;
      const row = (name: string, rows: readonly ForceErrorRow[], write: (row: ForceErrorRow) => string) => [
        name,
        ...inCore.map(({ separation }) => {
          const found = rows.find((one) => one.separation === separation);
          return found ? write(found) : MISSING;
        }),
      ];
      const mean = ({ meanRadial }: ForceErrorRow) => (Number.isFinite(meanRadial) ? hundredths(meanRadial) : MISSING);
      const ratio = (of: ForceErrorRow) => {
        const beside = oneMesh.rows.find(({ separation }) => separation === of.separation);
        return beside ? percent(rms(of) / rms(beside)) : MISSING;
      };
      const both = [
        row("in the core, rms", inCore, (one) => percent(rms(one))),
        row(`one mesh of ${oneMesh.cells}³, rms`, oneMesh.rows, (one) => percent(rms(one))),
        row("ratio", inCore, ratio),
        row("in the core, mean", inCore, mean),
        row("one mesh, mean", oneMesh.rows, mean),
        row("from blend to core, rms", atEdge.core, (one) => percent(rms(one))),
        row("from blend to blend, rms", atEdge.blend, (one) => percent(rms(one))),
        row("from blend to beyond, rms", atEdge.beyond, (one) => percent(rms(one))),
        row("from blend to blend, mean", atEdge.blend, mean),
      ];
      const head = `${caseText(result)}: cells of 1/${perBox} box, ${Number(core.toFixed(1))} of them from its centre to the blend`;
      return `${head}\n${textTable(["separation", ...inCore.map(({ separation }) => String(separation))], both)}`;
    })
    .join("\n\n");
}
