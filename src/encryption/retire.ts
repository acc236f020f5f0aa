// Removes an old key from the key file. Rejected while the key may still be needed.
// Removes it only from this replica's file, not from those of others. Backups from before the rotation still need the
// key, so keep a copy of it with them (docs/how-to/operators/rotate-encryption-keys.md).

import type { Transaction } from "../database/connect.ts";
import { RentalError } from "../rental/errors.ts";
import { liveReplicas } from "../replicas/replica-store.ts";
import { removeFromKeyFile } from "../secrets/key-file-change.ts";
import { rejected } from "./ask.ts";
import { countEncrypted, valuesInWords } from "./count.ts";
import { keysInUse } from "./key-check.ts";
import { lockKeyCoordination, nameOf } from "./key-coordination.ts";
import type { OwnKeys } from "./own-keys.ts";
import { currentRotation } from "./rotation-store.ts";

/** Removes the key from the file at once; idempotent. Throws RentalError: unknown-object, conflict. */
export async function retireKey(tx: Transaction, own: OwnKeys, keyId: string): Promise<void> {
  const { keyRing, keyFile } = own;
  if (!keyRing.canOpen(keyId)) throw new RentalError("unknown-object", { what: "encryption key", ids: [keyId] });
  if (keyFile === undefined) {
    throw rejected(
      "The keys of this replica come from LESSOR_ENCRYPTION_KEY, which it cannot change.",
      "When `lessor keys encryption` shows no values of the key, remove it there on every replica.",
    );
  }
  await lockKeyCoordination(tx);
  const user = (await liveReplicas(tx)).find(({ currentKeyId }) => currentKeyId === keyId);
  if (user !== undefined || keyRing.currentKeyId === keyId) {
    const who = user === undefined || user.id === own.replicaId ? "This replica" : `Replica ${nameOf(user)}`;
    throw rejected(`${who} encrypts with key ${keyId}.`, "Run `lessor keys rotate` first.");
  }
  const count = (await countEncrypted(tx))
    .filter((one) => one.keyId === keyId)
    .reduce((sum, one) => sum + one.count, 0);
  const inUse = (await keysInUse(tx)).includes(keyId) || (await currentRotation(tx)) !== undefined;
  if (count > 0 || inUse) {
    throw rejected(
      count > 0
        ? `${valuesInWords(count)} ${count === 1 ? "is" : "are"} still encrypted with key ${keyId}.`
        : `Some values might still be encrypted with key ${keyId}.`,
      "Run `lessor keys rotate`, and retire the key when the rotation has finished.",
    );
  }
  removeFromKeyFile(keyFile, keyId);
}
