/**
 * Two bodies on a Kepler orbit, at apocentre at the start: r = a(1 + e), v² = GM (1 − e)/(a (1 + e)), in the xy-plane
 * about the centre of mass. The first body, the heavier one, is on the side of −x.
 */
import type { Draw } from "./model.ts";

export interface KeplerOrbit {
  /** Of both bodies [mass]. */
  mass: number;
  /** Second over first. */
  massRatio: number;
  /** Of the relative orbit [length]. */
  semiMajorAxis: number;
  eccentricity: number;
}

/** Period 2π √(a³/GM) [time]. */
export function keplerPeriod({ mass, semiMajorAxis }: Pick<KeplerOrbit, "mass" | "semiMajorAxis">, G: number): number {
  return 2 * Math.PI * Math.sqrt(semiMajorAxis ** 3 / (G * mass));
}

/** `G` in deck units. Draws two particles, of different mass unless the ratio is 1. */
export function keplerDraw({ mass, massRatio, semiMajorAxis, eccentricity }: KeplerOrbit, G: number): Draw {
  const separation = semiMajorAxis * (1 + eccentricity);
  const speed = Math.sqrt((G * mass * (1 - eccentricity)) / separation);
  const massShares = [1 / (1 + massRatio), massRatio / (1 + massRatio)];
  const draw: Draw = (random, point) => {
    const second = random.index === 1;
    // Each body's distance from the centre of mass goes with the other's mass.
    const lever = second ? massShares[0] : -massShares[1];
    point.fill(0);
    point[0] = lever * separation;
    point[4] = lever * speed;
  };
  draw.massShares = massShares;
  return draw;
}
