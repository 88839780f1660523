/** Live curves: a chart for each thing that the run follows; readable by mouse, by keyboard, as tables and as files. */

import { effect } from "@preact/signals";
import { bisectCenter } from "d3-array";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type DrawnChart, drawnChart } from "../../../run/page/charts.ts";
import { shortNumber } from "../../../run/page/numbers.ts";
import { Button, Checkbox } from "../controls.tsx";
import { PANES } from "../stage.ts";
import type { Store } from "../store.ts";
import {
  type CurveChart,
  type CurvedPane,
  type CurveSeries,
  chartCsv,
  curveCharts,
  spoken,
  thinnedPlaces,
  valuesAt,
} from "./curve-data.ts";
import { download, fileName } from "./download.ts";

/** Least time between drawings of the charts [ms]. */
const PACE = 250;
/** Rows of a table; the file has all. */
const MOST_ROWS = 60;

function Swatch({ tone, dashed, main }: CurveSeries) {
  return (
    <svg class="curve-swatch chart" width="22" height="8" aria-hidden="true">
      <line
        x1="1"
        x2="21"
        y1="4"
        y2="4"
        class={`s-${tone}`}
        stroke-width={main ? 2.5 : 1.5}
        stroke-dasharray={dashed ? "5 3" : undefined}
      />
    </svg>
  );
}

function Legend({ chart, index }: { chart: CurveChart; index: number }) {
  const values = valuesAt(chart, index);
  return (
    <ul class="curve-legend">
      <li>at {chart.x.values.length > 0 && <b>{shortNumber(chart.x.values[index])}</b>}</li>
      {chart.series.map((series, i) => (
        <li key={series.label}>
          <Swatch {...series} /> {series.label} <b>{values[i] === null ? "–" : shortNumber(values[i])}</b>
        </li>
      ))}
    </ul>
  );
}

