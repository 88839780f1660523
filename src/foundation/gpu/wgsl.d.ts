declare module "*.wgsl" {
  const source: import("./compose.ts").WgslSource;
  export default source;
}
