// What becomes of the bill while a host is unreachable. Pure data; used by the settings, the reconciler and documents.

/**
 * Of time that lasts longer than the tolerance, back to its beginning. `pause`: it is not billed. `credit`: it is billed,
 * and credited when the host is reached again. `none`: it is billed.
 */
export const downtimePolicies = ["none", "pause", "credit"] as const;

export interface DowntimeSettings {
  readonly policy: (typeof downtimePolicies)[number];
  readonly toleranceSeconds: number;
}
