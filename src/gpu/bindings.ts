/** Buffers that an entry point uses, read from its WGSL: a kernel's bindings are declared there and nowhere else. */
import type { WgslConstants } from "./compose.ts";

/** How @group(0) @binding(i) is used. */
export type BindingKind = "uniform" | "read" | "read-write";

const KINDS: Record<string, BindingKind> = {
  uniform: "uniform",
  "storage, read": "read",
  "storage, read_write": "read-write",
};
const COMMENT = /\/\/.*$/gm;
/** A function with its body, which ends on its own line or with a brace at the beginning of one. */
const FUNCTION = /^(?:@.*\)\s*)?fn (\w+)(.*\}$|[\s\S]*?^\})/gm;
const BUFFER = /@group\(0\) @binding\((\w+)(?: \+ (\d+))?\) var<([^>]*)> (\w+)/g;
/** A name that isn't a member of something. */
const NAME = /(?<![.\w])[A-Za-z_]\w*/g;
/** A parameter or variable of a function, which hides the buffer of its name. */
const LOCAL = /\b(?:let|var|const) (\w+)|(\w+):/g;

/**
 * Bindings of `entry` in composed WGSL: buffers named in it or in a function that it calls, by binding number, which is
 * a number, or a constant of the kernel with or without a number added. Throws an Error for two buffers of one number.
 */
export function bindingsOf(code: string, entry: string, constants: WgslConstants = {}): Map<number, BindingKind> {
  const text = code.replace(COMMENT, "");
  const bodies = new Map([...text.matchAll(FUNCTION)].map(([, name, body]) => [name, body]));
  const used = new Set([entry]);
  // A set is walked to its end while it grows.
  for (const name of used) {
    const body = bodies.get(name) ?? "";
    const local = new Set([...body.matchAll(LOCAL)].map(([, variable, parameter]) => variable ?? parameter));
    for (const [word] of body.matchAll(NAME)) if (!local.has(word)) used.add(word);
  }
  const bindings = new Map<number, BindingKind>();
  for (const [, base, more = 0, space, name] of text.matchAll(BUFFER)) {
    if (!used.has(name)) continue;
    const number = Number(constants[base] ?? base) + Number(more);
    if (bindings.has(number))
      throw new Error(`${entry} uses several buffers with binding ${number}, ${name} among them`);
    bindings.set(number, KINDS[space]);
  }
  return bindings;
}
