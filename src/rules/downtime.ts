// What becomes of the bill while a host is unreachable, or keeps an instance stopped for maintenance, and how
// availability is rounded. Used by the settings, the reconciler, the control interface and documents.

/**
 * Of time that lasts longer than the tolerance, back to its beginning. `pause`: it is not billed. `credit`: it is billed,
 * and credited when the host is reached again. `none`: it is billed. Time in which maintenance keeps an instance stopped
 * has no tolerance, and is not billed with `credit` either.
 */
export const downtimePolicies = ["none", "pause", "credit"] as const;

/** The share of the time that is no downtime, in percent, rounded down to thousandths; null for no time. */
export function availabilityPercent(allSeconds: number, downSeconds: number): number | null {
  return allSeconds <= 0 ? null : Math.floor(((allSeconds - downSeconds) / allSeconds) * 100_000) / 1000;
}

export interface DowntimeSettings {
  readonly policy: (typeof downtimePolicies)[number];
  readonly toleranceSeconds: number;
}
