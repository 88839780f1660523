import type { DiagnosticsColumn } from "./column.ts";

export const time: DiagnosticsColumn<"time", number, "time"> = {
  name: "time",
  heads: "time",
  unit: "time",
  meaning: "Time; on the comoving clock the scale factor",
  of: (moment) => moment.time,
};

export const step: DiagnosticsColumn<"step", number, "step"> = {
  name: "step",
  heads: "step",
  unit: "",
  meaning: "Steps taken",
  of: (moment) => moment.step,
};
