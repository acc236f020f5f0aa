// Control interface: tokens as they are asked for and shown. The token itself is in the answer to its making and nowhere
// else. Used by account-tokens.ts (operators, for any account) and own-account.ts (an account, for itself).

import { type Static, Type } from "typebox";
import type * as accounts from "../../rental/accounts/index.ts";
import * as field from "./fields.ts";
import { givenMoment, parseMoment } from "./moments.ts";

const scope = Type.Enum(["read", "write", "operator"] as const);

const shown = {
  id: field.uuid(),
  name: field.name("ci"),
  scopes: Type.Array(scope),
  expires_at: field.orNull(field.moment()),
  revoked_at: field.orNull(field.moment()),
  last_used_at: field.orNull(field.moment(), "To the minute."),
  created_at: field.moment(),
};
export const Token = Type.Object(shown);
export const MadeToken = Type.Object({
  ...shown,
  token: Type.String({ description: "Shown this once, and stored nowhere.", examples: ["lessor_…"] }),
});

export const CreateToken = Type.Object({
  name: field.label("ci"),
  scopes: Type.Array(scope, {
    minItems: 1,
    maxItems: 16,
    description:
      "One given twice counts once. `read`: look. `write`: change. `operator`: the operators' part of this interface. None implies another.",
  }),
  expires_at: Type.Optional(field.orNull(givenMoment("In the future."), "Null, the default: it does not expire.")),
});

/** Throws RentalError invalid-parameters for an expiry that is no moment. */
export function orderFrom(accountId: string, body: Static<typeof CreateToken>): accounts.TokenOrder {
  const expiry = body.expires_at ?? null;
  return {
    accountId,
    name: body.name,
    scopes: body.scopes,
    expiresAt: expiry === null ? null : parseMoment("expires_at", expiry),
  };
}

export function token(one: accounts.Token) {
  return {
    id: one.id,
    name: one.name,
    scopes: [...one.scopes],
    expires_at: one.expiresAt?.toISOString() ?? null,
    revoked_at: one.revokedAt?.toISOString() ?? null,
    last_used_at: one.lastUsedAt?.toISOString() ?? null,
    created_at: one.createdAt.toISOString(),
  };
}

export function madeToken(made: accounts.Token & { readonly token: string }) {
  return { ...token(made), token: made.token };
}

const sample: accounts.Token = {
  id: "0198c5a1-22bb-7cc3-8dd4-ee55ff667788",
  name: "ci",
  scopes: ["read", "write"],
  expiresAt: new Date("2027-03-01T00:00:00.000Z"),
  revokedAt: null,
  lastUsedAt: null,
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
};

/** For the document. */
export const examples = {
  request: { name: "ci", scopes: ["read" as const, "write" as const], expires_at: "2027-03-01T00:00:00.000Z" },
  listed: token(sample),
  made: madeToken({ ...sample, token: "lessor_EXAMPLE-AND-NOT-A-TOKEN-43-LETTERS-LIKE-THESE" }),
};
