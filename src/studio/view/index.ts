/** gravmesh/view: pictures of particles where they lie on the GPU. */

export { ParticleMasses } from "../../physics/particles/masses.ts";
export { cameraAxes, type PictureSize, type Projection, projectionOf } from "./camera.ts";
export { countOnHost, type GridCounts, type HostParticles } from "./host-counts.ts";
export { HostRenderer } from "./host-renderer.ts";
export { type LayerPlan, layerPlan, type PictureLayer as Layer } from "./layers.ts";
export { drawLegend, type LegendLayout, type LegendRequest, legendLayout } from "./legend.ts";
export type { Drawn, DrawOptions, Picture, PictureGrid as Grid } from "./picture.ts";
export { pngOf } from "./picture.ts";
export { Renderer } from "./renderer.ts";
export { contentOf, type DrawnSimulation, type Scene, type SceneContent, type SceneWindow, sceneOf } from "./scene.ts";
export { type ColourRange, quantityRgb, SPECIES_RGB } from "./tone.ts";
export { hostParticles, UploadedScene } from "./uploaded-scene.ts";
export { QUANTITIES, type Quantity, STRETCHES, type Stretch, type View, type ViewCamera, wholeBox } from "./view.ts";
