// Every encrypted column: its table, the key of its rows, and its encryption context. Single source for re-encryption,
// the counts and a test of the migrated database, so that a rotation misses no encrypted column. The only other
// encrypted value is the known word of key-check.ts, in a setting.

import { envVarsContext, jupyterTokenContext, passwordContext, userDataContext } from "../rental/instances/instance.ts";
import { refreshTokenContext } from "../rental/people/confirmations.ts";
import { orderContext } from "../rental/waiting/waiting-launch.ts";
import { previousSecretContext, secretContext } from "../rental/webhooks/secret.ts";
import { emailSecretContext } from "../rules/emails.ts";
import { answerContext } from "./answer-context.ts";

export interface EncryptedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns of the primary key, in its order, and their types. */
  readonly key: Readonly<Record<string, "uuid" | "text">>;
  /** The encryption context of this row's value, from the texts of its key. */
  readonly context: (...key: readonly string[]) => string;
  /** How many are in memory at once: for values that may be a megabyte. */
  readonly mostAtOnce?: number;
}

const byId = { id: "uuid" } as const;

export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: "instances", column: "env_vars_sealed", key: byId, context: (id = "") => envVarsContext(id) },
  { table: "instances", column: "password_sealed", key: byId, context: (id = "") => passwordContext(id) },
  { table: "instances", column: "jupyter_token_sealed", key: byId, context: (id = "") => jupyterTokenContext(id) },
  { table: "user_data", column: "text_sealed", key: byId, context: (id = "") => userDataContext(id), mostAtOnce: 8 },
  { table: "waiting_launches", column: "order_sealed", key: byId, context: (id = "") => orderContext(id) },
  { table: "emails", column: "secret_sealed", key: byId, context: (id = "") => emailSecretContext(id) },
  { table: "webhooks", column: "secret_sealed", key: byId, context: (id = "") => secretContext(id) },
  { table: "webhooks", column: "previous_secret_sealed", key: byId, context: (id = "") => previousSecretContext(id) },
  {
    table: "identities",
    column: "refresh_sealed",
    key: { issuer: "text", subject: "text" },
    context: (issuer = "", subject = "") => refreshTokenContext(issuer, subject),
  },
  {
    table: "idempotency_keys",
    column: "answer_sealed",
    key: { account_id: "uuid", key: "text" },
    context: (account = "", key = "") => answerContext(account, key),
  },
];

/** The display name of a column: `instances.env_vars`. */
export function kindOf({ table, column }: EncryptedColumn): string {
  return `${table}.${column.replace(/_sealed$/, "")}`;
}
