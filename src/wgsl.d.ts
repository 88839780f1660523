declare module "*.wgsl" {
  const source: import("./gpu/compose.ts").WgslSource;
  export default source;
}
