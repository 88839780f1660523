// Blocks that aren't words: never asked.

fn wordOf(block: u32) -> u32 { return 0u; }
fn numberOf(word: u32) -> f32 { return 0.0; }
fn fourIn(word: u32) -> vec4f { return vec4f(0.0); }
