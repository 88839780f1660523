/**
 * Whether most mass begins on an isolated mesh: particles from files may lie anywhere, and feel no more than a monopole
 * there.
 */

import { GravmeshError } from "../../foundation/base/errors.ts";
import { rounded, shortest } from "../../foundation/deck/problems.ts";
import type { SourceBlock } from "../particles/source.ts";
import { type InitialSettings, isFromFile, isRigid } from "./components.ts";
import type { InitialParticles } from "./source.ts";

const MOST_OUTSIDE = 0.5;
/** A centre of mass this far from the box's, in sides of a box that has room for all, is worth moving. */
const OFF_CENTRE = 0.05;
/** A box of this many rms radii of the particles holds most of them. */
const ROOM = 4;

type Deck = Pick<InitialSettings, "gravity" | "box" | "particles">;

/** The same particles. Throws "input", here or after the last block, when more than half of the mass is outside. */
export async function requireMostInside(source: InitialParticles, deck: Deck): Promise<InitialParticles> {
  // Models are inside with every particle.
  if (deck.gravity === "direct" || deck.box.boundary === "periodic" || source.drawn) return source;
  const looked = { ...source, blocks: () => lookedAt(source, deck) };
  if (!source.set) return looked;
  for await (const _ of looked.blocks());
  return source;
}

async function* lookedAt(source: InitialParticles, deck: Deck): AsyncGenerator<SourceBlock> {
  const { size } = deck.box;
  let [mass, outside, square] = [0, 0, 0];
  const moment = [0, 0, 0];
  for await (const block of source.blocks()) {
    const { first, count, positions } = block;
    const masses = source.masses.every(1, { first, count });
    for (let i = 0; i < count; i++) {
      const m = masses[i];
      let isInside = true;
      for (let k = 0; k < 3; k++) {
        const x = positions[3 * i + k];
        isInside &&= x >= 0 && x < size;
        moment[k] += m * (x - size / 2);
        square += m * (x - size / 2) ** 2;
      }
      mass += m;
      if (!isInside) outside += m;
    }
    yield block;
  }
  if (!(outside > MOST_OUTSIDE * mass)) return;
  const shift = moment.map((one) => Number((-one / mass).toPrecision(4)));
  const radius = Math.sqrt(Math.max(0, square / mass - moment.reduce((sum, one) => sum + (one / mass) ** 2, 0)));
  const vector = (values: readonly number[]) => `[${values.map(shortest).join(", ")}]`;
  const advice = [
    ...(shift.some((way) => Math.abs(way) > OFF_CENTRE * Math.max(size, ROOM * radius))
      ? [recentring(shift, deck, source.set !== undefined)]
      : []),
    ...(radius > size / ROOM ? [`take a box.size of about ${rounded(ROOM * radius, 2)}`] : []),
  ];
  throw new GravmeshError(
    "input",
    `initial conditions: expected most of the mass on the isolated mesh, which is [0, ${shortest(size)}) along each axis, found ` +
      `${share(outside / mass)} of it outside, where it feels no more than the monopole of the rest. Its centre of mass is at ` +
      `${vector(shift.map((x) => size / 2 - x))}, that of the mesh at ${vector(shift.map(() => size / 2))}. ` +
      `To have it inside, ${advice.join(", and ") || "take a larger box.size"}; is the unit of lengths right?`,
  );
}

const share = (part: number) => `${Number((100 * part).toPrecision(3))} %`;

function recentring(shift: readonly number[], { particles }: Deck, given: boolean): string {
  const by = `[${shift.map(shortest).join(", ")}]`;
  if (given) return `add ${by} to the positions, which are box coordinates`;
  const [file, ...others] = particles.filter(isFromFile);
  const { name, offset, galaxy } = file;
  if (others.length > 0) return `add ${by} to the offset of every component that is read from a file`;
  const whole = particles.filter((one) => !isRigid(one)).length === 1 && galaxy === undefined;
  const own = shift.map((way, k) => Number((offset[k] + way).toPrecision(4)));
  return `set centre = true${whole ? `, or offset = [${own.map(shortest).join(", ")}],` : ""} in [[particles]] ${name}`;
}
