// A level against one mesh of its cells: node docs/examples/level-sphere.mjs [--quick]
// A Plummer sphere of 20 000 particles, a = 0.02 sides of an isolated box, off its middle: accelerations and potentials on a
// mesh with a level against those on one mesh of the level's cells, relative, in the level's core, in its blend and beyond.
// 64³ cells and a level of 128³, R = 4, against 256³; --quick: 32³ and 96³, R = 4, against 128³.
import { completeScenario, Simulation } from "gravmesh";

const quick = process.argv.includes("--quick");
const [cells, own, refinement] = quick ? [32, 96, 4] : [64, 128, 4];
const place = [0.043, -0.021, 0.012]; // of the sphere, from the middle of the box, whose side is 1

async function fieldOf(mesh, level) {
  const simulation = await Simulation.create(
    completeScenario({
      title: "A sphere",
      box: { size: 1, boundary: "isolated" },
      mesh: { cells: mesh, kernel: "split" },
      particles: [{ kind: "plummer", count: 20_000, mass: 1, scale: 0.02, cutoff: 0.3, offset: place }],
      level,
      time: { end: 1, step: 1e-4 },
    }),
  );
  const particles = await simulation.readParticles({ accelerations: true, potential: true });
  const { adapter } = simulation;
  simulation.destroy();
  return { ...particles, adapter };
}

const level = { offset: place, refinement, cells: own };
const one = await fieldOf(cells * refinement, []);
const [coarse, with_] = [await fieldOf(cells, []), await fieldOf(cells, [level])];

// The core ends so far from the level's centre, along an axis, in the box's cells; over the last two of them it blends.
const core = own / refinement / 2 - (5 * 1.25 + 0.5 + 3 / refinement);
const shellOf = (i) => {
  const far = Math.max(...[0, 1, 2].map((k) => Math.abs(one.positions[3 * i + k] - 0.5 - place[k])));
  return far * cells < core - 2 ? "core" : far * cells < core ? "blend" : "beyond";
};

function line(name, { accelerations, potential }, where) {
  const [forces, depths] = [[], []];
  for (let i = 0; i < one.count; i++) {
    if (shellOf(i) !== where) continue;
    const [a, b] = [accelerations, one.accelerations].map((of) => of.subarray(3 * i, 3 * i + 3));
    forces.push(Math.hypot(...[0, 1, 2].map((k) => a[k] - b[k])) / Math.hypot(...b));
    depths.push(Math.abs(potential[i] / one.potential[i] - 1));
  }
  const share = (all, of) => all.sort((p, q) => p - q)[Math.floor(of * (all.length - 1))].toExponential(1);
  const force = `median ${share(forces, 0.5)}, 99 % ${share(forces, 0.99)}, most ${share(forces, 1)}`;
  console.log(`${name}, ${where} (${forces.length}): acceleration ${force}; potential, median ${share(depths, 0.5)}`);
}

console.log(
  `${cells}³ and a level of ${own}³, R = ${refinement}, beside ${cells * refinement}³, on ${one.adapter?.description ?? "the CPU"}`,
);
for (const where of ["core", "blend", "beyond"]) {
  line("with the level", with_, where);
  line(`${cells}³ alone`, coarse, where);
}
const sum = [0, 0, 0];
let square = 0;
for (let at = 0; at < 3 * with_.count; at++) {
  sum[at % 3] += with_.accelerations[at];
  square += with_.accelerations[at] ** 2;
}
const rms = Math.sqrt(square / with_.count);
console.log(
  `sum of all forces: ${(Math.hypot(...sum) / with_.count / rms).toExponential(1)} of the rms force, a particle`,
);
