// A body as the snap needs it, 64 bytes. src/direct/bodies.ts packs it.
struct Body {
  position: vec3f, // relative to the common origin: high words
  mass: f32,       // G·m
  positionLow: vec3f,
  id: u32,
  velocity: vec3f,
  pad1: f32,
  acceleration: vec3f,
  pad2: f32,
}
