// `lessor balance`: what the account can spend, or owes.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { accountNamed } from "../account-tokens.ts";
import { printFacts } from "../output/table.ts";
import { cost, moment, money } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Balance = Shape<"Balance">;

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .option("--account <account>", "for operators: of this account")
    .action(async ({ account, json }: { account?: string; json: boolean }) => {
      const id = account === undefined ? undefined : (await accountNamed(shell, account)).id;
      const { data } = await shell
        .client()
        .ask((api) =>
          id === undefined ? api.GET("/balance") : api.GET("/accounts/{id}/balance", { params: { path: { id } } }),
        );
      if (json) return printJson(shell, data);
      printFacts(shell.out, [
        ["Balance", cost(data.balance_cents)],
        ["Not posted", `${cost(data.pending_cents)} of usage, in the balance already`],
        ["Payment", paymentOf(data)],
        ...(data.runway === null
          ? []
          : [
              [
                "Lasts until",
                `${moment(data.runway.empty_at)} UTC, at ${cost(data.runway.cents_per_hour)} an hour`,
              ] as const,
            ]),
        ...(data.exhausted === null ? [] : [["Used up", endingOf(data.exhausted)] as const]),
        ...(data.held_since === null ? [] : [["On hold since", `${moment(data.held_since)} UTC: ${onHold}`] as const]),
        ["As of", `${moment(data.at)} UTC`],
      ]);
    });
  examples(command, {
    "lessor balance": "as of now; below zero: what you owe",
    "lessor balance --account acme": "for operators",
  });
}

const onHold = "a payment was disputed. Ask your provider to lift the hold";

/** "postpaid, up to $500.00 below zero" */
export function paymentOf({
  payment_terms: terms,
  credit_line_cents: line,
}: Pick<Balance, "payment_terms" | "credit_line_cents">): string {
  return line === null ? terms : `${terms}, up to ${money(line)} below zero`;
}

function endingOf({ stop_at: stop, terminate_at: end }: NonNullable<Balance["exhausted"]>): string {
  const stopped = stop === null ? "" : `stopped on ${moment(stop)} UTC and `;
  return `instances are ${stopped}terminated on ${moment(end)} UTC unless you add money`;
}
