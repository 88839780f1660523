// The field of each particle, where levels add up to it (engine/mesh/levels/particle-field.wgsl): what is read in place of a mesh. With
// substeps also what the levels add by themselves.
//#expects FORCE, FORCE_Z (binding numbers), SUBSTEPS

@group(0) @binding(FORCE) var<storage, read> fieldBySlot: array<vec4f>;
//#if SUBSTEPS
@group(0) @binding(FORCE_Z) var<storage, read> fastBySlot: array<vec4f>;
//#end
