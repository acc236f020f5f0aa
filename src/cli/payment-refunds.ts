// `lessor payments refund, refunds`, for operators: pay back through the payment provider. Used by commands/payments.ts.

import type { Command } from "commander";
import type { Shape } from "../client/client.ts";
import { confirm } from "./ask.ts";
import { CommandError, isUnanswered } from "./command-error.ts";
import type { Colour } from "./output/screen.ts";
import { type Column, printTable } from "./output/table.ts";
import { ago, centsIn, money } from "./output/units.ts";
import { examples, printJson, type Shell, withJson } from "./shell.ts";

type Refund = Shape<"Refund">;

interface Options {
  readonly reason: string;
  readonly yes: boolean;
  readonly json: boolean;
}

export function defineRefunds(command: Command, shell: Shell): void {
  const refund = withJson(command.command("refund").description("for operators: pay back through the payment provider"))
    .argument("<id>", "of the payment")
    .argument("[amount]", "such as 50 or 49.90; all that is left without it")
    .requiredOption("--reason <text>", "why; the account reads it")
    .option("-y, --yes", "skip the confirmation", false)
    .action((id: string, amount: string | undefined, options: Options) => pay(shell, id, amount, options));
  examples(refund, {
    'lessor payments refund 0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b70 20 --reason "Paid twice"': "pays back $20",
  });

  const list = withJson(command.command("refunds").description("for operators: list refunds of a payment"))
    .argument("<id>", "of the payment")
    .action(async (id: string, { json }: Options) => {
      const params = { path: { id } };
      const { data } = await shell.client().ask((api) => api.GET("/payments/{id}/refunds", { params }));
      if (json) printJson(shell, data);
      else printTable(shell.out, data, columns, "No refunds.");
    });
  examples(list, { "lessor payments refunds 0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b70": "what was paid back, and failed" });
}

async function pay(
  shell: Shell,
  id: string,
  amount: string | undefined,
  { reason, yes, json }: Options,
): Promise<void> {
  const body = { reason, ...(amount !== undefined && { amount_cents: centsIn(amount) }) };
  await confirm(shell, { what: `This pays back ${amount ?? "all that is left"} of the payment ${id}.`, yes });
  const params = { path: { id }, header: { "Idempotency-Key": crypto.randomUUID() } };
  try {
    const { data } = await shell.client().ask((api) => api.POST("/payments/{id}/refunds", { params, body }));
    if (json) printJson(shell, data);
    else shell.out.line(`Ordered a refund of ${money(data.amount_cents)}. See lessor payments refunds ${id}.`);
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    throw new CommandError(
      `${error.message} It is unknown whether the refund was ordered.`,
      `Check it before you repeat this: lessor payments refunds ${id}`,
      { cause: error, exit: "unreachable" },
    );
  }
}

const columns: readonly Column<Refund>[] = [
  { title: "STATUS", of: ({ status }) => status, colour: ({ status }) => colours[status] },
  { title: "AMOUNT", of: ({ amount_cents: cents }) => money(cents), align: "right" },
  { title: "CREATED", of: ({ created_at: at }) => ago(at) ?? "", spare: 1 },
  { title: "REFERENCE", of: ({ provider_refund_id: id }) => id, spare: 2 },
  { title: "REASON", of: ({ reason }) => reason, spare: 3 },
  { title: "FAILURE", of: ({ failure }) => failure },
];

const colours: Readonly<Partial<Record<Refund["status"], Colour>>> = {
  ...{ created: "yellow", pending: "yellow", succeeded: "green", failed: "red" },
};
