/** The pictures of compare.html: each variant's projected density at the end, and below it what differs from the first's. */
import { noteText, section } from "../../run/page/html.ts";
import { html, type Markup, nothing } from "../../run/page/markup.ts";
import { small } from "../../run/page/numbers.ts";
import { densityRamp, differenceRamp, picture } from "../../run/page/picture-html.ts";
import {
  calm,
  commonStretch,
  type DensityPicture,
  densityPng,
  differenceMap,
  differencePng,
  fittedStrips,
  type PictureStretch,
} from "../../run/page/pictures.ts";
import type { CompareMaps, ComparePage } from "./record.ts";

/** Share of the pixels whose difference may lie beyond the colours. */
const SATURATED = 2e-3;
/** Differences below this share of the brightest density are not blown up to fill the colours. */
const LEAST_CEILING = 1e-3;

const VIEWS = [
  { view: "faceOn", how: "" },
  { view: "edgeOn", how: ", edge-on" },
] as const;

function eachView(
  maps: CompareMaps,
  change: (map: DensityPicture, view: keyof CompareMaps) => DensityPicture,
): CompareMaps {
  const faceOn = change(maps.faceOn, "faceOn");
  return maps.edgeOn ? { faceOn, edgeOn: change(maps.edgeOn, "edgeOn") } : { faceOn };
}

/** What the lightest colours of the differences stand for [mass/length²]. */
function ceilingOf(maps: readonly DensityPicture[], stretch: PictureStretch | undefined): number {
  const sizes = maps.flatMap(({ values }) => Array.from(values, Math.abs)).filter((v) => v > 0);
  const sorted = Float64Array.from(sizes).sort();
  return Math.max(
    sorted[Math.floor((sorted.length - 1) * (1 - SATURATED))] ?? 0,
    LEAST_CEILING * (stretch?.ceiling ?? 0),
  );
}

/** Section with a figure a variant; empty when none came to its end. */
export function pictureSection({ comparison, maps: whole, units, shown, boxSize }: ComparePage): Markup {
  const strips = fittedStrips(whole.flatMap((map) => map?.edgeOn ?? []));
  const maps = whole.map((map) => (map?.edgeOn ? { ...map, edgeOn: strips.shift()! } : map));
  const cell = boxSize / comparison.cases[0].result.cells;
  const reference = maps[0];
  const variants = comparison.cases.flatMap(({ label }, i) => {
    const map = maps[i];
    if (!map) return [];
    const isOther = i > 0 && reference !== undefined;
    const less = isOther && eachView(map, (own, view) => differenceMap(own, reference[view] ?? own, cell));
    return { label, isFirst: i === 0, own: eachView(map, calm), less: less || undefined };
  });
  if (variants.length === 0) return nothing;
  const first = comparison.cases[0].label;
  const all = (view: keyof CompareMaps) => variants.flatMap(({ own }) => own[view] ?? []);
  const scales = (view: keyof CompareMaps) => {
    const stretch = commonStretch(all(view));
    const differences = variants.flatMap(({ less }) => less?.[view] ?? []);
    return { stretch, ceiling: ceilingOf(differences, stretch) };
  };
  const scale = { faceOn: scales("faceOn"), edgeOn: scales("edgeOn") };
  const { stretch, ceiling } = scale.faceOn;
  const compared = reference !== undefined && variants.length > 1 && ceiling > 0;
  const differenceKey = compared && differenceRamp(ceiling, `Density less that of ${first}`, units);
  const keys = html`${stretch && densityRamp(stretch, "", units)}${differenceKey}`;

  // Two variants and their difference fit side by side; more get their differences below.
  const inRow = !reference || variants.length <= 2;
  const columns = reference && variants.length === 2 ? 3 : Math.min(4, Math.max(2, variants.length));
  const figures = variants.map(({ label, isFirst, own, less }) => {
    const [densities, differences] = [own, less].map((of) =>
      VIEWS.map(({ view, how }) => {
        const map = of?.[view];
        if (!map) return nothing;
        if (of === less) {
          return picture(differencePng(map, scale[view].ceiling), map, `Difference from ${first}${how}, ${label}`);
        }
        const seen = `Projected density of ${shown}${how}, ${label}`;
        return picture(densityPng(map, scale[view].stretch), map, seen, view === "faceOn" ? units : undefined);
      }),
    );
    const picturesOf = html`${densities}<figcaption><b>${label}</b></figcaption>`;
    const lessOf = less && html`${differences}<figcaption>${label} less ${first}</figcaption>`;
    if (inRow) return html`<figure>${picturesOf}</figure>${lessOf && html`<figure>${lessOf}</figure>`}`;
    const below = isFirst
      ? html`<div class="keys">${keys}</div>`
      : lessOf && html`<div class="difference">${lessOf}</div>`;
    return html`<figure>${picturesOf}${below}</figure>`;
  });
  const edges = all("edgeOn").length > 0;
  const notes = [
    variants.length > 2 ? "All densities are in the same colours, and so are all differences." : "",
    edges ? "The edge-on strips have stretches of their own." : "",
    all("faceOn").some(({ quantum }) => quantum > 0) ? "Densities are smoothed where particles are few." : "",
    compared && stretch
      ? `Differences are smoothed over a cell; their lightest colours are ${small((100 * ceiling) / stretch.ceiling)} % of the brightest density.`
      : "",
  ];
  return section(
    `Projected density at the end${edges ? ", face-on and edge-on" : ""}`,
    html`<div class="pictures" style="--columns:${columns}">${figures}${inRow && html`<div class="keys row">${keys}</div>`}</div>`,
    noteText(notes.filter((note) => note !== "").join(" ")),
  );
}
