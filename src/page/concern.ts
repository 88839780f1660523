/** How large an energy error is, in one scale for terminal and pages: 0.025 must not look like 1e-5. */
import { errorText, exponential, percentage, small } from "./numbers.ts";

/** "large": forces, step or mesh are too coarse for what is run; "lost": nothing of it can be trusted. */
export type Concern = "large" | "lost";

/** From here on an error of the energy, relative to the initial one, is large, and lost. */
const LARGE = 0.01;
const LOST = 1;

/** Undefined where there is nothing to say. */
export function concernOf(energyError: number): Concern | undefined {
  const size = Math.abs(energyError);
  return size > LOST ? "lost" : size > LARGE ? "large" : undefined;
}

const WORDS: Record<Concern, string> = {
  large: "above 1 %",
  lost: "the energy is lost",
};

/** "above 1 %"; "" where there is nothing to say. */
export function concernText(energyError: number): string {
  const concern = concernOf(energyError);
  return concern ? WORDS[concern] : "";
}

/** For pages: as a share of the energy where it is large, and with a sign that doesn't depend on colours. */
export function energyErrorOnPage(energyError: number): string {
  const size = Math.abs(energyError);
  if (!concernOf(size)) return small(size);
  return `⚠\u00a0${size < 10 ? percentage(size) : small(size)}`;
}

/** For a terminal: "+1.2e-5", and "-3.6e-2!" where it is large. */
export function energyErrorInTerminal(energyError: number): string {
  return `${errorText(energyError)}${concernOf(energyError) ? "!" : ""}`;
}

/** The same of a size. */
export function largestErrorInTerminal(size: number): string {
  return `${exponential(size)}${concernOf(size) ? "!" : ""}`;
}
