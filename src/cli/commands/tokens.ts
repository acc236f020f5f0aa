// `lessor tokens`: list, create, revoke, limit. Shared with account tokens: ../token-views.ts.

import type { Command } from "commander";
import { confirm } from "../ask.ts";
import { byIdOrName } from "../names.ts";
import { printTable } from "../output/table.ts";
import { collect, examples, printJson, type Shell, withJson } from "../shell.ts";
import {
  compatibilityOption,
  limitFrom,
  operatorRoleOption,
  printMadeToken,
  type Token,
  type TokenOptions,
  tokenBody,
  tokenColumnsFor,
} from "../token-views.ts";

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list your tokens"))
    .option("-a, --all", "also revoked and expired tokens", false)
    .action(async ({ all, json }: { all: boolean; json: boolean }) => {
      const tokens = (await tokensOf(shell)).filter((one) => all || isLive(one));
      if (json) return printJson(shell, tokens);
      printTable(shell.out, tokens, tokenColumnsFor(tokens), "No tokens.");
    });
  examples(list, { "lessor tokens list --all": "including revoked tokens" });

  const create = withJson(command.command("create").description("create a token and show it once"))
    .argument("<name>", "the purpose, such as ci")
    .option("--scope <scope>", "read, write or operator; may be repeated (default: read and write)", collect)
    .option("--limit <amount>", "the most its instances can cost in a month, such as 20 or 2.50")
    .option("--expires <span>", "when it expires, such as 12h or 90d")
    .option("--team", "a token of the team itself, not yours", false)
    .addOption(operatorRoleOption())
    .addOption(compatibilityOption())
    .action(async (name: string, options: TokenOptions) => {
      const body = tokenBody(name, options);
      const { data } = await shell.client().ask((api) => api.POST("/tokens", { body }));
      printMadeToken(shell, data, options.json);
    });
  examples(create, {
    "lessor tokens create ci --scope read --expires 30d": "for a pipeline that only reads",
    "lessor tokens create agent --limit 20": "for an agent: at most $20 a month",
  });

  const revoke = command
    .command("revoke")
    .description("revoke a token immediately")
    .argument("<token>", "its name, its id, or the beginning of either")
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes }: { yes: boolean }) => {
      const { id, name } = await tokenNamed(shell, word);
      await confirm(shell, { what: `Requests with the token ${name} are rejected from now on.`, yes });
      await shell.client().ask((api) => api.DELETE("/tokens/{id}", { params: { path: { id } } }));
      shell.out.line(`Revoked token ${name}.`);
    });
  examples(revoke, { "lessor tokens revoke ci --yes": "without confirmation" });

  const limit = withJson(command.command("limit").description("change the monthly spend limit of a token"))
    .argument("<token>", "its name, its id, or the beginning of either")
    .argument("<amount>", "such as 20 or 2.50; none removes the limit")
    .action(async (word: string, amount: string, { json }: { json: boolean }) => {
      const body = { spend_limit_cents: limitFrom(amount) };
      const { id, name } = await tokenNamed(shell, word);
      const { data } = await shell.client().ask((api) => api.PATCH("/tokens/{id}", { params: { path: { id } }, body }));
      if (json) return printJson(shell, data);
      shell.out.line(
        data.spend_limit_cents === null ? `Removed the spend limit of ${name}.` : `Changed the spend limit of ${name}.`,
      );
    });
  examples(limit, {
    "lessor tokens limit agent 50": "at most $50 a month",
    "lessor tokens limit agent none": "no limit",
  });
}

async function tokensOf(shell: Shell): Promise<Token[]> {
  return (await shell.client().ask((api) => api.GET("/tokens", { params: { query: {} } }))).data;
}

/** The unrevoked token of this name, if any. */
async function tokenNamed(shell: Shell, word: string): Promise<Token> {
  const tokens = await tokensOf(shell);
  const live = tokens.filter(isLive);
  const isKnown = live.some(({ id, name }) => name === word || id === word);
  return byIdOrName(word, isKnown ? live : tokens, { what: "token", list: "lessor tokens list --all" });
}

function isLive({ revoked_at, expires_at }: Token): boolean {
  return revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());
}
