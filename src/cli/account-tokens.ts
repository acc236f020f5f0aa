// `lessor accounts tokens`, for operators: lists, creates, revokes and limits the tokens of an account, and finds an
// account by name or id. Used by commands/accounts.ts.

import type { Command } from "commander";
import type { Shape } from "../client/client.ts";
import { confirm } from "./ask.ts";
import { type Instance, isOperatorView } from "./instances.ts";
import { byIdOrName } from "./names.ts";
import { printTable } from "./output/table.ts";
import { collect, examples, printJson, type Shell, withJson } from "./shell.ts";
import {
  compatibilityOption,
  limitFrom,
  operatorRoleOption,
  printMadeToken,
  type TokenOptions,
  tokenBody,
  tokenColumnsFor,
} from "./token-views.ts";

/** All accounts, oldest first. Throws CommandError. */
export async function accountsOf(shell: Shell): Promise<Shape<"Account">[]> {
  return (await shell.client().ask((api) => api.GET("/accounts", { params: { query: {} } }))).data;
}

/** The account that a name or id refers to. Throws CommandError. */
export async function accountNamed(shell: Shell, word: string): Promise<Shape<"Account">> {
  return byIdOrName(word, await accountsOf(shell), { what: "account", list: "lessor accounts list" });
}

/** For operators, account names by id; empty for customers, who see only their own instances. */
export async function accountNames(shell: Shell, instances: readonly Instance[]): Promise<ReadonlyMap<string, string>> {
  if (!instances.some(isOperatorView)) return new Map();
  return new Map((await accountsOf(shell)).map(({ id, name }) => [id, name]));
}

export function defineTokens(command: Command, shell: Shell): void {
  const which = "its name, its id, or the beginning of either";
  const list = withJson(command.command("list").alias("ls").description("list tokens, also expired and revoked ones"))
    .argument("<account>", which)
    .action(async (word: string, { json }: { json: boolean }) => {
      const tokens = await tokensOf(shell, word);
      if (json) return printJson(shell, tokens);
      printTable(shell.out, tokens, tokenColumnsFor(tokens), "No tokens.");
    });
  examples(list, { "lessor accounts tokens list acme": "scopes and last use of each token" });

  const create = withJson(command.command("create").description("create a token and show it once"))
    .argument("<account>", which)
    .argument("<name>", "the purpose")
    .option("--scope <scope>", "read, write or operator; may be repeated (default: read and write)", collect)
    .option("--limit <amount>", "the most its instances can cost in a month, such as 20 or 2.50")
    .option("--expires <span>", "when it expires, such as 12h or 90d")
    .addOption(operatorRoleOption())
    .addOption(compatibilityOption())
    .action(async (word: string, name: string, options: TokenOptions) => {
      const body = tokenBody(name, options);
      const { id } = await accountNamed(shell, word);
      const { data } = await shell
        .client()
        .ask((api) => api.POST("/accounts/{id}/tokens", { params: { path: { id } }, body }));
      printMadeToken(shell, data, options.json);
    });
  examples(create, { "lessor accounts tokens create acme first": "the first token of a new customer" });

  const revoke = command
    .command("revoke")
    .description("revoke a token immediately")
    .argument("<account>", which)
    .argument("<token>", which)
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, token: string, { yes }: { yes: boolean }) => {
      const { path, name } = await tokenNamed(shell, word, token);
      await confirm(shell, { what: `Requests with the token ${name} are rejected from now on.`, yes });
      await shell.client().ask((api) => api.DELETE("/accounts/{id}/tokens/{token_id}", { params: { path } }));
      shell.out.line(`Revoked token ${name}.`);
    });
  examples(revoke, { "lessor accounts tokens revoke acme first": "asks for confirmation" });

  const limit = withJson(command.command("limit").description("change the monthly spend limit of a token"))
    .argument("<account>", which)
    .argument("<token>", which)
    .argument("<amount>", "such as 20 or 2.50; none removes the limit")
    .action(async (word: string, token: string, amount: string, { json }: { json: boolean }) => {
      const body = { spend_limit_cents: limitFrom(amount) };
      const { path, name } = await tokenNamed(shell, word, token);
      const { data } = await shell
        .client()
        .ask((api) => api.PATCH("/accounts/{id}/tokens/{token_id}", { params: { path }, body }));
      if (json) return printJson(shell, data);
      shell.out.line(
        data.spend_limit_cents === null ? `Removed the spend limit of ${name}.` : `Changed the spend limit of ${name}.`,
      );
    });
  examples(limit, { "lessor accounts tokens limit acme first 50": "at most $50 a month" });
}

async function tokensOf(shell: Shell, account: string): Promise<Shape<"Token">[]> {
  const { id } = await accountNamed(shell, account);
  const params = { path: { id }, query: {} };
  return (await shell.client().ask((api) => api.GET("/accounts/{id}/tokens", { params }))).data;
}

async function tokenNamed(shell: Shell, account: string, word: string) {
  const { id } = await accountNamed(shell, account);
  const tokens = await tokensOf(shell, id);
  const token = byIdOrName(word, tokens, { what: "token", list: `lessor accounts tokens list ${account}` });
  return { path: { id, token_id: token.id }, name: token.name };
}
