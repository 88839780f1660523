// The light of all species: each has its colour and its own brightest.
//#expects tone, stretched, ceilingOf, packed

@group(0) @binding(3) var<storage, read> map0: array<f32>; // mass of each pixel
@group(0) @binding(4) var<storage, read> map1: array<f32>;
@group(0) @binding(5) var<storage, read> map2: array<f32>;
@group(0) @binding(6) var<storage, read> map3: array<f32>;
@group(0) @binding(7) var<storage, read> map4: array<f32>;
@group(0) @binding(8) var<storage, read> map5: array<f32>;

fn light(map: u32, mass: f32) -> vec3f {
  return pow(stretched(mass / ceilingOf(map)), 2.2) * tone.lights[map].rgb;
}

fn colourOf(pixel: u32, part: f32) -> u32 {
  var sum = light(0u, map0[pixel]);
  if (tone.maps > 1u) { sum += light(1u, map1[pixel]); }
  if (tone.maps > 2u) { sum += light(2u, map2[pixel]); }
  if (tone.maps > 3u) { sum += light(3u, map3[pixel]); }
  if (tone.maps > 4u) { sum += light(4u, map4[pixel]); }
  if (tone.maps > 5u) { sum += light(5u, map5[pixel]); }
  let c = clamp(sum, vec3f(0.0), vec3f(1.0));
  return packed(select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3f(0.0031308))); // sRGB, IEC 61966-2-1
}
