// People of teams for tests that are not about how they join.

import { v7 as uuidv7 } from "uuid";
import { createToken } from "../../src/rental/accounts/token-store.ts";
import type { TeamRole } from "../../src/rules/roles.ts";
import type { World } from "./world.ts";

export interface TestPerson {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly tokenId: string;
}

/** A person with this role in the account, with a token that may read and write: a new one, unless `id` is known. */
export function personIn(
  world: World,
  accountId: string,
  role: TeamRole,
  known: { readonly id?: string; readonly email?: string } = {},
): Promise<TestPerson> {
  return world.tx(async (tx) => {
    const [id, name] = [known.id ?? uuidv7(), world.fresh("person")];
    const email = known.email ?? `${name}@example.com`;
    if (known.id === undefined) await tx.insertInto("people").values({ id, name, email }).execute();
    await tx.insertInto("memberships").values({ account_id: accountId, person_id: id, role }).execute();
    const order = { accountId, name: "personal", scopes: ["read", "write"], personId: id, expiresAt: null } as const;
    const made = await createToken(tx, order);
    return { id, email, token: made.token, tokenId: made.id };
  });
}
