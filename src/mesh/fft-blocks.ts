/**
 * Transforms of long lines by blocks, for adapters that are CPUs (wgsl/mesh/fft-blocks.wgsl): the stages of
 * wgsl/mesh/fft-stages.wgsl with the same bits, the middle and the last one of a block in straight code.
 */
import convolve from "../../wgsl/mesh/fft-blocks-convolve.wgsl";
import forward from "../../wgsl/mesh/fft-blocks-forward.wgsl";
import inverse from "../../wgsl/mesh/fft-blocks-inverse.wgsl";
import realForward from "../../wgsl/mesh/fft-blocks-real-forward.wgsl";
import realInverse from "../../wgsl/mesh/fft-blocks-real-inverse.wgsl";
import type { WgslSource } from "../gpu/compose.ts";
import type { LineAlgorithm, LinePlan, LineRequest } from "./fft-plan.ts";
import { branches, define, keepMoved, recallMoved } from "./fft-straight-code.ts";
import { StraightStages } from "./fft-straight-stages.ts";

const ALGORITHMS: Record<LineAlgorithm, WgslSource> = { forward, inverse, convolve, realForward, realInverse };

/** The algorithm's files, and one with the parts that it leaves to be written out. */
export function blockSources({ algorithm, length, rows }: LineRequest, { radices: [a, b, c] }: LinePlan): WgslSource[] {
  const points = b * c;
  const of = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i));
  const stages = () => new StraightStages([b, 1, c], { roots: rows ? 2 * length : length, array: "part" });
  const placeOf = (f: number) => stages().placeOf(f);
  const column = (j: number) => of(a, (k) => `kept[${j + k * points}] = (*p)[${k}];`);
  const text = [
    ...define("keepColumn(j: u32, p: ptr<function, Points>)", branches("j", points, column)),
    ...define(
      "keepBlock(block: u32)",
      branches("block", a, (block) => of(points, (i) => `kept[${block * points + i}] = part[${i}];`)),
    ),
    ...define(
      "recallBlock(block: u32)",
      branches("block", a, (block) => of(points, (i) => `part[${i}] = kept[${block * points + i}];`)),
    ),
    ...keepMoved("part", points, placeOf),
    ...recallMoved("part", points, placeOf),
    ...define("transformBlock()", stages().there().lines),
    ...define("transformBack()", stages().back().lines),
    ...(algorithm === "realInverse" ? mirroredRows([a, b, c]) : []),
  ];
  return [ALGORITHMS[algorithm], { path: "src/mesh/fft-blocks.ts", text: text.join("\n") }];
}

/** Rows of the last stage and their mirrors into two blocks: see fft-blocks-real-inverse.wgsl for the turns. */
function mirroredRows([, b, c]: LinePlan["radices"]): string[] {
  const row = (array: string, at: number, from: string) =>
    Array.from({ length: c }, (_, i) => `${array}[${at * c + i}] = ${from}[${i}];`);
  const both = (turn: number) => {
    const upper = 2 * turn >= b;
    const [first, second] = upper ? ["mirrored", "direct"] : ["direct", "mirrored"];
    return [...row("part", turn, first), ...row("other", b - 1 - turn, second)];
  };
  const own = (turn: number) => {
    const at = turn - b / 2 - 1;
    if (at >= 0) return [...row("other", at, "direct"), ...row("other", b - 1 - at, "mirrored")];
    const alone = turn === 0 || 2 * turn === b;
    return [...row("part", turn, "direct"), ...(alone ? [] : row("part", b - turn, "mirrored"))];
  };
  return [
    ...define("keepRows(turn: u32)", branches("turn", b, both)),
    ...define("keepOwnRows(turn: u32)", branches("turn", b + 1, own)),
    ...define(
      "takeOther()",
      Array.from({ length: b * c }, (_, i) => `part[${i}] = other[${i}];`),
    ),
  ];
}
