// How good the force in a galaxy is: node docs/examples/level-forces.mjs DECK COMPONENT SOFTENING EDGE EDGE …
// The mesh's accelerations at the start on up to 600 particles of the component in each shell about its densest place, against
// the sum over all particles with a Plummer softening [length]: median and 90 % of the relative error.
import { readFileSync } from "node:fs";
import { parseScenario, Simulation, unitSystem } from "gravmesh";

const [deck, name, softening, ...edges] = process.argv.slice(2);
const scenario = parseScenario(readFileSync(deck, "utf8"), { file: deck });
const { G } = unitSystem(scenario.units.system);
const simulation = await Simulation.create(scenario);
const {
  positions: x,
  masses,
  accelerations,
  components,
  count,
} = await simulation.readParticles({
  accelerations: true,
});
const { first, count: members } = components.find((one) => one.name === name);
const distance = (i, [a, b, c]) => Math.hypot(x[3 * i] - a, x[3 * i + 1] - b, x[3 * i + 2] - c);

/** The mean of the content of a sphere that shrinks by 0.8 at a time, down to a twentieth of the component. */
function centreOf() {
  let centre = Array(3).fill(scenario.box.size / 2);
  for (let radius = scenario.box.size; ; radius *= 0.8) {
    const near = Array.from({ length: members }, (_, k) => first + k).filter((i) => distance(i, centre) < radius);
    if (near.length < members / 20) return centre;
    centre = [0, 1, 2].map((axis) => near.reduce((sum, i) => sum + x[3 * i + axis], 0) / near.length);
  }
}

function summed(i) {
  let [fx, fy, fz] = [0, 0, 0];
  for (let j = 0; j < 3 * count; j += 3) {
    const [dx, dy, dz] = [x[j] - x[3 * i], x[j + 1] - x[3 * i + 1], x[j + 2] - x[3 * i + 2]];
    const square = dx * dx + dy * dy + dz * dz + softening ** 2;
    const weight = (G * masses[j / 3]) / (square * Math.sqrt(square));
    fx += weight * dx;
    fy += weight * dy;
    fz += weight * dz;
  }
  return [fx, fy, fz];
}

const centre = centreOf();
for (const [k, edge] of edges.slice(1).entries()) {
  const shell = Array.from({ length: members }, (_, i) => first + i).filter((i) => {
    const r = distance(i, centre);
    return r >= edges[k] && r < edge;
  });
  const every = Math.ceil(shell.length / 600);
  const errors = shell
    .filter((_, i) => i % every === 0)
    .map((i) => {
      const exact = summed(i);
      const off = exact.map((force, axis) => accelerations[3 * i + axis] - force);
      return (100 * Math.hypot(...off)) / Math.hypot(...exact);
    });
  errors.sort((a, b) => a - b);
  const [median, most] = [0.5, 0.9].map((share) => errors[Math.floor(share * errors.length)].toFixed(1));
  console.log(`${edges[k]} to ${edge}: ${shell.length} particles, median ${median} %, 90 % below ${most} %`);
}
simulation.destroy();
