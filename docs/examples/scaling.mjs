// What a step takes on P ranks, by a model: node docs/examples/scaling.mjs [key=value …]
//   step = (p·N/P + m·C)/K + [P > 1] (packing·C + exchange)
// N particles, C cells. A rank takes p·N/P for its particles (order, deposit, update) and m·C for what it does on the whole
// mesh (Poisson's equation, gradient, empty cells), on a device K times as fast as the one that p and m were measured on.
// Exchange of B bytes, by Thakur, Rabenseifner & Gropp (2005), Int. J. High Perform. Comput. Appl. 19, 49: an allreduce, and a
// broadcast by scatter and allgather, take 2 log₂P latencies and 2 (P − 1)/P · B/bandwidth. B is 8 bytes a cell before the
// solution, and 4 bytes a cell after it where rank 0 solves for all (one=1).
// p, m and packing: llvmpipe on two cores, docs/clusters.md. Bandwidth and latency are assumed, not measured: 10 GB/s of the
// 12.5 of InfiniBand EDR (100 Gbit/s), and 2 µs.
const known = {
  device: 1, // K
  particle: 28, // p [ns a particle]
  mesh: 47, // m [ns a cell]
  packing: 10, // of the device and the host, which a faster device doesn't shorten [ns a cell]
  bandwidth: 10, // [GB/s]
  latency: 2, // [µs]
  one: 0,
};
const lists = { particles: [1e8, 1e9, 1e10, 1e11], cells: [256, 512, 1024], ranks: [1, 4, 16, 64, 256, 1000] };
for (const word of process.argv.slice(2)) {
  const [key, value] = word.split("=");
  const numbers = (value ?? "").split(",").map(Number);
  if (key in lists && numbers.every((one) => one > 0)) lists[key] = numbers;
  else if (key in known && Number.isFinite(numbers[0])) known[key] = numbers[0];
  else throw new Error(`expected ${[...Object.keys(known), ...Object.keys(lists)].join("=, ")}=, found ${word}`);
}

/** Seconds of a step, and of that between ranks. */
function stepOf({ particles, cells, ranks }) {
  const { device, particle, mesh, packing, bandwidth, latency, one } = known;
  const inCells = cells ** 3;
  const own = (1e-9 * ((particle * particles) / ranks + mesh * inCells)) / device;
  if (ranks === 1) return { step: own, between: 0 };
  const rounds = 2 * Math.log2(ranks) * 1e-6 * latency;
  const moved = (bytes) => (2 * ((ranks - 1) / ranks) * bytes * inCells) / (1e9 * bandwidth) + rounds;
  const between = moved(8) + (one ? moved(4) : 0) + 1e-9 * packing * inCells;
  return { step: own + between, between };
}

const digits = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2));
const power = (x) => `10^${Math.log10(x).toFixed(1).replace(".0", "")}`;
for (const cells of lists.cells) {
  const inCells = cells ** 3;
  const bytes = (known.one ? 12 : 8) * inCells;
  console.log(`\n${cells}³ cells: ${digits(bytes / 1e9)} GB between ranks a step`);
  console.log(`a rank holds ${digits((24 * inCells) / 1e9)} GB of mesh, and 60 bytes a particle of its share\n`);
  console.log(`| particles | ${lists.ranks.map((p) => `${p} rank${p > 1 ? "s" : ""}`).join(" | ")} |`);
  console.log(`|---|${lists.ranks.map(() => "---:").join("|")}|`);
  for (const particles of lists.particles) {
    const alone = stepOf({ particles, cells, ranks: 1 }).step;
    const columns = lists.ranks.map((ranks) => {
      const { step, between } = stepOf({ particles, cells, ranks });
      return ranks === 1 ? `${digits(step)} s` : `${digits(alone / step)}×, ${Math.round((100 * between) / step)} %`;
    });
    console.log(`| ${power(particles)} | ${columns.join(" | ")} |`);
  }
}
// Half of a step is the particles' where p N/P/K equals the rest; more ranks gain less than twice from there on.
const rest = known.mesh / known.device + known.packing + (known.one ? 24 : 16) / known.bandwidth;
const least = (known.packing + (known.one ? 24 : 16) / known.bandwidth) * known.device;
console.log(
  `\nHalf of a step is the mesh from P = ${digits(known.particle / known.device / rest)} ν ranks on, ν = N/C particles a cell.`,
);
console.log(`Two ranks take less time than one from ν = ${digits((2 * least) / known.particle)} on.`);
