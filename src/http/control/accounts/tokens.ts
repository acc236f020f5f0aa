// Control interface: the tokens of any account, for operators. Source: decisions, The control API.

import { Type } from "typebox";
import { readAccount } from "../../../rental/accounts/account-store.ts";
import { createTokenBy, limitToken, revokeTokenBy } from "../../../rental/accounts/token-limits.ts";
import { listTokens } from "../../../rental/accounts/token-store.ts";
import { tokensWithSpent, tokenWithSpent } from "../../../rental/billing/spent.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import * as field from "../fields.ts";
import * as view from "./token-view.ts";

const TokenParams = Type.Object({
  id: Type.String({ ...limit.uuid, description: "The account's UUID." }),
  token_id: Type.String({ ...limit.uuid, description: "The token's UUID." }),
});

const tag = "Accounts";

export function accountTokenRoutes(api: Api): void {
  api.get(
    "/accounts/:id/tokens",
    {
      id: "listAccountTokens",
      tag,
      summary: "List an account's tokens",
      description: "Oldest first, including expired and revoked tokens. Token secrets are not stored.",
      scope: "operator",
      params: field.IdParam,
      query: Type.Object(pageQuery),
      answer: field.many(view.Token),
      example: { answer: { data: [view.examples.listed] } },
      errors: ["unknown-object"],
    },
    async ({ db, params, page }) => {
      const account = await readAccount(db, params.id);
      const listed = await page(byId, (window) => listTokens(db, account.id, window));
      return { data: (await tokensWithSpent(db, account.id, listed)).map(view.token) };
    },
  );

  api.post(
    "/accounts/:id/tokens",
    {
      id: "createAccountToken",
      tag,
      summary: "Create a token for an account",
      description:
        "With any scopes. A token with a spend limit cannot create tokens with the scopes `write` or `operator` in any account (409). " +
        "Only this response has `token`.",
      scope: "operator",
      right: "tokens",
      params: field.IdParam,
      body: view.CreateToken,
      answer: field.one(view.MadeToken),
      example: { request: view.examples.request, answer: { data: view.examples.made } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, params, body }) => {
      const account = await readAccount(tx, params.id);
      const made = await createTokenBy(tx, principal, view.orderFrom(account.id, body), "operator");
      return { data: view.madeToken(await tokenWithSpent(tx, account.id, made)) };
    },
  );

  api.patch(
    "/accounts/:id/tokens/:token_id",
    {
      id: "changeAccountToken",
      tag,
      summary: "Change the spend limit of an account's token",
      description:
        "A token cannot raise its own limit, and a token with a limit cannot raise another's in its own account (409).",
      scope: "operator",
      right: "limits",
      params: TokenParams,
      body: view.ChangeToken,
      answer: field.one(view.Token),
      example: { request: view.examples.change, answer: { data: view.examples.listed } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, params, body }) => {
      const account = await readAccount(tx, params.id);
      const limit = body.spend_limit_cents;
      const changed = await limitToken(tx, principal, account.id, params.token_id, limit);
      return { data: view.token(await tokenWithSpent(tx, account.id, changed)) };
    },
  );

  api.delete(
    "/accounts/:id/tokens/:token_id",
    {
      id: "revokeAccountToken",
      tag,
      summary: "Revoke an account's token",
      description:
        "Takes effect immediately. A token with a spend limit cannot revoke a token without one, in any account (409). The token " +
        "stays on the list; revoking it again has no effect.",
      scope: "operator",
      right: "tokens",
      params: TokenParams,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, params }) => {
      const account = await readAccount(tx, params.id);
      await revokeTokenBy(tx, principal, account.id, params.token_id);
      return { data: {} };
    },
  );
}
