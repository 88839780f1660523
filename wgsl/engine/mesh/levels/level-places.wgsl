// Where the levels lie, and how far they count.
//#expects LEVELS, PLACES (binding number)

struct LevelPlace {
  centre: vec3u, // fixed point
  cells: u32, // per side
  first: vec3u, // its first cell on each axis, among those of the box, around its faces where it lies beyond one
  perBox: u32, // cells of its size along the box
  core: f32, // half the side of its core, the blend included [cells of the parent]
  faceMargin: f32, // what targets keep from the faces of an isolated box [cells of the parent]
  refinement: u32, // the parent's cells over its own
  edge: u32, // cells that particles on it keep from the faces of an isolated box
  moved: vec3i, // by its centre at the last evaluation of the force, fixed point
  found: u32, // followed particles within half its core then
}

@group(0) @binding(PLACES) var<uniform> places: array<LevelPlace, LEVELS>;
