// Control interface: the views of an account, for operators and for itself. Used by accounts.ts and own-account.ts.

import { type Static, Type } from "typebox";
import type { Quotas, Account as StoredAccount } from "../../../rental/accounts/account-store.ts";
import type { Spending } from "../../../rental/billing/spent.ts";
import type { Member as StoredMember } from "../../../rental/people/members.ts";
import { compatibilityVersions } from "../../../rules/compatibility-versions.ts";
import { optionalEmailKinds } from "../../../rules/emails.ts";
import { operatorRoles, teamRoles } from "../../../rules/roles.ts";
import { spentField, spentFields } from "../billing/money.ts";
import * as field from "../fields.ts";

const Counts = Type.Object(
  {
    instances: Type.Integer(),
    gpus: Type.Integer(),
    vcpus: Type.Integer(),
    ssh_keys: Type.Integer(),
    file_systems: Type.Integer(),
  },
  { title: "Counts" },
);

const shown = {
  id: field.uuid(),
  name: field.name("acme"),
  status: Type.Enum(["active", "inactive"] as const, { title: "AccountStatus" }),
  quotas: Counts,
  used: Type.Object(Counts.properties, {
    title: "Counts",
    description: "Current usage that counts toward the quotas.",
  }),
  spend_limit_cents: field.orNull(Type.Integer()),
  ...spentField,
  max_lifetime_seconds: field.orNull(Type.Integer()),
  payment_terms: field.paymentTerms(),
  credit_line_cents: field.orNull(Type.Integer()),
  contact_email: field.orNull(Type.String()),
  disabled_emails: field.disabledEmails(),
  held_since: field.orNull(field.timestamp(), "On hold: it launches nothing."),
  created_at: field.timestamp(),
};
export const Account = Type.Object(shown, { title: "Account" });

/** The version that a token is pinned to; null: the current edition. `text` describes the field. */
export const compatibilityVersion = (text?: string) =>
  field.orNull(Type.Enum([...compatibilityVersions], { title: "CompatibilityVersion" }), text);

/** What a token may with the scope `operator`. */
export const operatorRole = () =>
  field.orNull(
    Type.Enum([...operatorRoles], { title: "OperatorRole" }),
    "What it may with the scope `operator`. Null: everything, as `operator`.",
  );

/** The role of a person in a team. */
export const TeamRole = Type.Enum([...teamRoles], { title: "TeamRole" });

export const Member = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "Of the person." }),
    name: field.name("Ada"),
    email: Type.String({ examples: ["ada@example.com"] }),
    role: TeamRole,
    joined_at: field.timestamp(),
  },
  { title: "Member" },
);

/** The account's own view. */
export const OwnAccount = Type.Object(
  {
    ...shown,
    token: Type.Object(
      {
        id: field.uuid(),
        scopes: Type.Array(Type.Enum(["read", "write", "operator"] as const, { title: "Scope" })),
        compatibility_version: compatibilityVersion(),
        operator_role: operatorRole(),
      },
      { description: "The token of this request." },
    ),
    person: field.orNull(Member, "Whose token this is. Null: a token of the team itself."),
  },
  { title: "OwnAccount" },
);

export function memberView(one: StoredMember): Static<typeof Member> {
  const { id, name, email, role, joinedAt } = one;
  return { id, name, email, role, joined_at: joinedAt.toISOString() };
}

export function account(one: StoredAccount & Spending) {
  return {
    id: one.id,
    name: one.name,
    status: one.status,
    quotas: counts(one.quotas),
    used: counts(one.used),
    spend_limit_cents: one.spendLimitCents,
    ...spentFields(one),
    max_lifetime_seconds: one.maxLifetimeSeconds,
    payment_terms: one.paymentTerms,
    credit_line_cents: one.creditLineCents,
    contact_email: one.contactEmail,
    disabled_emails: optionalEmailKinds.filter((kind) => one.disabledEmails.includes(kind)),
    held_since: one.heldSince?.toISOString() ?? null,
    created_at: one.createdAt.toISOString(),
  };
}

function counts({ instances, gpus, vcpus, ssh_keys, file_systems }: Quotas) {
  return { instances, gpus, vcpus, ssh_keys, file_systems };
}

/** For the examples of the document. */
export const sampleMember: Static<typeof Member> = {
  id: "0198c5a0-7700-7aa1-8bb2-cc33dd44ee55",
  name: "Ada",
  email: "ada@example.com",
  role: "admin",
  joined_at: "2026-03-01T12:00:00.000Z",
};

/** For the examples of the document. */
export const sampleAccount: StoredAccount & Spending = {
  id: "0198c59f-0000-7000-8000-000000000001",
  name: "acme",
  status: "active",
  quotas: { instances: 1000, gpus: 64, vcpus: 20_000, ssh_keys: 100, file_systems: 100 },
  used: { instances: 3, gpus: 10, vcpus: 260, ssh_keys: 2, file_systems: 1 },
  spendLimitCents: 500_000,
  spentMicroCents: 31_245_000_000n,
  maxLifetimeSeconds: 604_800,
  paymentTerms: "postpaid",
  creditLineCents: 1_000_000,
  contactEmail: "ops@acme.example",
  disabledEmails: [],
  heldSince: null,
  createdAt: new Date("2026-02-27T09:30:00.000Z"),
};
