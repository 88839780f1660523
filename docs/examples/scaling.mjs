// What a step takes on P ranks, by a model: node docs/examples/scaling.mjs [key=value …]
//   step = p·N/P + c·C + solve·C + packing·C·(P > 1) + exchange
// N particles, C cells. A rank takes p·N/P for its particles (order, deposit, update), c·C for what it does on the whole mesh
// (gradient, empty cells) and solve·C for Poisson's equation. Between ranks (Thakur, Rabenseifner & Gropp 2005, Int. J. High
// Perform. Comput. Appl. 19, 49): an allreduce of B bytes takes 2 log₂P latencies and 2 (P − 1)/P · B/bandwidth, a broadcast
// log₂P + P − 1 … latencies and 2 (P − 1)/P · B/bandwidth; B is 8 bytes a cell before the solution, and where one solves
// for all 4 bytes a cell after it.
// The times are of llvmpipe on two cores (docs/clusters.md). Those of a device of your own: `gravmesh bench stages --json` at
// two sizes. Bandwidth and latency are assumptions: 100 Gbit/s InfiniBand EDR at 80 % of its line rate, and 2 µs.
const known = {
  particle: 33.4, // p [ns a particle]
  cell: 4.4, // c [ns a cell]
  solve: 46, // isolated FFT [ns a cell]
  packing: 6, // both ways, host copies included [ns a cell]
  bandwidth: 10, // [GB/s]
  latency: 2, // [µs]
  one: 0, // 1: rank 0 solves for all, and hands the potential on
};
const lists = { particles: [1e8, 1e9, 1e10, 1e11], cells: [256, 512, 1024], ranks: [1, 4, 16, 64, 256, 1000] };
for (const word of process.argv.slice(2)) {
  const [key, value] = word.split("=");
  if (key in lists) lists[key] = value.split(",").map(Number);
  else if (key in known && Number.isFinite(Number(value))) known[key] = Number(value);
  else throw new Error(`expected ${[...Object.keys(known), ...Object.keys(lists)].join("=, ")}=, found ${word}`);
}

/** Seconds of a step, and of that between ranks. */
export function stepOf({ particles, cells, ranks }, of = known) {
  const inCells = cells ** 3;
  const own = 1e-9 * ((of.particle * particles) / ranks + (of.cell + of.solve) * inCells);
  if (ranks === 1) return { step: own, between: 0 };
  const rounds = 2 * Math.log2(ranks) * 1e-6 * of.latency;
  const moved = (bytes) => (2 * ((ranks - 1) / ranks) * bytes * inCells) / (1e9 * of.bandwidth) + rounds;
  const between = moved(8) + (of.one ? moved(4) : 0) + 1e-9 * of.packing * inCells;
  return { step: own + between, between };
}

const number = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2));
for (const cells of lists.cells) {
  console.log(`\n${cells}³ cells: ${((8 * cells ** 3) / 1e6).toFixed(0)} MB between ranks a force evaluation`);
  console.log(`| particles | ${lists.ranks.map((p) => `${p} ranks`).join(" | ")} |`);
  console.log(`|---|${lists.ranks.map(() => "---:").join("|")}|`);
  for (const particles of lists.particles) {
    const alone = stepOf({ particles, cells, ranks: 1 }).step;
    const columns = lists.ranks.map((ranks) => {
      const { step, between } = stepOf({ particles, cells, ranks });
      if (ranks === 1) return `${number(step)} s`;
      return `${number(step)} s, ${number(alone / step)}×, ${Math.round((100 * between) / step)} %`;
    });
    console.log(`| 10^${Math.log10(particles).toFixed(1).replace(".0", "")} | ${columns.join(" | ")} |`);
  }
  const perCell = known.cell + known.solve + known.packing + 16 / known.bandwidth;
  const half = (known.particle * 1) / perCell;
  console.log(`At N / ${cells}³ = ν particles a cell, ${number(half)}·ν ranks halve nothing more: half of a step is then the mesh.`);
}
