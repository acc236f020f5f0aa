// An SSH key as its row holds it. Used by the files of this folder.

import type { Selectable } from "kysely";
import type { SshKeysTable } from "../../database/tables/accounts.ts";

export interface SshKey {
  readonly id: string;
  readonly name: string;
  /** "type base64 comment": what was given, normalized, so that tools which compare it see no difference. */
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly createdAt: Date;
}

export function fromRow(row: Selectable<SshKeysTable>): SshKey {
  const comment = row.comment === "" ? "" : ` ${row.comment}`;
  return {
    id: row.id,
    name: row.name,
    publicKey: `${row.kind} ${row.base64}${comment}`,
    fingerprint: row.fingerprint,
    createdAt: row.created_at,
  };
}
