// Control interface: tokens in requests and responses. The token itself is only in the response that creates it.
// Used by tokens.ts (operators, for any account) and own-account.ts (an account, for itself).

import { type Static, Type } from "typebox";
import type { TokenRequest } from "../../../rental/accounts/token-limits.ts";
import type { Token as StoredToken } from "../../../rental/accounts/token-store.ts";
import type { Spending } from "../../../rental/billing/spent.ts";
import { compatibilityVersionNotes } from "../../../rules/compatibility-versions.ts";
import * as roles from "../../../rules/roles.ts";
import * as limit from "../../api/documented-limits.ts";
import { givenMoment, parseMoment } from "../../api/timestamps.ts";
import { spentField, spentFields } from "../billing/money.ts";
import * as field from "../fields.ts";
import { compatibilityVersion, operatorRole } from "./view.ts";

const scope = Type.Enum(["read", "write", "operator"] as const, { title: "Scope" });

const shown = {
  id: field.uuid(),
  name: field.name("ci"),
  scopes: Type.Array(scope),
  expires_at: field.orNull(field.timestamp()),
  revoked_at: field.orNull(field.timestamp()),
  last_used_at: field.orNull(field.timestamp(), "To the minute."),
  spend_limit_cents: field.orNull(Type.Integer()),
  ...spentField,
  compatibility_version: compatibilityVersion(),
  person_id: field.orNull(field.uuid(), "Null: a token of the team itself."),
  operator_role: operatorRole(),
  created_at: field.timestamp(),
};
export const Token = Type.Object(shown, { title: "Token" });
export const MadeToken = Type.Object(
  {
    ...shown,
    token: Type.String({ description: "Shown only once and not stored.", examples: ["lessor_…"] }),
  },
  { title: "MadeToken" },
);

const spendLimit = field.orNull(
  field.spendLimit(),
  "Per calendar month (UTC), of the instances that this token launches. When it is reached, the token cannot launch, and its instances " +
    "are terminated, stopped ones too; an event warns before. Null, the default: no limit except the account's.",
);

/** The changeable fields of a token. */
export const ChangeToken = Type.Object({ spend_limit_cents: spendLimit }, { title: "ChangeToken" });

export const CreateToken = Type.Object(
  {
    name: field.label("ci"),
    scopes: Type.Array(scope, {
      minItems: 1,
      maxItems: 16,
      description:
        "Duplicates count once. `read`: read. `write`: change. `operator`: the operators' part of this interface. No scope implies another.",
    }),
    expires_at: Type.Optional(
      field.orNull(
        givenMoment("In the future."),
        "Null: it does not expire. Default and maximum: the expiration of the token of this request.",
      ),
    ),
    spend_limit_cents: Type.Optional(spendLimit),
    person_id: Type.Optional(
      field.orNull(
        Type.String(limit.uuid),
        "Whose it is: you, or null for a token of the team, which needs the right `tokens`. Default: as the token of this " +
          "request. Operators name a person of the team.",
      ),
    ),
    operator_role: Type.Optional(
      Type.Enum([...roles.operatorRoles], {
        title: "OperatorRole",
        description:
          "With the scope `operator`. Default: as the token of this request. Only `operator` can choose another.",
      }),
    ),
    compatibility_version: Type.Optional(
      compatibilityVersion(
        [
          ...Object.entries(compatibilityVersionNotes).map(([version, note]) => `\`${version}\`: ${note}`),
          "Null, the default: the current version. It never changes.",
        ].join(" "),
      ),
    ),
  },
  { title: "CreateToken" },
);

/** Throws RentalError invalid-parameters for an expiry that is not a timestamp. */
export function orderFrom(accountId: string, body: Static<typeof CreateToken>): TokenRequest {
  const expiry = body.expires_at;
  return {
    accountId,
    name: body.name,
    scopes: body.scopes,
    expiresAt: typeof expiry === "string" ? parseMoment("expires_at", expiry) : expiry,
    spendLimitCents: body.spend_limit_cents ?? null,
    compatibilityVersion: body.compatibility_version ?? null,
    personId: body.person_id,
    operatorRole: body.operator_role,
  };
}

export function token(one: StoredToken & Spending) {
  return {
    id: one.id,
    name: one.name,
    scopes: [...one.scopes],
    expires_at: one.expiresAt?.toISOString() ?? null,
    revoked_at: one.revokedAt?.toISOString() ?? null,
    last_used_at: one.lastUsedAt?.toISOString() ?? null,
    spend_limit_cents: one.spendLimitCents,
    ...spentFields(one),
    compatibility_version: one.compatibilityVersion,
    person_id: one.personId,
    operator_role: one.operatorRole,
    created_at: one.createdAt.toISOString(),
  };
}

export function madeToken(made: StoredToken & Spending & { readonly token: string }) {
  return { ...token(made), token: made.token };
}

const sample: StoredToken & Spending = {
  id: "0198c5a1-22bb-7cc3-8dd4-ee55ff667788",
  name: "ci",
  scopes: ["read", "write"],
  expiresAt: new Date("2027-03-01T00:00:00.000Z"),
  revokedAt: null,
  lastUsedAt: null,
  spendLimitCents: 100_000,
  spentMicroCents: 0n,
  compatibilityVersion: null,
  personId: null,
  operatorRole: null,
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
};

/** For the document. */
export const examples = {
  request: {
    name: "ci",
    scopes: ["read" as const, "write" as const],
    expires_at: "2027-03-01T00:00:00.000Z",
    spend_limit_cents: 100_000,
  },
  change: { spend_limit_cents: 100_000 },
  listed: token(sample),
  made: madeToken({ ...sample, token: "lessor_EXAMPLE-AND-NOT-A-TOKEN-43-LETTERS-LIKE-THESE" }),
};
