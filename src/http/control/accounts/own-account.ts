// Control interface: an account about itself, and its own tokens. Source: decisions, The control API.
// Invariant: a token created here has no scope and no role that the token of the request lacks, so privileges cannot be
// escalated.

import { type Static, Type } from "typebox";
import type { Database } from "../../../database/connect.ts";
import { changeAccount, readAccount } from "../../../rental/accounts/account-store.ts";
import { createTokenBy, limitToken, revokeTokenBy } from "../../../rental/accounts/token-limits.ts";
import { listTokens, readToken, scopes as tokenScopes } from "../../../rental/accounts/token-store.ts";
import { accountWithSpent, tokensWithSpent, tokenWithSpent } from "../../../rental/billing/spent.ts";
import { findMember, requireOverToken } from "../../../rental/people/members.ts";
import type { Principal, Scope } from "../../../rental/service.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { HttpError } from "../../errors/api-error.ts";
import * as field from "../fields.ts";
import * as view from "./token-view.ts";
import * as accountView from "./view.ts";

const tag = "Your account";
const ownToken = {
  id: view.examples.listed.id,
  scopes: ["read" as const, "write" as const],
  compatibility_version: null,
  operator_role: null,
};
const ownExample = {
  ...accountView.account(accountView.sampleAccount),
  ...{ token: ownToken, person: accountView.sampleMember },
};

export function ownAccountRoutes(api: Api): void {
  api.get(
    "/account",
    {
      id: "getOwnAccount",
      tag,
      summary: "Read your account",
      description:
        "With its current usage, the scopes of the token of this request, and the person whose it is, with role.",
      answer: field.one(accountView.OwnAccount),
      example: { answer: { data: ownExample } },
    },
    async ({ db, principal }) => ({ data: await ownAccount(db, principal) }),
  );

  api.patch(
    "/account",
    {
      id: "changeOwnAccount",
      tag,
      summary: "Change where emails about your account go",
      description: "Omitted fields stay unchanged. Emails are sent only if your provider has configured them.",
      right: "limits",
      body: Type.Object({
        contact_email: Type.Optional(field.contactEmail()),
        disabled_emails: Type.Optional(field.disabledEmails()),
      }),
      answer: field.one(accountView.OwnAccount),
      example: {
        request: { contact_email: "ops@acme.example" },
        answer: { data: ownExample },
      },
    },
    async ({ tx, principal, body }) => {
      const change = { contactEmail: body.contact_email, disabledEmails: body.disabled_emails };
      await changeAccount(tx, principal.accountId, change);
      return { data: await ownAccount(tx, principal) };
    },
  );

  api.get(
    "/tokens",
    {
      id: "listTokens",
      tag,
      summary: "List your tokens",
      description: "Oldest first, including expired and revoked tokens. Token secrets are not stored.",
      query: Type.Object(pageQuery),
      answer: field.many(view.Token),
      example: { answer: { data: [view.examples.listed] } },
    },
    async ({ db, principal: { accountId }, page }) => {
      const listed = await page(byId, (window) => listTokens(db, accountId, window));
      return { data: (await tokensWithSpent(db, accountId, listed)).map(view.token) };
    },
  );

  api.post(
    "/tokens",
    {
      id: "createToken",
      tag,
      summary: "Create a token",
      description:
        "Only with scopes that the token of this request has; other scopes are rejected (403). A token with a spend limit cannot " +
        "create tokens with the scopes `write` or `operator` (409): they would bypass the limit. Only this response has `token`.",
      right: "see",
      body: view.CreateToken,
      answer: field.one(view.MadeToken),
      example: { request: view.examples.request, answer: { data: view.examples.made } },
      errors: ["conflict"],
    },
    async ({ tx, principal, body }) => {
      refuseOtherScopes(principal, body.scopes);
      const made = await createTokenBy(tx, principal, view.orderFrom(principal.accountId, body), "team");
      return { data: view.madeToken(await tokenWithSpent(tx, principal.accountId, made)) };
    },
  );

  api.patch(
    "/tokens/:id",
    {
      id: "changeToken",
      tag,
      summary: "Change the spend limit of a token",
      description:
        "A token cannot raise its own limit, and a token with a limit cannot raise another's (409). A token with scopes that the " +
        "token of this request does not have is rejected (403).",
      right: "limits",
      params: field.IdParam,
      body: view.ChangeToken,
      answer: field.one(view.Token),
      example: { request: view.examples.change, answer: { data: view.examples.listed } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, params, body }) => {
      const { scopes } = await readToken(tx, principal.accountId, params.id);
      refuseOtherScopes(principal, scopes);
      const limit = body.spend_limit_cents;
      const changed = await limitToken(tx, principal, principal.accountId, params.id, limit);
      return { data: view.token(await tokenWithSpent(tx, principal.accountId, changed)) };
    },
  );

  api.delete(
    "/tokens/:id",
    {
      id: "revokeToken",
      tag,
      summary: "Revoke a token",
      description:
        "Takes effect immediately, also for the token of this request. A token with scopes that the token of this request does not have is rejected (403). " +
        "A token with a spend limit cannot revoke a token without one (409). " +
        "The token stays on the list; revoking it again has no effect.",
      right: "see",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, params }) => {
      const token = await readToken(tx, principal.accountId, params.id);
      refuseOtherScopes(principal, token.scopes);
      const change = { by: principal, accountId: principal.accountId, through: "team" } as const;
      await requireOverToken(tx, change, token.personId);
      await revokeTokenBy(tx, principal, principal.accountId, params.id);
      return { data: {} };
    },
  );
}

/** The own account, by the token of a request; also sent to the console at sign-in. */
export async function ownAccount(db: Database, principal: Principal): Promise<OwnAccount> {
  const { accountId, tokenId, scopes, person } = principal;
  const member = person === undefined ? undefined : await findMember(db, accountId, person.id);
  const account = await accountWithSpent(db, await readAccount(db, accountId));
  const { compatibilityVersion, operatorRole } = await readToken(db, accountId, tokenId);
  const may = tokenScopes.filter((scope) => scopes.has(scope));
  const token = {
    ...{ id: tokenId, scopes: may },
    ...{ compatibility_version: compatibilityVersion, operator_role: operatorRole },
  };
  return { ...accountView.account(account), token, person: member ? accountView.memberView(member) : null };
}

type OwnAccount = Static<typeof accountView.OwnAccount>;

/** Throws HttpError forbidden, naming the first scope that the token of the request lacks. */
export function refuseOtherScopes(principal: Principal, wanted: readonly Scope[]): void {
  const lacking = wanted.find((scope) => !principal.scopes.has(scope));
  if (lacking !== undefined) throw new HttpError("forbidden", { scope: lacking });
}
