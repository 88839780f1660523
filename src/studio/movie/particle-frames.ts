/** Frames from the particles of a run's snapshots or subsamples, as a camera sees them that may turn. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { HostReductions } from "../../physics/particles/host-reductions.ts";
import { withMasses } from "../../physics/particles/source.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";
import { DECK_FILE } from "../../run/outputs/deck.ts";
import type { PixelMap } from "../../run/page/pictures.ts";
import { timeUnitOf, unitLabels } from "../../run/page/units.ts";
import { reportView, shownOf } from "../../run/report/particle-views.ts";
import { type ParticleFiles, particleFiles } from "../../run/results.ts";
import { loadScenario, ownMoment, ownSnapshot } from "../../run/scenario-source.ts";
import { componentNames, groupsBy, mapRanges } from "../../scenario/maps.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { cameraAxes, type PictureSize } from "../view/camera.ts";
import { type CoreView, coreEdges } from "../view/cores.ts";
import { type FrameSource, type FramesRequest, type SourcePanel, VIEW_ANGLES, type ViewName } from "./frames.ts";

/** Pixels of a picture's side unless asked for. */
const PIXELS = 600;
/** A camera that turns looks down a little, to tell front from back. */
const ELEVATION = 30;

type Group = Pick<ReturnType<typeof groupsBy>[number], "name" | "ranges">;

/** Throws "usage" where there is nothing of what is to be shown, "input" where files can't be read. */
export async function particleFrames(
  folder: string,
  kind: ParticleFiles,
  request: FramesRequest,
): Promise<FrameSource> {
  const deck = join(folder, DECK_FILE);
  if (!existsSync(deck)) {
    throw new GravmeshError("usage", `${folder} has no ${DECK_FILE}: expected the result folder of a run.`);
  }
  const { scenario } = loadScenario(deck, []);
  const files = particleFiles(folder, kind).map((name) => join(folder, name));
  const first = await ownSnapshot(files[0], scenario);
  const { size, boundary } = scenario.box;
  const blocks = () => withMasses(first.blocks(), first.masses.weights);
  const { components, count } = first;
  const particles = new HostReductions({ components, count, blocks }, scenario.box);
  const view = await reportView(particles, scenario);
  const { span = view.span, pixels = PIXELS, still = 0 } = request;
  const cameras = camerasOf(request, { disk: view.disk, frames: files.length + still });
  const groups = groupsOf(components, request);
  const meanMasses: number[] = [];
  for (const { ranges } of groups) {
    const { mass, count: members } = await particles.centre(ranges);
    meanMasses.push(mass / Math.max(1, members));
  }
  const panels = cameras.flatMap(({ name, edgeOn }, row) =>
    groups.map(
      (group, column): SourcePanel => ({
        ...{ row, column, label: `${name}, ${group.name}`, width: pixels, height: pixels, span, edgeOn },
        quantum: meanMasses[column] / (span / pixels) ** 2,
      }),
    ),
  );
  const moments: Awaited<ReturnType<typeof ownMoment>>[] = [];
  for (const file of files) moments.push(await ownMoment(file, scenario));
  const times = moments.map(({ time }) => time);
  const last = files.length - 1;
  const period = boundary === "periodic" ? size : undefined;
  const seen = { centre: view.boxCentre, span, width: pixels, height: pixels, period };
  const seenAt = (frame: number) => cameras.map(({ at }): Camera => ({ ...seen, ...at(frame) }));
  return {
    ...{ from: kind, title: scenario.title, panels },
    units: unitLabels(scenario.units.system),
    timeUnit: timeUnitOf(scenario.units.system, scenario.time.clock),
    times: [...times, ...new Array<number>(still).fill(times[last])],
    maps: (frame) => seenBy(seenAt(frame), groups, { file: files[Math.min(frame, last)], scenario }),
    levels: async (frame) => {
      const { cores = [] } = moments[Math.min(frame, last)];
      return { cores, edges: seenAt(frame).flatMap((camera) => groups.map(() => coreEdges(cores, camera))) };
    },
  };
}

