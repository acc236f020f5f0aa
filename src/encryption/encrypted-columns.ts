// Everything that is sealed in the database: which column, how its row is named, and what its value is bound to.
// Single source: re-encryption, the counts and a test that looks at the migrated database are made from it, so that no
// sealed column can be forgotten when keys change. The known word of key-check.ts, in a setting, is the one value apart.

import { envVarsContext, jupyterTokenContext, passwordContext, userDataContext } from "../rental/instances/instance.ts";
import { previousSecretContext, secretContext } from "../rental/webhooks/secret.ts";
import { answerContext } from "./answer-context.ts";

export interface EncryptedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns of the primary key, in its order, and their types. */
  readonly key: Readonly<Record<string, "uuid" | "text">>;
  /** What the value of this row was sealed for, by the texts of its key. */
  readonly context: (...key: readonly string[]) => string;
  /** So many are in memory at once: for values that may be a megabyte. */
  readonly mostAtOnce?: number;
}

const byId = { id: "uuid" } as const;

export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: "instances", column: "env_vars_sealed", key: byId, context: (id = "") => envVarsContext(id) },
  { table: "instances", column: "password_sealed", key: byId, context: (id = "") => passwordContext(id) },
  { table: "instances", column: "jupyter_token_sealed", key: byId, context: (id = "") => jupyterTokenContext(id) },
  { table: "user_data", column: "text_sealed", key: byId, context: (id = "") => userDataContext(id), mostAtOnce: 8 },
  { table: "webhooks", column: "secret_sealed", key: byId, context: (id = "") => secretContext(id) },
  { table: "webhooks", column: "previous_secret_sealed", key: byId, context: (id = "") => previousSecretContext(id) },
  {
    table: "idempotency_keys",
    column: "answer_sealed",
    key: { account_id: "uuid", key: "text" },
    context: (account = "", key = "") => answerContext(account, key),
  },
];

/** What people call the values of a column: `instances.env_vars`. */
export function kindOf({ table, column }: EncryptedColumn): string {
  return `${table}.${column.replace(/_sealed$/, "")}`;
}
