/** What the host asks of the device: counted, because each wait leaves a fast GPU idle. */

export interface HostTraffic {
  submissions: number;
  /** Times that the host waited for the device. */
  waits: number;
  bytesRead: number;
}

export const NO_TRAFFIC: Readonly<HostTraffic> = { submissions: 0, waits: 0, bytesRead: 0 };

/** What has come since an earlier count, or with `sign` 1 both together. */
export function combined(now: HostTraffic, other: HostTraffic, sign: 1 | -1): HostTraffic {
  return {
    submissions: now.submissions + sign * other.submissions,
    waits: now.waits + sign * other.waits,
    bytesRead: now.bytesRead + sign * other.bytesRead,
  };
}
