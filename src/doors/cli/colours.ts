/** Colours of a terminal; none where a launcher's own terminal ends in a file. NO_COLOR and FORCE_COLOR have the last word. */
import picocolors from "picocolors";
import { endsInFile } from "./launcher-terminal.ts";

export const colours = !process.env.FORCE_COLOR && endsInFile() ? picocolors.createColors(false) : picocolors;
