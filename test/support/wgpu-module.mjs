// What tests under Deno get for Dawn's package: the WebGPU that Deno has itself.
export const create = () => navigator.gpu;
