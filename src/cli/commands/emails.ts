// `lessor emails`, for operators: the emails to accounts with what failed, and a test.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { emailErrors, emailStatuses } from "../../rules/emails.ts";
import { usageError } from "../command-error.ts";
import { type Column, printTable } from "../output/table.ts";
import { ago } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Email = Shape<"Email">;

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list the newest emails to accounts"))
    .option("--status <status>", `only those that are ${emailStatuses.join(", ")}`)
    .action(async ({ status: word, json }: { status?: string; json: boolean }) => {
      const status = emailStatuses.find((known) => known === word);
      if (word !== undefined && status === undefined)
        throw usageError(`"${word}" is not a status of emails.`, `Use ${emailStatuses.join(", ")}.`);
      const query = status === undefined ? {} : { status };
      const { data } = await shell.client().ask((api) => api.GET("/emails", { params: { query } }));
      if (json) return printJson(shell, data);
      printTable(shell.out, data, columns, "No emails.");
    });
  examples(list, {
    "lessor emails list": "what was sent, and what waits",
    "lessor emails list --status failed": "what was given up, and why",
  });

  const test = withJson(command.command("test").description("send a test email"))
    .argument("[address]", "where it goes (default: the contact address of your account)")
    .action(async (to: string | undefined, { json }: { json: boolean }) => {
      const body = to === undefined ? {} : { to };
      const { data } = await shell.client().ask((api) => api.POST("/emails/test", { body }));
      if (json) return printJson(shell, data);
      shell.out.line(`Queued a test to ${data.recipient}. Check whether it was sent: lessor emails list`);
    });
  examples(test, { "lessor emails test ops@acme.example": "to any address" });
}

function reasonOf({ last_failure: failure }: Email): string | null {
  return failure === null ? null : `${emailErrors[failure.error]} ${failure.response ?? ""}`.trim();
}

const columns: readonly Column<Email>[] = [
  { title: "ID", of: ({ id }) => id, spare: 4 },
  { title: "STATUS", of: ({ status }) => status, colour: ({ status }) => colours[status] },
  { title: "TO", of: ({ recipient }) => recipient },
  { title: "KIND", of: ({ kind }) => kind, spare: 2 },
  { title: "SUBJECT", of: ({ subject }) => subject, spare: 3 },
  { title: "CREATED", of: ({ created_at: at }) => ago(at) ?? "", spare: 1 },
  { title: "ATTEMPTS", of: ({ attempts }) => `${attempts}`, align: "right" },
  { title: "LAST FAILURE", of: reasonOf },
];

const colours = { waiting: "yellow", sent: "green", failed: "red", suppressed: "yellow" } as const;
