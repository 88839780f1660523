// An output: gravmesh run plummer --extension extent.mjs writes extent.txt, a line a snapshot.
import { registerOutput } from "gravmesh";

registerOutput({
  name: "extent",
  meaning: "the largest distance of a particle from the centre of the box, a line a snapshot",
  files: ["extent.txt"],
  writer({ simulation, lines }) {
    const file = lines("extent.txt", "# time  largest distance");
    const centre = simulation.scenario.box.size / 2;
    return {
      async atSnapshot({ time, blocks }) {
        let largest = 0;
        for await (const { count, positions } of blocks()) {
          for (let i = 0; i < 3 * count; i += 3) {
            const distance = Math.hypot(positions[i] - centre, positions[i + 1] - centre, positions[i + 2] - centre);
            largest = Math.max(largest, distance);
          }
        }
        file.append(`${time}  ${largest}`);
      },
    };
  },
});
