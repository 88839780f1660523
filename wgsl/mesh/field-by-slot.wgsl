// The field of each particle, where levels add up to it (mesh/particle-field.wgsl): what is read in place of a mesh.
//#expects FORCE (binding number)

@group(0) @binding(FORCE) var<storage, read> fieldBySlot: array<vec4f>;
