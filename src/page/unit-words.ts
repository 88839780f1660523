/** Words about units that need no table of units: a browser page has them without the deck's schema. */

/** Unit of times on the comoving clock. */
export const SCALE_FACTOR = "scale factor";

/** Whether times in this unit are scale factors. */
export const isComoving = (timeUnit: string) => timeUnit === SCALE_FACTOR;

/** Redshift of the scale factor `a`: "63", "0.5". */
export function redshiftText(a: number): string {
  const z = 1 / a - 1;
  return String(Math.abs(z) < 5e-4 ? 0 : Number(z.toPrecision(3)));
}

/** "16 kpc"; "3 × 10¹⁰ M☉" of a unit that begins with a number itself. */
export function withUnit(value: string, text: string): string {
  if (/^\d/.test(text)) return `${value}\u202f×\u202f${text}`;
  return text === "" ? value : `${value}\u00a0${text}`;
}
