// Where points are, by number.

@group(0) @binding(0) var<storage, read> points: array<vec4u>; // [K] fixed point, and packed box image

fn positionOf(k: u32) -> vec3u {
  return points[k].xyz;
}

fn imageOf(k: u32) -> u32 {
  return points[k].w;
}
