// A body as the acceleration needs it, 32 bytes. src/direct/bodies.ts packs it.
struct Body {
  position: vec3f, // relative to the common origin: high words
  mass: f32,       // G·m
  positionLow: vec3f,
  id: u32,
}
