// Control interface: the tokens of any account, for operators. Source: decisions, The control API.

import { Type } from "typebox";
import * as accounts from "../../rental/accounts/index.ts";
import type { Api } from "../operations.ts";
import { byId, pageQuery } from "../paging.ts";
import * as field from "./fields.ts";
import * as view from "./token-view.ts";

const TokenParams = Type.Object({
  id: Type.String({ description: "The account's UUID." }),
  token_id: Type.String({ description: "The token's UUID." }),
});

const tag = "Accounts";

export function accountTokenRoutes(api: Api): void {
  api.get(
    "/accounts/:id/tokens",
    {
      id: "listAccountTokens",
      tag,
      summary: "List an account's tokens",
      description: "Oldest first, with the expired and the revoked. Tokens themselves are not stored.",
      scope: "operator",
      params: field.IdParam,
      query: Type.Object(pageQuery),
      answer: field.many(view.Token),
      example: { answer: { data: [view.examples.listed] } },
      errors: ["unknown-object"],
    },
    async ({ db, params, page }) => {
      const account = await accounts.readAccount(db, params.id);
      return { data: (await page(byId, (window) => accounts.listTokens(db, account.id, window))).map(view.token) };
    },
  );

  api.post(
    "/accounts/:id/tokens",
    {
      id: "createAccountToken",
      tag,
      summary: "Create a token for an account",
      description: "With any scopes. `token` is in this answer only.",
      scope: "operator",
      params: field.IdParam,
      body: view.CreateToken,
      answer: field.one(view.MadeToken),
      example: { request: view.examples.request, answer: { data: view.examples.made } },
      errors: ["unknown-object"],
    },
    async ({ tx, params, body }) => {
      const account = await accounts.readAccount(tx, params.id);
      return { data: view.madeToken(await accounts.createToken(tx, view.orderFrom(account.id, body))) };
    },
  );

  api.delete(
    "/accounts/:id/tokens/:token_id",
    {
      id: "revokeAccountToken",
      tag,
      summary: "Revoke an account's token",
      description: "At once. It stays on the list; revoking it again changes nothing.",
      scope: "operator",
      params: TokenParams,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, params }) => {
      const account = await accounts.readAccount(tx, params.id);
      await accounts.revokeToken(tx, account.id, params.token_id);
      return { data: {} };
    },
  );
}
