// How well spheres keep: node docs/examples/equilibria.mjs [cells] [particles] [name]
// Each model evolves alone on a mesh for ten half-mass dynamical times (π/2) √(2 r_h³/GM), 25 steps each: how many cells its
// 10 % radius has, and by how many per cent the radii of 10, 25, 50, 75 and 90 % of its mass have changed, mean of t = 8 … 10.
import { initialConditions, parseScenario, Simulation } from "gravmesh";

const [cells = "64", particles = "100000", only] = process.argv.slice(2);
/** Name, keys, how far it reaches, its anisotropy radius. */
const MODELS = [
  ["plummer", 'kind = "plummer"\nscale = 1\ncutoff = 6', 6, 1],
  ["hernquist", 'kind = "hernquist"\nscale = 1\ncutoff = 4', 4, 0.5],
  ["nfw", 'kind = "nfw"\nscale = 1\ncutoff = 5', 5, 0.8],
  ["king W0 = 3", 'kind = "king"\nscale = 1\nW0 = 3', 4.7, 1.5],
  ["king W0 = 6", 'kind = "king"\nscale = 0.3\nW0 = 6', 5.4, 0.8],
  ["isochrone", 'kind = "isochrone"\nscale = 1\ncutoff = 10', 10, 1.5],
  ["dehnen 0", 'kind = "dehnen"\nscale = 1\ngamma = 0\ncutoff = 6', 6, 1.2],
  ["dehnen 1.5", 'kind = "dehnen"\nscale = 1\ngamma = 1.5\ncutoff = 3', 3, 0.4],
  ["einasto", 'kind = "einasto"\nscale = 1\ncutoff = 4', 4, 0.8],
];
const [TIMES, STEPS] = [10, 25];

for (const [name, keys, reach, radius] of MODELS) {
  for (const anisotropy of only === undefined || only === name ? ["inf", radius] : []) {
    const size = 2.2 * reach;
    const deck = (count, end, step) =>
      parseScenario(
        `title = "${name}"\nbox.size = ${size}\nmesh.cells = ${cells}\ntime = { end = ${end}, step = ${step} }\n` +
          `output = { snapshots = 0, diagnostics = ${TIMES} }\n` +
          `[[particles]]\ncount = ${count}\nmass = 1\n${keys}\nanisotropyRadius = ${anisotropy}\n`,
      );
    const { particles: drawn } = await initialConditions(deck(5000, 1, 0.1), { G: 1 });
    const mass = drawn.masses.reduce((sum, one) => sum + one, 0);
    const radii = Array.from(drawn.masses, (_, i) =>
      Math.hypot(...[0, 1, 2].map((k) => drawn.positions[3 * i + k] - size / 2)),
    ).sort((a, b) => a - b);
    const time = (Math.PI / 2) * Math.sqrt((2 * radii[radii.length / 2] ** 3) / mass);
    const simulation = await Simulation.create(deck(Number(particles), TIMES * time, time / STEPS));
    const shells = async () => (await simulation.diagnostics()).lagrangianRadii.slice(1);
    const start = await shells();
    const last = [];
    for (let output = 1; output <= TIMES; output++) {
      await simulation.advance({ output });
      if (output > TIMES - 3) last.push(await shells());
    }
    const changes = start.map((r, i) => (last.reduce((sum, one) => sum + one[i], 0) / last.length / r - 1) * 100);
    const inCells = ((start[0] * Number(cells)) / size).toFixed(1);
    console.log(
      `${name.padEnd(12)} r_a ${String(anisotropy).padEnd(4)} r10 ${inCells} cells `,
      changes.map((change) => change.toFixed(1).padStart(6)).join(""),
    );
    simulation.destroy();
  }
}
