// Requests a rotation, or says why none is possible. A replica carries it out (carry-out.ts).

import type { Transaction } from "../database/connect.ts";
import { RentalError } from "../rental/errors.ts";
import { lockKeyCoordination, nameOf, otherReplicas } from "./key-coordination.ts";
import { type OwnKeys, preferredKeyId } from "./own-keys.ts";
import { currentRotation, insertRotation, latestRotation, type Rotation } from "./rotation-store.ts";

/** How to distribute a new key to replicas that do not create it themselves. */
export const rollInWords =
  "Add the new key after the old one on every replica, and restart the replicas one by one. Then move it to the front " +
  "on every replica in the same way, and run `lessor keys rotate`. When `lessor keys encryption` shows no values of the old key, remove it.";

/**
 * The rotation in progress, or a new one: with a new key, if this replica keeps its keys in a file and is the only one
 * that runs; otherwise to its first key, which must be current on every replica. Throws RentalError conflict.
 */
export async function askForRotation(tx: Transaction, own: OwnKeys): Promise<Rotation> {
  await lockKeyCoordination(tx);
  const underWay = await currentRotation(tx);
  if (underWay !== undefined) return underWay;
  const others = await otherReplicas(tx, own.replicaId);
  const formerKeyId = own.keyRing.currentKeyId;
  if (own.keyFile !== undefined && others.length === 0) {
    await insertRotation(tx, { makesKey: true, formerKeyId, keyId: null });
  } else {
    const keyId = preferredKeyId(own);
    for (const other of others) {
      if (!other.keyIds.includes(keyId)) {
        throw rejected(`Replica ${nameOf(other)} does not have the encryption key ${keyId}.`, rollInWords);
      }
      if (other.currentKeyId !== keyId) {
        throw rejected(
          `Replica ${nameOf(other)} encrypts with key ${other.currentKeyId}, but this one is set to encrypt with ${keyId}.`,
          `Put the same key first on every replica and restart the replicas one by one. ${rollInWords}`,
        );
      }
    }
    await insertRotation(tx, { makesKey: false, formerKeyId, keyId });
  }
  const made = await latestRotation(tx);
  if (made === undefined) throw new Error("BUG: the rotation that was just asked for is not there");
  return made;
}

export function rejected(message: string, suggestion: string): RentalError<"conflict"> {
  return new RentalError("conflict", { message, suggestion });
}
