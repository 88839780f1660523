/** Buffers and textures that an entry point uses, read from its WGSL: a kernel's bindings are declared there and nowhere else. */
import type { WgslConstants } from "./compose.ts";

/** How @group(0) @binding(i) is used. */
export type BindingKind = "uniform" | "read" | "read-write" | "texels read" | "texels write";

const KINDS: Record<string, BindingKind> = {
  uniform: "uniform",
  "storage, read": "read",
  "storage, read_write": "read-write",
};
const COMMENT = /\/\/.*$/gm;
/** A function with its body, which ends on its own line or with a brace at the beginning of one. */
const FUNCTION = /^(?:@.*\)\s*)?fn (\w+)(.*\}$|[\s\S]*?^\})/gm;
const BUFFER = /@group\(0\) @binding\((\w+)(?: \+ (\d+))?\) var<([^>]*)> (\w+)/g;
/** Three-dimensional ones of four floats are all there are. */
const TEXTURE = /@group\(0\) @binding\((\w+)(?: \+ (\d+))?\) var (\w+): texture_storage_3d<rgba32float, (read|write)>/g;
/** A name that isn't a member of something. */
const NAME = /(?<![.\w])[A-Za-z_]\w*/g;
/** A parameter or variable of a function, which hides the buffer of its name. */
const LOCAL = /\b(?:let|var|const) (\w+)|(\w+):/g;

export interface Binding {
  /** Of its variable. */
  name: string;
  kind: BindingKind;
}

/** What `entry` in composed WGSL and the functions that it calls bind, by number. Throws an Error for two buffers of one number. */
export function bindingsOf(code: string, entry: string, constants: WgslConstants = {}): Map<number, Binding> {
  const text = code.replace(COMMENT, "");
  const bodies = new Map([...text.matchAll(FUNCTION)].map(([, name, body]) => [name, body]));
  const used = new Set([entry]);
  // A set is walked to its end while it grows.
  for (const name of used) {
    const body = bodies.get(name) ?? "";
    const local = new Set([...body.matchAll(LOCAL)].map(([, variable, parameter]) => variable ?? parameter));
    for (const [word] of body.matchAll(NAME)) if (!local.has(word)) used.add(word);
  }
  const bindings = new Map<number, Binding>();
  const add = (base: string, more: string | undefined, name: string, kind: BindingKind) => {
    if (!used.has(name)) return;
    const number = Number(constants[base] ?? base) + Number(more ?? 0);
    if (bindings.has(number))
      throw new Error(`${entry} uses several buffers with binding ${number}, ${name} among them`);
    bindings.set(number, { name, kind });
  };
  for (const [, base, more, space, name] of text.matchAll(BUFFER)) add(base, more, name, KINDS[space]);
  for (const [, base, more, name, access] of text.matchAll(TEXTURE)) {
    add(base, more, name, access === "read" ? "texels read" : "texels write");
  }
  return bindings;
}