/** The ways to look, each with where the camera stands at a frame. */
function camerasOf({ views, turn, elevation }: FramesRequest, { disk, frames }: { disk: boolean; frames: number }) {
  if (turn !== undefined || elevation !== undefined) {
    const height = elevation ?? ELEVATION;
    const at = (frame: number) => ({
      azimuth: ((turn ?? 0) * frame) / Math.max(1, frames - 1),
      elevation: height,
    });
    return [{ name: `${height}° above the plane`, at, edgeOn: false }];
  }
  const names: readonly ViewName[] = views ?? (disk ? ["face-on", "edge-on"] : ["face-on"]);
  return names.map((name) => ({ name, at: () => VIEW_ANGLES[name], edgeOn: name !== "face-on" }));
}

function groupsOf(components: readonly ComponentRange[], { by, only }: FramesRequest): Group[] {
  const present = components.filter(({ count }) => count > 0);
  const chosen = only ? present.filter((one) => only.some((word) => componentNames(one).includes(word))) : present;
  if (chosen.length === 0) {
    const known = [...new Set(present.flatMap(componentNames))].join(", ");
    throw new GravmeshError("usage", `--only: expected some of ${known}, found ${only?.join(", ")}.`);
  }
  if (!by) {
    if (only) return [{ name: only.join(" and "), ranges: mapRanges({ components: [...only] }, present) ?? [] }];
    const { shown, ranges } = shownOf(components);
    return [{ name: shown, ranges }];
  }
  return groupsBy(by, chosen);
}

/** The projected density of each group, as each camera sees it; cameras first. */
async function seenBy(
  cameras: readonly Camera[],
  groups: readonly Group[],
  { file, scenario }: { file: string; scenario: Scenario },
): Promise<PixelMap[]> {
  const source = await ownSnapshot(file, scenario);
  const sums = cameras.map((camera) => groups.map(() => new CameraSums(camera)));
  for await (const { first, count, positions, masses } of withMasses(source.blocks(), source.masses.weights)) {
    for (const [g, { ranges }] of groups.entries()) {
      for (const range of ranges) {
        const from = Math.max(range.first, first) - first;
        const end = Math.min(range.first + range.count, first + count) - first;
        for (const of of sums) of[g].add(positions, masses, from, end);
      }
    }
  }
  return cameras.flatMap(({ width, height }, c) => sums[c].map((of) => ({ values: of.density(), width, height })));
}

/** A camera far away, with the axes of src/studio/view/camera.ts. */
export interface Camera extends CoreView, PictureSize {
  /** What the picture's width spans [length]; pixels are square. */
  span: number;
}

export class CameraSums {
  /** [width·height], rows from the top [mass] */
  readonly mass: Float64Array;
  readonly #axes: ReturnType<typeof cameraAxes>;

  constructor(private readonly camera: Camera) {
    this.#axes = cameraAxes(camera);
    this.mass = new Float64Array(camera.width * camera.height);
  }

  /** Particles [from, to) of positions [3N] and masses [N]. */
  add(positions: Float64Array, masses: Float64Array, from: number, to: number): void {
    const { centre, span, width, height, period } = this.camera;
    const { mass } = this;
    const { right, up } = this.#axes;
    const perLength = width / span;
    for (let i = from; i < to; i++) {
      let [x, y] = [0, 0];
      for (let k = 0; k < 3; k++) {
        let d = positions[3 * i + k] - centre[k];
        if (period !== undefined) d -= period * Math.round(d / period);
        x += right[k] * d;
        y += up[k] * d;
      }
      const column = Math.floor(x * perLength + width / 2);
      const row = Math.floor(height / 2 - y * perLength);
      if (column >= 0 && column < width && row >= 0 && row < height) mass[row * width + column] += masses[i];
    }
  }

  /** [width·height] [mass/length²] */
  density(): Float32Array {
    const { span, width } = this.camera;
    const area = (span / width) ** 2;
    return Float32Array.from(this.mass, (mass) => mass / area);
  }
}
