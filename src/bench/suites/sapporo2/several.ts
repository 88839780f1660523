/** Figure 5 of the suite `sapporo2`: several GPUs, as measured under mpirun and by a model. */
import { milliseconds, prefixed } from "../../../page/numbers.ts";
import { log, type Maybe, numbered, quantity, type Results, type Views, view } from "../spec.ts";
import { type Cases, RANKED, RANKS, SQUARE } from "./experiments.ts";
import { FORCE_BYTES, modelled, NETWORK, type RankedRow } from "./ranked.ts";

/** The times of a number of bodies on one GPU: from a measurement of several ranks, else from that of figure 3. */
function ofOne(results: Results, count: number): RankedRow | undefined {
  const rows = RANKS.flatMap((ranks) => results.of(RANKED, { ranks })?.rows ?? []);
  const sum = results.of(SQUARE, { count })?.variants["jerk double-single"]?.seconds;
  const whole = sum === undefined ? undefined : { count, targets: count, sent: 0, sum, together: sum };
  return rows.find((row) => row.count === count) ?? whole;
}

/** Times as fast as one GPU (figure 5), measured. */
export const rankedGain = (results: Results, ranks: number) => (count: number) => {
  const row = results.of(RANKED, { ranks })?.rows.find((one) => one.count === count);
  return row && (row.sent + row.sum) / row.together;
};

/** The same by the model. */
export const modelledGain = (results: Results, ranks: number) => (count: number) => {
  const row = ofOne(results, count);
  return row && modelled(row, 1) / modelled(row, ranks);
};

/** Figure 5: several GPUs, measured for the numbers of ranks that there were, and by the model. */
export function several(results: Results, { squares: over }: Cases): Views[] {
  const measured = RANKS.filter((ranks) => results.of(RANKED, { ranks })) as readonly number[];
  const note = `${measured.length > 0 ? "Ranks: measured, with what was timed of one in turns. " : ""}Model: times of one as measured, ${FORCE_BYTES} bytes a body over ${NETWORK.bandwidth / 1e9} GB/s and ${NETWORK.latency * 1e3} ms an exchange, which are assumed.`;
  const exchange = (ranks: number): Maybe => {
    const seconds = results.of(RANKED, { ranks })?.latency;
    return seconds && 1000 * seconds;
  };
  const bandwidth = (ranks: number) => results.of(RANKED, { ranks })?.bandwidth;
  return [
    view({
      title: "Several GPUs, times as fast as one",
      ...{ where: "figure 5", over, table: { corner: "N" }, note },
      quantities: [
        ...measured.map((ranks) => quantity(`${ranks} ranks`, rankedGain(results, ranks))),
        ...[2, 4, 8, 16].map((ranks) =>
          quantity(`${ranks} GPUs, model`, modelledGain(results, ranks), { look: { curve: true, dashed: true } }),
        ),
      ],
      plot: {
        ...{ x: numbered("targets = sources", over), y: log("times as fast as one") },
        rules: [{ at: 1, label: "one" }],
      },
    }),
    view({
      title: "Exchanges between the ranks, as measured",
      ...{ where: "figure 5", over: measured, table: { corner: "ranks" } },
      quantities: [
        quantity("exchange of nothing [ms]", exchange, { text: milliseconds }),
        quantity("1 MiB a rank [bytes/s]", bandwidth, { text: prefixed }),
      ],
    }),
  ];
}
