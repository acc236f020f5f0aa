// `lessor accounts top-up, refund, adjust`, for operators: what they record in the ledger of an account. Used by
// commands/accounts.ts. A payment or a refund counts once for its reference, so its command can be repeated.

import type { Command } from "commander";
import type { Shape } from "../client/client.ts";
import { accountNamed } from "./account-tokens.ts";
import { confirm } from "./ask.ts";
import { CommandError, isUnanswered, usageError } from "./command-error.ts";
import { centsIn, cost } from "./output/units.ts";
import { examples, printJson, type Shell, withJson } from "./shell.ts";

interface Options {
  readonly reference: string;
  readonly reason: string;
  readonly give?: string;
  readonly take?: string;
  readonly yes: boolean;
  readonly json: boolean;
}

const which = "its name, its id, or the beginning of either";

export function defineLedger(command: Command, shell: Shell): void {
  const topUp = withJson(command.command("top-up").description("record a payment by bank transfer"))
    .argument("<account>", which)
    .argument("<amount>", "what arrived, such as 500 or 499.90")
    .requiredOption("--reference <text>", "that of the transfer; each counts once")
    .action(async (word: string, amount: string, { reference, json }: Options) => {
      const body = { amount_cents: centsIn(amount), reference };
      const { id, name } = await accountNamed(shell, word);
      const params = { path: { id } };
      const { data } = await shell.client().ask((api) => api.POST("/accounts/{id}/top-ups", { params, body }));
      print(shell, name, data, json);
    });
  examples(topUp, { 'lessor accounts top-up acme 500 --reference "RF18 5390 0754 7034"': "$500 arrived" });

  const refund = withJson(command.command("refund").description("record money that you pay back"))
    .argument("<account>", which)
    .argument("<amount>", "what you pay back, such as 500 or 499.90")
    .requiredOption("--reference <text>", "that of the transfer; each counts once")
    .requiredOption("--reason <text>", "why; the account reads it")
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, amount: string, { reference, reason, yes, json }: Options) => {
      const body = { amount_cents: centsIn(amount), reference, reason };
      const { id, name } = await accountNamed(shell, word);
      await confirm(shell, { what: `This takes ${amount} from the balance of ${name}. Pay it back yourself.`, yes });
      const params = { path: { id } };
      const { data } = await shell.client().ask((api) => api.POST("/accounts/{id}/refunds", { params, body }));
      print(shell, name, data, json);
    });
  examples(refund, {
    'lessor accounts refund acme 20 --reference R-17 --reason "Account closed"': "after the transfer",
  });

  const adjust = withJson(command.command("adjust").description("correct the balance of an account"))
    .argument("<account>", which)
    .option("--give <amount>", "adds so much, such as 500 or 499.90")
    .option("--take <amount>", "takes so much")
    .requiredOption("--reason <text>", "why; the account reads it")
    .option("-y, --yes", "skip the confirmation", false)
    .action((word: string, options: Options) => adjustBalance(shell, word, options));
  examples(adjust, { 'lessor accounts adjust acme --give 50 --reason "Outage on March 1"': "adds $50" });
}

async function adjustBalance(shell: Shell, word: string, { give, take, reason, yes, json }: Options): Promise<void> {
  if ((give === undefined) === (take === undefined)) throw usageError("Give either --give or --take.");
  const cents = give === undefined ? -centsIn(take ?? "") : centsIn(give);
  const { id, name } = await accountNamed(shell, word);
  await confirm(shell, { what: `This changes the balance of ${name} by ${cost(`${cents}`)}.`, yes });
  const params = { path: { id }, header: { "Idempotency-Key": crypto.randomUUID() } };
  try {
    const { data } = await shell
      .client()
      .ask((api) => api.POST("/accounts/{id}/adjustments", { params, body: { amount_cents: cents, reason } }));
    print(shell, name, data, json);
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    const unknown = `${error.message} It is unknown whether the balance was changed.`;
    throw new CommandError(unknown, `Check it before you repeat this: lessor ledger --account ${name}`, {
      ...{ cause: error, exit: "unreachable" },
    });
  }
}

function print(shell: Shell, name: string, entry: Shape<"LedgerEntry">, json: boolean): void {
  if (json) printJson(shell, entry);
  else shell.out.line(`Recorded ${cost(entry.amount_cents)} for ${name}. See lessor balance --account ${name}.`);
}
