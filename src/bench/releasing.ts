/** What is made for a measurement goes with it, however that ends. */

interface Releasable {
  destroy: () => void | Promise<void>;
}

/** `work` with what it needs, which is destroyed afterwards. */
export async function releasing<R extends Releasable, T>(
  made: R | Promise<R>,
  work: (made: R) => T,
): Promise<Awaited<T>> {
  const resource = await made;
  try {
    return await work(resource);
  } finally {
    await resource.destroy();
  }
}
