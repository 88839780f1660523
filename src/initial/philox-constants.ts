/** Constants of Philox4x32-10 (Salmon et al. 2011), as int32: arithmetic with them is one of integers. */
export const MULTIPLIERS: readonly [number, number] = [0xd2511f53 | 0, 0xcd9e8d57 | 0];
/** What the key grows by in each round. */
export const WEYL: readonly [number, number] = [0x9e3779b9 | 0, 0xbb67ae85 | 0];
export const ROUNDS = 10;
/** 2^-53: the spacing of the uniform doubles. */
export const UNIT_53 = 1 / 9007199254740992;
