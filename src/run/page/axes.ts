/** Axes of charts: linear or logarithmic scales, and their ticks in numbers that a reader would choose. */
import { ticks as evenly, extent } from "d3-array";
import { format } from "d3-format";
import { type ScaleContinuousNumeric, scaleLinear, scaleLog } from "d3-scale";
import { powerOfTen, shortNumber, withThinSpaces } from "./numbers.ts";

export interface ChartAxis {
  /** Quantity and unit. */
  label: string;
  scale?: "linear" | "log";
  /** Least range to show; data beyond it widen it. */
  domain?: readonly [number, number];
  /** Where the ticks are, instead of round numbers. */
  ticks?: readonly { at: number; text: string }[];
}

/** A logarithmic axis never spans more than this; smaller values are off the chart. */
const MOST_DECADES = 9;
/** With fewer ticks a reader can't tell what lies between them. */
const LEAST_TICKS = 3;

export interface Scaled {
  scale: ScaleContinuousNumeric<number, number>;
  ticks: { at: number; text: string }[];
  /** Axis label, with a power of ten taken out of the ticks. */
  label: string;
  /** False for values that the axis cannot show. */
  shows(value: number): boolean;
}

function logarithmic(axis: ChartAxis, values: number[], range: [number, number], count: number): Scaled {
  const positive = [...values, ...(axis.domain ?? [])].filter((v) => v > 0 && Number.isFinite(v));
  const [least = 0.1, most = 1] = extent(positive) as [number?, number?];
  const low = Math.max(least, most / 10 ** MOST_DECADES);
  const scale = scaleLog(least === most ? [most / 2, most * 2] : [low / 1.15, most * 1.15], range);
  const [from, to] = scale.domain().map(Math.log10);
  // 1, 2, 5 in each decade while there are few decades, then every decade, then every other …
  const every = Math.max(1, Math.ceil((to - from) / 6));
  const steps = to - from < 3 ? [1, 2, 5] : [1];
  const ticks: Scaled["ticks"] = [];
  for (let n = Math.floor(from); n <= to; n++) {
    for (const step of n % every === 0 ? steps : []) {
      const at = step * 10 ** n;
      if (at < scale.domain()[0] || at > scale.domain()[1]) continue;
      const plain = from > -3.2 && to < 3.7;
      const few = Math.floor(to) - Math.ceil(from) + 1 < LEAST_TICKS;
      if (plain) ticks.push({ at, text: withThinSpaces(format(",~r")(Number(at.toPrecision(1)))) });
      else if (step === 1 && !few) ticks.push({ at, text: powerOfTen(n) });
      else if (few) ticks.push({ at, text: shortNumber(Number(at.toPrecision(1)), 1) });
    }
  }
  // Within a part of a decade 1, 2, 5 may be one or none: there numbers at equal steps are more, and as round.
  const isShort = to - from < 1 && ticks.length < LEAST_TICKS;
  const written = isShort ? evenTicks(axis.label, scale.domain(), count) : { ticks, label: axis.label };
  return { scale, ...written, shows: (v) => v >= scale.domain()[0] && Number.isFinite(v) };
}

/** About `count` ticks at equal steps; a power of ten stands in the label. */
function evenTicks(label: string, domain: readonly number[], count: number): Pick<Scaled, "ticks" | "label"> {
  const size = Math.max(...domain.map(Math.abs));
  const power = size > 0 && (size < 1e-2 || size >= 1e5) ? Math.floor(Math.log10(size)) : 0;
  const places = evenly(domain[0], domain[1], count);
  const step = (places[1] ?? size) - (places[0] ?? 0);
  const decimals = Math.max(0, -Math.floor(Math.log10(Math.abs(step) / 10 ** power) + 1e-9));
  const write = format(`,.${Math.min(decimals, 8)}f`);
  return {
    ticks: places.map((at) => ({ at, text: at === 0 ? "0" : withThinSpaces(write(at / 10 ** power)) })),
    label: power === 0 ? label : `${label}  (× ${powerOfTen(power)})`,
  };
}

function linear(axis: ChartAxis, values: number[], range: [number, number], count: number, snug: boolean): Scaled {
  let [least = 0, most = 1] = extent([...values.filter(Number.isFinite), ...(axis.domain ?? [])]) as [number?, number?];
  if (least === most) {
    const room = least === 0 ? 1 : Math.abs(least) * 0.1;
    [least, most] = [least - room, most + room];
  }
  const scale = scaleLinear([least, most], range);
  if (!snug) scale.nice(count);
  return { scale, ...evenTicks(axis.label, scale.domain(), count), shows: Number.isFinite };
}

/** The scale of an axis from `values` to `range`, with about `count` ticks; `snug` ends it at the outermost values. */
export function axisScale(
  axis: ChartAxis,
  values: number[],
  range: [number, number],
  count: number,
  snug: boolean,
): Scaled {
  const found =
    axis.scale === "log" ? logarithmic(axis, values, range, count) : linear(axis, values, range, count, snug);
  return axis.ticks ? { ...found, ticks: [...axis.ticks] } : found;
}
