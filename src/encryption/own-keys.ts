// What the functions of this module know of their own replica.

import type { KeyRing } from "../secrets/key-ring.ts";

export interface OwnKeys {
  readonly keyRing: KeyRing;
  /** Where its keys are stored; undefined if they come from LESSOR_ENCRYPTION_KEY. */
  readonly keyFile: string | undefined;
  /** Its row among the replicas (replicas/). */
  readonly replicaId: string;
}

/** The preferred key: the first of the list, whether it is current or not. */
export function preferredKeyId({ keyRing }: OwnKeys): string {
  const [first] = keyRing.keyIds;
  if (first === undefined) throw new Error("BUG: a key ring without a key");
  return first;
}
