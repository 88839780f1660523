/** `work` with what it needs, which is destroyed afterwards, however that ends. */
export async function releasing<R extends { destroy: () => void | Promise<void> }, T>(
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
