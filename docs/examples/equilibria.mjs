// How well spheres keep: node docs/examples/equilibria.mjs [cells] [particles] [name] [softenedModels]
// Each model evolves alone on a mesh for ten half-mass dynamical times (π/2) √(2 r_h³/GM), 25 steps each: how many cells its
// 10 % radius has, and by how many per cent the radii of 10, 25, 50, 75 and 90 % of its mass have changed, mean of t = 8 … 10
// over t = 0. Below, in the same per cent, one standard deviation of such a radius in a sample: √(p(1 − p)/N)/(dp/d ln r).
import { initialConditions, parseScenario, Simulation } from "gravmesh";

const [cells = "64", particles = "100000", only = "all", softened = "false"] = process.argv.slice(2);
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
const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9];

const row = (label, values) => console.log(label.padEnd(37), values.map((x) => x.toFixed(1).padStart(6)).join(""));

/** Sorted distances from the centre, and the mass of all. */
async function sample(deck, size) {
  const { particles: drawn } = await initialConditions(deck, { G: 1 });
  const radii = Float64Array.from(drawn.masses, (_, i) =>
    Math.hypot(...[0, 1, 2].map((k) => drawn.positions[3 * i + k] - size / 2)),
  ).sort();
  return { radii, mass: drawn.masses.reduce((sum, one) => sum + one, 0) };
}

/** Of the radius that holds the share p, in per cent of it. */
function noise(radii, p) {
  const at = (share) => Math.log(radii[Math.floor(share * radii.length)]);
  const width = 0.02;
  return (100 * Math.sqrt((p * (1 - p)) / radii.length) * (at(p + width) - at(p - width))) / (2 * width);
}

for (const [name, keys, reach, radius] of MODELS) {
  for (const anisotropy of only === "all" || only === name ? ["inf", radius] : []) {
    const size = 2.2 * reach;
    const deck = (end, step) =>
      parseScenario(
        `title = "${name}"\nbox.size = ${size}\nmesh = { cells = ${cells}, softenedModels = ${softened} }\n` +
          `time = { end = ${end}, step = ${step} }\noutput = { snapshots = 0, diagnostics = ${TIMES} }\n` +
          `[[particles]]\ncount = ${particles}\nmass = 1\n${keys}\nanisotropyRadius = ${anisotropy}\n`,
      );
    const { radii, mass } = await sample(deck(1, 0.1), size);
    const time = (Math.PI / 2) * Math.sqrt((2 * radii[radii.length >> 1] ** 3) / mass);
    const simulation = await Simulation.create(deck(TIMES * time, time / STEPS));
    const shells = async () => (await simulation.diagnostics()).lagrangianRadii.slice(1);
    const start = await shells();
    const last = [];
    for (let output = 1; output <= TIMES; output++) {
      await simulation.advance({ output });
      if (output > TIMES - 3) last.push(await shells());
    }
    const inCells = ((start[0] * Number(cells)) / size).toFixed(1);
    row(
      `${name.padEnd(12)} r_a ${String(anisotropy).padEnd(4)} r10 ${inCells} cells`,
      start.map((r, i) => (last.reduce((sum, one) => sum + one[i], 0) / last.length / r - 1) * 100),
    );
    row(
      "  noise",
      SHARES.map((share) => noise(radii, share)),
    );
    simulation.destroy();
  }
}
