import { plainColumn } from "./column.ts";

export const time = plainColumn(
  "time",
  "time",
  "Time; on the comoving clock the scale factor",
  (moment) => moment.time,
);

export const step = plainColumn("step", "", "Steps taken", (moment) => moment.step);
