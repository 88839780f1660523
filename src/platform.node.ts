/** What `#platform` resolves to in Node: the default device comes from Dawn. */
export { acquireNodeContext as acquireDefaultContext } from "./gpu/device.node.ts";