function Table({ chart }: { chart: CurveChart }) {
  const { x, series } = chart;
  return (
    <div class="curve-table">
      <table>
        <caption>
          {chart.title}: {chart.y.label}
        </caption>
        <thead>
          <tr>
            <th scope="col">{x.label}</th>
            {series.map(({ label }) => (
              <th scope="col" key={label}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {thinnedPlaces(x.values.length, MOST_ROWS).map((i) => (
            <tr key={i}>
              <th scope="row">{shortNumber(x.values[i], 4)}</th>
              {series.map(({ label, values }) => (
                <td key={label}>{values[i] === null ? "–" : shortNumber(values[i], 4)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where a key moves the cursor of a chart; undefined for a key that doesn't. */
export function movedBy(key: string, shift: boolean, index: number, count: number): number | undefined {
  const far = shift ? 10 : 1;
  const to = { ArrowLeft: index - far, ArrowRight: index + far, Home: 0, End: count - 1 }[key];
  return to === undefined ? undefined : Math.min(count - 1, Math.max(0, to));
}

interface ChartProps {
  chart: CurveChart;
  /** A value of the horizontal axis at which the reader points in any chart with that axis. */
  at: number | undefined;
  point: (at: number | undefined) => void;
  title: string;
}

/** Of a column of the panel [pixel]. */
const SIZE = { width: 350, height: 200 };

function drawn({ title, x, y, rule, series }: CurveChart): DrawnChart {
  const scale = (log: boolean) => (log ? ("log" as const) : ("linear" as const));
  const domain = y.domain ?? (rule === undefined ? undefined : ([rule, rule] as const));
  const alone = x.values.length < 3 && { marks: "dot" as const };
  return drawnChart({
    ...{ ...SIZE, description: title, x: { label: x.label, scale: scale(x.log) } },
    y: { label: y.label, scale: scale(y.log), ...(domain && { domain }) },
    ...(rule !== undefined && { rules: [{ at: rule }] }),
    series: series.map(({ tone, dashed, main, values }) => ({
      ...{ tone, dashed, thin: !main, ...alone },
      points: x.values.flatMap((at, i) => (typeof values[i] === "number" ? [[at, values[i]] as const] : [])),
    })),
  });
}

function Plot({ chart, index, point }: { chart: CurveChart; index: number | undefined; point: ChartProps["point"] }) {
  const { svg, x, width, height, top, bottom } = useMemo(() => drawn(chart), [chart]);
  const host = useRef<HTMLDivElement>(null);
  // Before it is painted, so that the curves and the values below them are of one moment.
  useLayoutEffect(() => {
    host.current!.innerHTML = String(svg);
  }, [svg]);
  const { values } = chart.x;
  const at = index === undefined ? undefined : x(values[index]);
  return (
    <div
      class="curve-plot"
      onPointerMove={({ clientX, currentTarget }) => {
        const box = currentTarget.getBoundingClientRect();
        point(values[bisectCenter(values, x.invert((width * (clientX - box.left)) / box.width))]);
      }}
      onPointerLeave={() => point(undefined)}
    >
      <div ref={host} />
      {at !== undefined && (
        <svg class="chart curve-cursor" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <line class="axis" x1={at} x2={at} y1={top} y2={bottom} />
        </svg>
      )}
    </div>
  );
}

function Chart({ chart, at, point, title }: ChartProps) {
  const { x } = chart;
  const last = x.values.length - 1;
  const pointed = at === undefined ? -1 : x.values.findLastIndex((value) => value <= at);
  const index = pointed < 0 ? last : pointed;
  return (
    <figure class="curve">
      <figcaption>
        <h3>{chart.title}</h3>
        <Button
          class="curve-csv"
          aria-label={`${chart.title} as csv`}
          title="These numbers as csv"
          onClick={() => download(fileName(`${title} ${chart.title}`, ".csv"), chartCsv(chart), "text/csv")}
        >
          csv
        </Button>
        <p class="soft">{chart.about}</p>
      </figcaption>
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${chart.title}, ${chart.about}. Arrow keys read its values.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, index)}
        aria-valuetext={spoken(chart, index)}
        onKeyDown={(event) => {
          const to = event.key === "Escape" ? undefined : movedBy(event.key, event.shiftKey, index, x.values.length);
          if (to === undefined && (event.key !== "Escape" || at === undefined)) return;
          event.preventDefault();
          event.stopPropagation();
          point(to === undefined ? undefined : x.values[to]);
        }}
      >
        <Plot chart={chart} index={pointed < 0 ? undefined : pointed} point={point} />
      </div>
      <Legend chart={chart} index={index} />
    </figure>
  );
}

/** The charts, made anew when there is news, at the pace of a reader rather than of a run. */
function useCharts(store: Store): readonly CurveChart[] {
  const [charts, setCharts] = useState<readonly CurveChart[]>([]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    let known: readonly unknown[] = [];
    let panes: CurvedPane[] = [];
    const draw = () => {
      timer = undefined;
      last = performance.now();
      setCharts(curveCharts(panes));
    };
    const end = effect(() => {
      const shown = PANES.filter((pane) => pane === "a" || store.comparing.value);
      panes = shown.map((pane) => {
        const { state, rows, bars, spectrum, rotation } = store.panes[pane];
        const now = { spectrum: spectrum.value, rotation: rotation.value };
        return { pane, state: state.value, rows: rows.value, bars: bars.value, ...now };
      });
      const news = panes.flatMap(({ state: { title, status, units }, rows, bars, spectrum, rotation }) => [
        ...[title, status, units.length, rows, bars, spectrum, rotation],
      ]);
      if (news.length === known.length && news.every((value, i) => value === known[i])) return;
      known = news;
      timer ??= setTimeout(draw, Math.max(0, last + PACE - performance.now()));
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [store]);
  return charts;
}

export function Curves({ store }: { store: Store }) {
  const charts = useCharts(store);
  const [tables, setTables] = useState(false);
  const [at, setAt] = useState<{ axis: string; value: number }>();
  const { title } = store.panes.a.state.value;
  return (
    <section class="part curves" aria-label="Curves">
      {charts.length === 0 ? (
        <p class="soft">Curves begin with the second row of diagnostics: run a deck.</p>
      ) : (
        <Checkbox checked={tables} set={setTables} label="As tables" />
      )}
      <div class="curves-grid">
        {charts.map((chart) =>
          tables ? (
            <Table key={chart.id} chart={chart} />
          ) : (
            <Chart
              key={chart.id}
              {...{ chart, title }}
              at={at?.axis === chart.x.label ? at.value : undefined}
              point={(value) => setAt(value === undefined ? undefined : { axis: chart.x.label, value })}
            />
          ),
        )}
      </div>
    </section>
  );
}
