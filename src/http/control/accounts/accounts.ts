// Control interface: accounts, for operators. Source: decisions, The control API. Accounts are never deleted, because
// their usage must stay; an inactive one can't make requests, and its instances stay billed.

import { type Static, Type } from "typebox";
import type { AccountDefaults } from "../../../config.ts";
import * as accounts from "../../../rental/accounts/account-store.ts";
import { accountsWithSpent, accountWithSpent } from "../../../rental/billing/spent.ts";
import { mostCreditLineCents, type Terms } from "../../../rules/payment-terms.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

const quota = field.whole(0, 1_000_000_000);
const status = Type.Enum(["active", "inactive"] as const, {
  title: "AccountStatus",
  description: "Default of a new account: `active`.",
});
const spendLimit = field.orNull(
  field.spendLimit(),
  "Per calendar month (UTC). When it is reached, the account cannot launch and its instances are terminated, stopped ones " +
    "too, because they cost the same; an event warns before. Null: no limit, the default of a new account unless configured otherwise.",
);

const maxLifetime = field.orNull(
  field.lifetime(),
  "The default and the maximum lifetime of instances that it launches from now on. Counted from " +
    "when an instance is billed for the first time (when it is first active or first stopped); then it is terminated. " +
    "Null: no limit, the default of a new account unless configured otherwise.",
);

const creditLine = field.orNull(
  field.whole(0, mostCreditLineCents),
  "How far below zero the balance of a postpaid account may be. Null: without a bound. Prepaid accounts have none.",
);

const changes = {
  status: Type.Optional(status),
  quotas: Type.Optional(
    Type.Object(
      {
        instances: Type.Optional(quota),
        gpus: Type.Optional(quota),
        vcpus: Type.Optional(quota),
        ssh_keys: Type.Optional(quota),
        file_systems: Type.Optional(quota),
      },
      {
        title: "Quotas",
        description: "Maximum usage at any time. Default of a new account: the configured quotas.",
      },
    ),
  ),
  spend_limit_cents: Type.Optional(spendLimit),
  max_lifetime_seconds: Type.Optional(maxLifetime),
  payment_terms: Type.Optional(field.paymentTerms()),
  credit_line_cents: Type.Optional(creditLine),
  contact_email: Type.Optional(field.contactEmail()),
  disabled_emails: Type.Optional(field.disabledEmails()),
};
const liftHold = Type.Optional(Type.Literal(true, { description: "It launches again." }));
const CreateAccount = Type.Object({ name: field.label("acme"), ...changes });
const ChangeAccount = Type.Object({ name: Type.Optional(field.label("acme")), ...changes, lift_hold: liftHold });

const tag = "Accounts";
const example = view.account(view.sampleAccount);

export function accountRoutes(api: Api): void {
  const { defaults } = api.context.config;

  api.get(
    "/accounts",
    {
      id: "listAccounts",
      tag,
      summary: "List accounts",
      description: "All accounts, oldest first.",
      scope: "operator",
      query: Type.Object(pageQuery),
      answer: field.many(view.Account),
      example: { answer: { data: [example] } },
    },
    async ({ db, page }) => {
      const listed = await page(byId, (window) => accounts.listAccounts(db, window));
      return { data: (await accountsWithSpent(db, listed)).map(view.account) };
    },
  );

  api.post(
    "/accounts",
    {
      id: "createAccount",
      tag,
      summary: "Create an account",
      description: "Names are unique. The account needs a token to make requests.",
      scope: "operator",
      right: "members",
      body: CreateAccount,
      answer: field.one(view.Account),
      example: { request: { name: "acme", spend_limit_cents: 500_000 }, answer: { data: example } },
      errors: ["duplicate"],
    },
    async ({ tx, body }) => {
      const made = await accounts.createAccount(tx, orderFrom(body, defaults));
      return { data: view.account(await accountWithSpent(tx, made)) };
    },
  );

  api.get(
    "/accounts/:id",
    {
      id: "getAccount",
      tag,
      summary: "Read an account",
      description: "One account with its current usage.",
      scope: "operator",
      params: field.IdParam,
      answer: field.one(view.Account),
      example: { answer: { data: example } },
      errors: ["unknown-object"],
    },
    async ({ db, params }) => ({
      data: view.account(await accountWithSpent(db, await accounts.readAccount(db, params.id))),
    }),
  );

  api.patch(
    "/accounts/:id",
    {
      id: "changeAccount",
      tag,
      summary: "Change an account",
      description:
        "Omitted fields stay unchanged. A quota below the current usage only blocks new objects. What an inactive account " +
        "has stays: instances run, reservations begin, and both are billed; you can terminate and cancel them. A token with a " +
        "spend limit cannot raise the spend limit or the lifetime of its own account (409).",
      scope: "operator",
      right: "limits",
      params: field.IdParam,
      body: ChangeAccount,
      answer: field.one(view.Account),
      example: { request: { quotas: { gpus: 64 } }, answer: { data: example } },
      errors: ["unknown-object", "duplicate", "conflict"],
    },
    async ({ tx, principal, params, body }) => {
      const change = {
        name: body.name,
        status: body.status,
        quotas: body.quotas,
        spendLimitCents: body.spend_limit_cents,
        maxLifetimeSeconds: body.max_lifetime_seconds,
        paymentTerms: body.payment_terms,
        creditLineCents: body.credit_line_cents,
        contactEmail: body.contact_email,
        disabledEmails: body.disabled_emails,
        liftHold: body.lift_hold,
      };
      const changed = await accounts.changeAccount(tx, params.id, change, principal);
      return { data: view.account(await accountWithSpent(tx, changed)) };
    },
  );
}

function orderFrom(body: Static<typeof CreateAccount>, { quotas, ...limits }: AccountDefaults) {
  return {
    name: body.name,
    status: body.status ?? "active",
    quotas: {
      instances: quotas.instances,
      gpus: quotas.gpus,
      vcpus: quotas.vcpus,
      ssh_keys: quotas.sshKeys,
      file_systems: quotas.fileSystems,
      ...body.quotas,
    },
    spendLimitCents: given(body.spend_limit_cents, limits.spendLimitCents),
    maxLifetimeSeconds: given(body.max_lifetime_seconds, limits.maxLifetimeSeconds),
    ...termsFrom(body, limits.terms),
    contactEmail: body.contact_email ?? null,
    disabledEmails: body.disabled_emails ?? [],
  };
}

/** An account that is made prepaid gets no credit line by default. */
function termsFrom({ payment_terms, credit_line_cents: line }: Static<typeof CreateAccount>, byDefault: Terms) {
  const terms = payment_terms ?? byDefault.paymentTerms;
  const lineByDefault = terms === byDefault.paymentTerms ? byDefault.creditLineCents : null;
  return { paymentTerms: terms, creditLineCents: line === undefined ? lineByDefault : line };
}

/** An explicit null is no limit, whatever the default. */
function given(asked: number | null | undefined, byDefault: number | undefined): number | null {
  return asked === undefined ? (byDefault ?? null) : asked;
}
