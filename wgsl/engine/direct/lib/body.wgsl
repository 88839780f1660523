// A body and the force on it as buffers hold them, of the order that a kernel is for: 32 bytes each with acceleration,
// 48 with jerk, 64 with snap. src/engine/direct/bodies.ts packs them.
//#expects JERK, SNAP (which has JERK, too)

struct Body {
  position: vec3f, // relative to the common origin: high words
  mass: f32, // G·m
  positionLow: vec3f,
  id: u32,
//#if JERK
  velocity: vec3f,
//#end
//#if SNAP
  acceleration: vec3f,
//#end
}

// Acceleration and potential are normalised pairs, jerk and snap are rounded.
struct Force {
  acceleration: vec3f,
  potential: f32,
  accelerationLow: vec3f,
  potentialLow: f32,
//#if JERK
  jerk: vec3f,
//#end
//#if SNAP
  snap: vec3f,
//#end
}
