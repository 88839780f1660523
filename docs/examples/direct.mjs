// A small cluster by a fourth-order Hermite scheme of one's own, forces from gravmesh/direct.
// Run: node docs/examples/direct.mjs
import { completeScenario, initialConditions } from "gravmesh";
import { DirectSummation } from "gravmesh/direct";

const scenario = completeScenario({
  title: "A small cluster",
  gravity: "direct",
  box: { size: 16, boundary: "isolated" },
  particles: [{ kind: "plummer", count: 500, cutoff: 5 }],
  time: { end: 0.125, step: 1 / 256 },
});
const { particles } = await initialConditions(scenario, { G: 1 });
const x = particles.positions;
const v = Float64Array.from(particles.velocities);
const { masses } = particles;

const direct = await DirectSummation.create({ order: "jerk", softening: 1 / 64 });
console.log(`${masses.length} bodies on ${direct.adapter?.description ?? "the CPU"}, ${direct.precision}`);

// Sources with what it takes to predict them: first without accelerations, to find these.
await direct.setSources({ positions: x, velocities: v, masses });
let { accelerations: a, jerks: j, potentials } = await direct.forces();
const rows = Uint32Array.from(masses.keys());
await direct.updateSources(rows, { accelerations: a, jerks: j });

const energy = () =>
  masses.reduce((sum, m, i) => {
    const [vx, vy, vz] = v.subarray(3 * i, 3 * i + 3);
    return sum + (m * (vx * vx + vy * vy + vz * vz + potentials[i])) / 2;
  }, 0);
const initial = energy();

const dt = 1 / 256;
const h = dt / 2;
for (let step = 1; step <= 32; step++) {
  const time = step * dt;
  await direct.predict(time); // on the GPU, every source from its own time
  const next = await direct.forces(); // of all sources on themselves, all as predicted
  for (let i = 0; i < x.length; i++) {
    const [a1, j1] = [next.accelerations[i], next.jerks[i]];
    const v1 = v[i] + h * (a1 + a[i] - ((j1 - j[i]) * h) / 3);
    x[i] += h * (v[i] + v1) - (h * h * (a1 - a[i])) / 3;
    v[i] = v1;
  }
  ({ accelerations: a, jerks: j, potentials } = next);
  // With block steps: the rows that moved alone, to their own time.
  await direct.updateSources(rows, { positions: x, velocities: v, accelerations: a, jerks: j, times: time });
}
({ potentials } = await direct.forces());
console.log(`energy error ${((energy() - initial) / Math.abs(initial)).toExponential(1)}`);

const { nearestIds, nearestDistances, lists } = await direct.neighbours({ rows: [0] }, { radius: 0.2 });
console.log(`nearest to body 0: body ${nearestIds[0]} at ${nearestDistances[0].toFixed(4)}`);
console.log(`${lists.counts[0]} bodies within 0.2 of it`);
await direct.destroy();
