/** A chart of curves by uPlot, loaded when it is wanted. Axes are those of the report; colours are the page's variables. */
import uPlot from "uplot";
import { type Scaled, scaled } from "../../page/axes.ts";
import { cssColour } from "../../page/colours.ts";
import type { CurveChart } from "./curve-data.ts";

export interface Plot {
  update(chart: CurveChart): void;
  /** Puts the cursor at a place of the horizontal axis; nowhere when undefined. */
  point(index: number | undefined): void;
  destroy(): void;
}

const HEIGHT = 170;
const FONT = "11px system-ui, sans-serif";
const TICKS = { x: 5, y: 4 };

interface Axes {
  x: Scaled;
  y: Scaled;
}

function axesOf({ x, y, rule, series }: CurveChart): Axes {
  const values = series.flatMap((curve) => curve.values.filter((value) => value !== null));
  const axis = ({ label, log }: { label: string; log: boolean }) => ({ label, scale: log ? "log" : "linear" }) as const;
  const domain = y.domain ?? (rule === undefined ? undefined : ([rule, rule] as const));
  return {
    x: scaled(axis(x), [...x.values], [0, 1], TICKS.x, true),
    y: scaled({ ...axis(y), ...(domain && { domain }) }, values, [0, 1], TICKS.y, false),
  };
}

/** A colour of the page as it is now, light or dark: a canvas knows no variables. */
function colour(element: Element, name: string): string {
  const variable = /^var\((.*)\)$/.exec(name)?.[1] ?? `--${name}`;
  return getComputedStyle(element).getPropertyValue(variable).trim() || "#888";
}

/** The vertical label with its power of ten, which the caller shows above the plot. */
export const shownLabel = (chart: CurveChart): string => axesOf(chart).y.label;

export function plotIn(parent: HTMLElement, first: CurveChart, pointed: (index: number | undefined) => void): Plot {
  let chart = first;
  let axes = axesOf(chart);
  const shape = (from: CurveChart) =>
    from.series.map(({ label, tone, dashed }) => `${label} ${tone} ${dashed}`).join("|");
  const colours = matchMedia("(prefers-color-scheme: dark)");
  /** Of the curves and their axes: made anew where the curves are others. */
  let plot = make();
  /** A cursor that the page sets isn't told to the page again. */
  let quiet = false;

  function data(): uPlot.AlignedData {
    return [[...chart.x.values], ...chart.series.map(({ values }) => [...values])];
  }

  function axis(which: "x" | "y", size: number): uPlot.Axis {
    return {
      ...{ scale: which, size, gap: 3, font: FONT, stroke: () => colour(parent, "soft") },
      grid: { stroke: () => colour(parent, "hairline"), width: 1 },
      ticks: { show: false },
      splits: () => axes[which].ticks.map(({ at }) => at),
      values: () => axes[which].ticks.map(({ text }) => text),
      filter: (_, splits) => splits,
    };
  }

  function rule(u: uPlot) {
    if (chart.rule === undefined) return;
    const y = Math.round(u.valToPos(chart.rule, "y", true)) + 0.5;
    const { ctx, bbox } = u;
    if (y < bbox.top || y > bbox.top + bbox.height) return;
    ctx.save();
    ctx.strokeStyle = colour(parent, "soft");
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }

  function make(): uPlot {
    const range = (which: "x" | "y") => (): uPlot.Range.MinMax => axes[which].scale.domain() as [number, number];
    const distr = (log: boolean) => (log ? 3 : 1);
    const options: uPlot.Options = {
      ...{ width: Math.max(100, parent.clientWidth), height: HEIGHT, legend: { show: false } },
      cursor: { drag: { x: false, y: false }, y: false, points: { size: 7 } },
      scales: {
        x: { time: false, distr: distr(chart.x.log), range: range("x") },
        y: { distr: distr(chart.y.log), range: range("y") },
      },
      axes: [axis("x", 22), axis("y", 46)],
      series: [
        {},
        ...chart.series.map(
          ({ label, tone, dashed, main }): uPlot.Series => ({
            ...{ label, width: main ? 2 : 1.25, stroke: () => colour(parent, cssColour(tone)), spanGaps: true },
            ...(dashed && { dash: [6, 4] }),
            points: { show: chart.x.values.length < 3 },
          }),
        ),
      ],
      hooks: {
        draw: [rule],
        setCursor: [(u) => !quiet && pointed(u.cursor.idx ?? undefined)],
      },
    };
    return new uPlot(options, data(), parent);
  }

  const resized = new ResizeObserver(() => {
    if (parent.clientWidth > 0) plot.setSize({ width: parent.clientWidth, height: HEIGHT });
  });
  resized.observe(parent);
  const recolour = () => plot.redraw(false);
  colours.addEventListener("change", recolour);

  return {
    update(next) {
      const same = shape(next) === shape(chart);
      chart = next;
      axes = axesOf(chart);
      if (same) {
        plot.setData(data());
        return;
      }
      plot.destroy();
      plot = make();
    },
    point(index) {
      quiet = true;
      const value = index === undefined ? undefined : chart.x.values[index];
      plot.setCursor(value === undefined ? { left: -10, top: -10 } : { left: plot.valToPos(value, "x"), top: 1 });
      quiet = false;
    },
    destroy() {
      resized.disconnect();
      colours.removeEventListener("change", recolour);
      plot.destroy();
    },
  };
}
