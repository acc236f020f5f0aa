// Control interface: accounts, for operators. Source: decisions, The control API. Accounts are never deleted, for their
// usage has to stay; one that is switched off (`inactive`) may do nothing, and what it rents goes on being billed.

import { type Static, Type } from "typebox";
import * as accounts from "../../rental/accounts/index.ts";
import type { Api } from "../operations.ts";
import { byId, pageQuery } from "../paging.ts";
import * as view from "./account-view.ts";
import * as field from "./fields.ts";

const quota = field.whole(0, 1_000_000_000);
const status = Type.Enum(["active", "inactive"] as const, { description: "Default of a new account: `active`." });
const spendLimit = field.orNull(
  field.whole(0, 1_000_000_000_000),
  "Nothing new is launched in a month (UTC) in which so much was used. Null, the default of a new account: no limit.",
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
      { description: "How much it may have at once. What a new account is not given is the configured default." },
    ),
  ),
  spend_limit_cents: Type.Optional(spendLimit),
};
const CreateAccount = Type.Object({ name: field.label("acme"), ...changes });
const ChangeAccount = Type.Object({ name: Type.Optional(field.label("acme")), ...changes });

const tag = "Accounts";
const example = view.account(view.sampleAccount);

export function accountRoutes(api: Api): void {
  const { quotas } = api.context.config.defaults;
  const defaults: accounts.Quotas = {
    instances: quotas.instances,
    gpus: quotas.gpus,
    vcpus: quotas.vcpus,
    ssh_keys: quotas.sshKeys,
    file_systems: quotas.fileSystems,
  };

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
    async ({ db, page }) => ({
      data: (await page(byId, (window) => accounts.listAccounts(db, window))).map(view.account),
    }),
  );

  api.post(
    "/accounts",
    {
      id: "createAccount",
      tag,
      summary: "Create an account",
      description: "Names are unique. It can do nothing until it has a token.",
      scope: "operator",
      body: CreateAccount,
      answer: field.one(view.Account),
      example: { request: { name: "acme", spend_limit_cents: 500_000 }, answer: { data: example } },
      errors: ["duplicate"],
    },
    async ({ tx, body }) => ({ data: view.account(await accounts.createAccount(tx, orderFrom(body, defaults))) }),
  );

  api.get(
    "/accounts/:id",
    {
      id: "getAccount",
      tag,
      summary: "Read an account",
      description: "One account, with what it has in use now.",
      scope: "operator",
      params: field.IdParam,
      answer: field.one(view.Account),
      example: { answer: { data: example } },
      errors: ["unknown-object"],
    },
    async ({ db, params }) => ({ data: view.account(await accounts.readAccount(db, params.id)) }),
  );

  api.patch(
    "/accounts/:id",
    {
      id: "changeAccount",
      tag,
      summary: "Change an account",
      description: "What is left out stays. A quota set below what is in use only keeps new things from being made.",
      scope: "operator",
      params: field.IdParam,
      body: ChangeAccount,
      answer: field.one(view.Account),
      example: { request: { quotas: { gpus: 64 } }, answer: { data: example } },
      errors: ["unknown-object", "duplicate", "conflict"],
    },
    async ({ tx, tenant, params, body }) => {
      const { name, status: newStatus, quotas: newQuotas, spend_limit_cents: spendLimitCents } = body;
      const change = { name, status: newStatus, quotas: newQuotas, spendLimitCents };
      return { data: view.account(await accounts.changeAccount(tx, params.id, change, tenant)) };
    },
  );
}

function orderFrom(body: Static<typeof CreateAccount>, defaults: accounts.Quotas) {
  return {
    name: body.name,
    status: body.status ?? "active",
    quotas: { ...defaults, ...body.quotas },
    spendLimitCents: body.spend_limit_cents ?? null,
  };
}
