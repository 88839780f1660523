/** Figure 5 of Bédorf, Gaburov & Portegies Zwart (2015): several GPUs, measured under mpirun and by a model. */
import { milliseconds, prefixed } from "../../../page/numbers.ts";
import type { Results } from "../spec.ts";
import { lines, quantity, table } from "../spec.ts";
import { inMs, numbered } from "./axes.ts";
import { type casesOf, modelledGain, RANKED, RANKS, rankedGain } from "./quantities.ts";
import { FORCE_BYTES, NETWORK } from "./ranked.ts";

/** GPUs of the model. */
const MODELLED = [2, 4, 8, 16];

/** Speed-up by N, measured for the numbers of ranks that there were, and by the model. */
export function several(results: Results, { squares: over }: ReturnType<typeof casesOf>) {
  const measured = RANKS.filter((ranks) => results.of(RANKED, { ranks }));
  const gains = [
    ...measured.map((ranks, i) =>
      quantity(`${ranks} ranks`, (count) => rankedGain(results, count, ranks), { look: { colour: i } }),
    ),
    ...MODELLED.map((ranks, i) =>
      quantity(`${ranks} GPUs, model`, (count) => modelledGain(results, count, ranks), {
        look: { colour: measured.length + i, curve: true, dashed: true },
      }),
    ),
  ];
  const note = `${measured.length > 0 ? "Ranks: measured, with what was timed of one in turns. " : ""}Model: times of one as measured, ${FORCE_BYTES} bytes a body over ${NETWORK.bandwidth / 1e9} GB/s and ${NETWORK.latency * 1e3} ms an exchange, which are assumed.`;
  const exchange = quantity("exchange of nothing [ms]", (ranks) => inMs(results.of(RANKED, { ranks })?.latency), {
    text: milliseconds,
  });
  const rate = quantity("1 MiB a rank [bytes/s]", (ranks) => results.of(RANKED, { ranks })?.bandwidth, {
    text: prefixed,
  });
  return {
    tables: [
      table({ title: "Several GPUs, times as fast as one (figure 5)", corner: "N", over, quantities: gains, note }),
      ...(measured.length > 0
        ? [
            table({
              title: "Exchanges between the ranks, as measured",
              ...{ corner: "ranks", over: measured as readonly number[], quantities: [exchange, rate] },
            }),
          ]
        : []),
    ],
    plot: lines({
      title: "Several GPUs",
      where: "figure 5",
      x: numbered("targets = sources", over),
      y: { label: "times as fast as one", scale: "log" },
      ...{ over, quantities: gains, rules: [{ at: 1, label: "one" }] },
      note,
    }),
  };
}
