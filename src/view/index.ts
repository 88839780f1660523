/** gravmesh/view: pictures of particles where they lie on the GPU. */
export type { Scene, SceneWindow } from "./scene.ts";
export { QUANTITIES, type Quantity, STRETCHES, type Stretch, type View, type ViewCamera, wholeBox } from "./view.ts";
