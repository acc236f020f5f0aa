// What becomes of the bill while a host is unreachable. Pure data; used by the settings, the reconciler and documents.

/** `pause`: time that lasts longer than the tolerance is not billed, back to its beginning. `none`: all time is. */
export const downtimePolicies = ["none", "pause"] as const;

export interface DowntimeSettings {
  readonly policy: (typeof downtimePolicies)[number];
  readonly toleranceSeconds: number;
}
