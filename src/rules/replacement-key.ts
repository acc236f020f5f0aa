// The Idempotency-Key of the launch that replaces an instance with a faulty GPU. It is made of the instance's id, so the
// instance gets one replacement within 24 hours, whether the command line or the console launches it. Used by
// cli/launch/replacement.ts and the console's report of a fault.

/** For the instance with this id. */
export function replacementKey(id: string): string {
  return `replacement-of-${id}`;
}

/** The code of the rejection of another launch with that key: by the other client, or at another price. */
export const replacedBefore = "idempotency/key-reused";
