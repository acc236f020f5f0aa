// What the functions of this room know of the server they run in.

import type { KeyRing } from "../secrets/key-ring.ts";

export interface OwnKeys {
  readonly keyRing: KeyRing;
  /** Where its keys are kept; undefined where they come from LESSOR_ENCRYPTION_KEY. */
  readonly keyFile: string | undefined;
  /** Its row among the servers (replicas/). */
  readonly replicaId: string;
}

/** The key that is to seal here: the first of the list, whether it does already or not. */
export function preferredKeyId({ keyRing }: OwnKeys): string {
  const [first] = keyRing.keyIds;
  if (first === undefined) throw new Error("BUG: a key ring without a key");
  return first;
}
