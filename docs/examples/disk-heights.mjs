// How well a galaxy keeps: node docs/examples/disk-heights.mjs results/milky-way disk 2.6
// Of the named component the mean height ⟨|z - z₀|⟩, z₀ the median, in eight rings of R/Rd (Rd the third argument, [length]);
// of every component the radii that hold 10, 25, 50, 75, 90 % of its particles, about the densest place of all (a sphere
// that shrinks, Power et al. 2003). In per cent: the last snapshot over the first, and the output that is furthest off.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readSnapshot } from "gravmesh";

const [folder, flat, scale] = process.argv.slice(2);
const edges = [0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5].map((x) => x * Number(scale)); // [length]
const shares = [0.1, 0.25, 0.5, 0.75, 0.9];

/** [3]: the mean of the content of a sphere that shrinks by 0.8 at a time, down to 500 particles. */
function centreOf({ positions, boxSize }) {
  let centre = [boxSize / 2, boxSize / 2, boxSize / 2];
  for (let radius = boxSize / 2; ; radius *= 0.8) {
    const sum = [0, 0, 0];
    let inside = 0;
    for (let i = 0; i < positions.length; i += 3) {
      const d = Math.hypot(positions[i] - centre[0], positions[i + 1] - centre[1], positions[i + 2] - centre[2]);
      if (d > radius) continue;
      inside++;
      for (let k = 0; k < 3; k++) sum[k] += positions[i + k];
    }
    if (inside < 500) return centre;
    centre = sum.map((of) => of / inside);
  }
}

/** Mean heights of the rings [length], NaN where one is empty. */
function heights(positions, { first, count }, [x, y]) {
  const rings = edges.slice(1).map(() => []);
  for (let i = 3 * first; i < 3 * (first + count); i += 3) {
    const radius = Math.hypot(positions[i] - x, positions[i + 1] - y);
    const ring = edges.findIndex((edge) => edge > radius) - 1;
    if (ring >= 0) rings[ring].push(positions[i + 2]);
  }
  return rings.map((z) => {
    const middle = z.sort((a, b) => a - b)[z.length >> 1];
    return z.reduce((sum, of) => sum + Math.abs(of - middle), 0) / z.length;
  });
}

/** Radii [length] that hold the shares of a component. */
function radii(positions, { first, count }, [x, y, z]) {
  const all = Float64Array.from({ length: count }, (_, i) => {
    const at = 3 * (first + i);
    return Math.hypot(positions[at] - x, positions[at + 1] - y, positions[at + 2] - z);
  }).sort();
  return shares.map((share) => all[Math.floor(share * count)]);
}

async function measured(file) {
  const snapshot = await readSnapshot(join(folder, file));
  const centre = centreOf(snapshot);
  const lines = snapshot.components.map((of) => [`${of.name}: radii`, radii(snapshot.positions, of, centre)]);
  const disk = snapshot.components.find(({ name }) => name === flat);
  if (!disk || !(Number(scale) > 0)) {
    const names = snapshot.components.map(({ name }) => name).join(", ");
    throw new Error(
      `Expected a component and its scale length, as in "results/milky-way disk 2.6"; there are: ${names}.`,
    );
  }
  return { time: snapshot.time, lines: [[`${flat}: height`, heights(snapshot.positions, disk, centre)], ...lines] };
}

const signed = (change) => `${change < 0 ? "" : "+"}${change.toFixed(1)}`.padStart(7);
const files = readdirSync(folder).filter((name) => /^snapshot_\d+\.hdf5$/.test(name));
const outputs = [];
for (const file of files.sort()) outputs.push(await measured(file));
const [start, ...later] = outputs;
for (const [i, [name, values]] of start.lines.entries()) {
  const changes = later.map(({ lines }) => lines[i][1].map((value, k) => 100 * (value / values[k] - 1)));
  const worst = values.map((_, k) =>
    changes.reduce((most, of) => (Math.abs(of[k]) > Math.abs(most) ? of[k] : most), 0),
  );
  console.log(`${name.padEnd(14)} at the end ${changes.at(-1).map(signed).join("")}`);
  console.log(`${"".padEnd(14)} at most    ${worst.map(signed).join("")}`);
}
