/** What the readers of snapshots ask of Node's `path`, of files without folders. */
export const basename = (path: string, ending = "") => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return ending !== "" && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
};
export const dirname = (path: string) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".");
export const join = (...parts: string[]) => parts.filter((part) => part !== "" && part !== ".").join("/");
export const resolve = (...parts: string[]) => join(...parts);
export const sep = "/";
