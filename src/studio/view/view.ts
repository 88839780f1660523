/** What a picture shows and how. Plain data, so that a link, a worker and a script can hold it. */

/**
 * A camera far away (parallel rays): at azimuth α about z and elevation ε above the x–y plane a picture's axes are
 *   right = (cos α, sin α, 0),  up = (−sin α sin ε, cos α sin ε, cos ε),
 * so that 0°, 90° is face-on (x right, y up) and 0°, 0° edge-on along y (x right, z up).
 */
export interface ViewCamera {
  /** [degree] */
  azimuth: number;
  elevation: number;
  /** What it looks at, box coordinates [length]. */
  centre: readonly [number, number, number];
  /** What the picture's shorter side spans [length]; pixels are square. */
  span: number;
}

/**
 * density: surface density; species: the same, a colour for each species; velocity: mean along the line of sight, towards the
 * observer negative; dispersion: of that velocity.
 */
export const QUANTITIES = ["density", "species", "velocity", "dispersion"] as const;
export type Quantity = (typeof QUANTITIES)[number];

export const STRETCHES = ["log", "asinh", "linear"] as const;
export type Stretch = (typeof STRETCHES)[number];

export interface View {
  camera: ViewCamera;
  quantity: Quantity;
  stretch: Stretch;
  /** Powers of ten between the darkest and the brightest density of the log stretch. */
  decades: number;
  /** The brightest surface density [mass/length²], speed or dispersion [velocity]; "auto" takes it from the picture. */
  brightest: number | "auto";
  /** Particles wanted about a pixel, or else it is blurred; eight times as many in pictures of motion; 0 for no blur. */
  smoothing: number;
  /** Draws the particles whose ids are multiples of this: 1 for all. */
  every: number;
  /** Names of components that are left out. */
  hidden: readonly string[];
  /** Levels are shown by frames about their cores, which drawLegend draws. */
  cores: boolean;
}

/** Face-on to the whole box. `boxSize` [length]. */
export function wholeBox(boxSize: number): View {
  const half = boxSize / 2;
  return {
    camera: { azimuth: 0, elevation: 90, centre: [half, half, half], span: boxSize },
    ...{ quantity: "density", stretch: "log", decades: 4, brightest: "auto", smoothing: 8, every: 1, hidden: [] },
    cores: true,
  };
}
