// SSH keys of an account. Names are unique per account; the database decides races. Deleting a key does not affect
// instances, which keep the keys of their launch. Source: decisions, SSH keys.

import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { releaseQuota, takeQuota } from "../accounts/quotas.ts";
import { invalid, RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { everything, type Page, pageOf } from "../paging.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { checkKeyName } from "./key-name.ts";
import { generateKeyPair } from "./key-pair.ts";
import { fingerprint, parsePublicKey } from "./public-key.ts";
import { fromRow, type SshKey } from "./ssh-key.ts";

/** The variant's field names, for errors. */
export interface KeyFields {
  readonly name: string;
  readonly publicKey: string;
}

export async function listKeys(db: Database, principal: Principal, page: Page = everything): Promise<SshKey[]> {
  const query = db.selectFrom("ssh_keys").selectAll().where("account_id", "=", principal.accountId);
  return (await pageOf(query, "id", page).execute()).map(fromRow);
}

/** Throws RentalError invalid-parameters, duplicate, quota-exceeded. */
export async function addKey(
  tx: Transaction,
  principal: Principal,
  order: { name: string; publicKey: string; fields: KeyFields },
): Promise<SshKey> {
  const nameProblem = checkKeyName(order.name);
  if (nameProblem !== undefined) throw invalid(order.fields.name, nameProblem);
  const parsed = parsePublicKey(order.publicKey);
  if (!parsed.ok) throw invalid(order.fields.publicKey, parsed.message);

  const id = uuidv7();
  const row = await tx
    .insertInto("ssh_keys")
    .values({
      id,
      account_id: principal.accountId,
      name: order.name,
      kind: parsed.key.kind,
      base64: parsed.key.base64,
      comment: parsed.key.comment,
      fingerprint: fingerprint(parsed.key.base64),
    })
    .onConflict((conflict) => conflict.columns(["account_id", "name"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new RentalError("duplicate", {
      what: "SSH key",
      field: order.fields.name,
      message: "Key name must be unique",
    });
  }
  await recordEvents(tx, [
    {
      accountId: principal.accountId,
      type: "ssh_key.created",
      subjectId: id,
      data: { ssh_key_id: id, name: order.name },
    },
  ]);
  await takeQuota(tx, principal.accountId, { ssh_keys: 1 });
  return fromRow(row);
}

/** Creates an ed25519 pair and stores the public key; `privateKey` is only in this response. Throws as addKey. */
export async function generateKey(
  tx: Transaction,
  principal: Principal,
  order: { name: string; fields: KeyFields },
): Promise<SshKey & { privateKey: string }> {
  const nameProblem = checkKeyName(order.name);
  if (nameProblem !== undefined) throw invalid(order.fields.name, nameProblem);
  const pair = generateKeyPair(order.name);
  const key = await addKey(tx, principal, { ...order, publicKey: pair.publicKey });
  return { ...key, privateKey: pair.privateKey };
}

/** Throws RentalError unknown-ssh-key. */
export async function deleteKey(tx: Transaction, principal: Principal, id: string): Promise<void> {
  const deleted = await tx
    .deleteFrom("ssh_keys")
    .where("id", "=", asUuid(id))
    .where("account_id", "=", principal.accountId)
    .returning(["id", "name"])
    .executeTakeFirst();
  if (deleted === undefined) throw new RentalError("unknown-ssh-key", { id });
  await recordEvents(tx, [
    {
      accountId: principal.accountId,
      type: "ssh_key.deleted",
      subjectId: deleted.id,
      data: { ssh_key_id: deleted.id, name: deleted.name },
    },
  ]);
  await releaseQuota(tx, principal.accountId, { ssh_keys: 1 });
}
