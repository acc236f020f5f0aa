// The secrets that an instance was launched with, opened: environment variables and user data. Used by the reconciler for
// its machine, and by launches of another one like it. They are never logged and never in a response.

import type { Selectable } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { envVarsContext, userDataContext } from "./instance.ts";

export interface LaunchSecrets {
  readonly envVars: Readonly<Record<string, string>>;
  /** Undefined: none. */
  readonly userData: string | undefined;
}

/** What of an instance's row is needed. */
export type SealedSecrets = Pick<Selectable<InstancesTable>, "id" | "env_vars_sealed" | "user_data_id">;

/** Throws CannotOpen if a value cannot be decrypted; the message contains no secret. */
export async function openLaunchSecrets(db: Database, keyRing: KeyRing, sealed: SealedSecrets): Promise<LaunchSecrets> {
  const { user_data_id: dataId } = sealed;
  return {
    envVars: openEnvVars(keyRing, sealed),
    userData: dataId === null ? undefined : await openUserData(db, keyRing, dataId),
  };
}

/** Empty: none. Throws CannotOpen. */
export function openEnvVars(
  keyRing: KeyRing,
  { id, env_vars_sealed: vars }: Omit<SealedSecrets, "user_data_id">,
): Readonly<Record<string, string>> {
  return vars === null ? {} : openedVars(keyRing.openText(vars, envVarsContext(id)));
}

/** Throws CannotOpen; what the database throws if there is none with this id. */
export async function openUserData(db: Database, keyRing: KeyRing, id: string): Promise<string> {
  const query = db.selectFrom("user_data").select("text_sealed").where("id", "=", id);
  const row = await query.executeTakeFirstOrThrow();
  return keyRing.openText(row.text_sealed, userDataContext(id));
}

function openedVars(text: string): Record<string, string> {
  const opened: unknown = JSON.parse(text);
  if (typeof opened !== "object" || opened === null) throw new Error("BUG: sealed env_vars are not an object");
  return Object.fromEntries(
    Object.entries(opened).map(([name, value]) => {
      if (typeof value !== "string") throw new Error("BUG: a sealed env value is not a string");
      return [name, value];
    }),
  );
}
