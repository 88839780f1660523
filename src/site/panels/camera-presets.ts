/** Places of the camera that have names; see src/view/view.ts for what azimuth and elevation mean. */
import type { ViewCamera } from "../../view/view.ts";

export interface Preset {
  name: string;
  meaning: string;
  /** From the present camera; `boxSize` [length]; `centreOfMass` of the run, where it is known [length]. */
  camera(from: ViewCamera, boxSize: number, centreOfMass: readonly number[] | undefined): ViewCamera;
}

/** From where the three axes of a cube look alike: arctan(1/√2) above the plane [degree]. */
const ISOMETRIC = (Math.atan(Math.SQRT1_2) * 180) / Math.PI;

const from = (name: string, meaning: string, azimuth: number, elevation: number): Preset => ({
  ...{ name, meaning },
  camera: (camera) => ({ ...camera, azimuth, elevation }),
});

export const PRESETS: readonly Preset[] = [
  from("Face-on", "x to the right, y up", 0, 90),
  from("Edge-on, x–z", "x to the right, z up", 0, 0),
  from("Edge-on, y–z", "y to the right, z up", 90, 0),
  from("Isometric", "the three axes alike", 45, ISOMETRIC),
  {
    name: "Whole box",
    meaning: "the middle of the box, as far as its walls",
    camera: (camera, boxSize) => ({ ...camera, centre: [boxSize / 2, boxSize / 2, boxSize / 2], span: boxSize }),
  },
  {
    name: "Centre of mass",
    meaning: "moves the middle of the picture to where the mass is now",
    camera: (camera, boxSize, mass) => {
      const [x, y, z] = mass ?? [boxSize / 2, boxSize / 2, boxSize / 2];
      return { ...camera, centre: [x, y, z] };
    },
  },
];
