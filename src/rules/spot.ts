// Spot: instances at a lower price that are evicted when a launch that waits, or a reservation, needs what they hold. The order among those
// that wait, the course of a notice, and what the guest reads of it. Used by rental/, the reconciler, engines, the console
// and the documents.

/** As the operator sets them (lessor.yaml `limits.spot`). */
export interface SpotSettings {
  /** From the notice to the end of the instance. */
  readonly noticeSeconds: number;
}

export const spotDefaults: SpotSettings = { noticeSeconds: 120 };

/** Notices for reservations are given so long before the last moment for that. */
export const evictAheadSeconds = 120;

/** So long before its end the guest is asked to halt, or at the beginning of a shorter notice. */
export const haltSeconds = 30;

/** One that is evicted within this time from the start of its bill costs nothing. */
export const freeSeconds = 300;

/** In the guest, while the notice runs. In a file system of its memory, so that no later boot finds it. */
export const preemptionFile = "/run/lessor/preemption.json";

/** The content of the file: one line. */
export function preemptionText(evictAt: Date): string {
  return `${JSON.stringify({ evict_at: evictAt.toISOString() })}\n`;
}

/** The place of a launch among those that wait. */
export interface WaitingPlace {
  /** Ascending in the order of waiting/position.ts; infinite: it does not wait. */
  readonly position: number;
  readonly isSpot: boolean;
}

/**
 * Whether one comes before the other: in order of position, and spot behind all that is not. What spot took before, it would
 * have to give back at once, with a notice of minutes in which it is of use to neither.
 */
export function comesBefore(one: WaitingPlace, other: WaitingPlace): boolean {
  return one.isSpot === other.isSpot ? one.position < other.position : other.isSpot;
}
