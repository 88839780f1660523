// A diagnostics column: gravmesh run plummer --extension bulk-speed.mjs
import { registerColumn } from "gravmesh";

registerColumn({
  name: "bulkSpeed",
  heads: "bulk_speed",
  unit: "velocity",
  meaning: "Speed of the centre of mass, |P|/M",
  of: ({ sums }) => Math.hypot(...sums.momentum) / sums.mass,
  chart: {
    title: "Bulk speed",
    about: "of the centre of mass",
    quantity: "Bulk speed",
    label: "|P| / M",
    unit: "velocity",
  },
});
