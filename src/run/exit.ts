/** The exit codes that the product's documentation promises. */
export const EXIT = { success: 0, failed: 1, usage: 2, interrupted: 130 } as const;
