// `lessor webhooks`: list, create, delete, test, deliveries, resend.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { confirm } from "../ask.ts";
import { usageError } from "../command-error.ts";
import { chosen } from "../names.ts";
import type { Colour } from "../output/screen.ts";
import { type Column, printTable } from "../output/table.ts";
import { ago, moment } from "../output/units.ts";
import { collect, examples, printJson, type Shell, withJson } from "../shell.ts";

type Webhook = Shape<"Webhook">;
type Delivery = Shape<"Delivery">;

const which = "its URL, its id, or the beginning of either";

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list webhooks")).action(
    async ({ json }: { json: boolean }) => {
      const webhooks = await webhooksOf(shell);
      if (json) return printJson(shell, webhooks);
      printTable(shell.out, webhooks, columns, "No webhooks. Create one: lessor webhooks create <url>.");
    },
  );
  examples(list, { "lessor webhooks list": "with pending deliveries" });

  const create = withJson(command.command("create").description("create a webhook that sends signed events to a URL"))
    .argument("<url>", "an https URL of yours")
    .option("--type <event-type>", "only these, such as instance.*; may be repeated (default: all)", collect)
    .option("--description <text>", "a description")
    .action(async (url: string, options: { type?: readonly string[]; description?: string; json: boolean }) => {
      const { type, description, json } = options;
      const body = {
        url,
        ...(type === undefined ? {} : { event_types: [...type] }),
        ...(description === undefined ? {} : { description }),
      };
      const { data } = await shell.client().ask((api) => api.POST("/webhooks", { body }));
      if (json) return printJson(shell, data);
      shell.err.line(`Created a webhook for ${data.url}. Save its signing secret now. It won't be shown again:`);
      shell.out.line(data.secret);
    });
  examples(create, {
    "lessor webhooks create https://example.com/hook --type 'instance.*'": "events of instances",
  });

  const remove = command
    .command("delete")
    .alias("rm")
    .description("delete a webhook")
    .argument("<webhook>", which)
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes }: { yes: boolean }) => {
      const { id, url } = await webhookNamed(shell, word);
      await confirm(shell, { what: `This deletes the webhook for ${url} and discards its pending deliveries.`, yes });
      await shell.client().ask((api) => api.DELETE("/webhooks/{id}", { params: { path: { id } } }));
      shell.out.line(`Deleted the webhook for ${url}.`);
    });
  examples(remove, { "lessor webhooks delete https://example.com/hook": "asks for confirmation" });

  const test = withJson(command.command("test").description("send a test event"))
    .argument("<webhook>", which)
    .action(async (word: string, { json }: { json: boolean }) => {
      const { id, url } = await webhookNamed(shell, word);
      const { data } = await shell.client().ask((api) => api.POST("/webhooks/{id}/test", { params: { path: { id } } }));
      if (json) return printJson(shell, data);
      shell.out.line(`Sent a test event to ${url}. Check the result: lessor webhooks deliveries ${url}`);
    });
  examples(test, { "lessor webhooks test https://example.com/hook": "verify your server" });

  const deliveries = withJson(command.command("deliveries").description("list deliveries, newest first"))
    .argument("<webhook>", which)
    .option("--status <delivery-status>", "only those that are pending, delivered or failed")
    .option("--limit <number>", "maximum number", "50")
    .action(async (word: string, { status, limit, json }: { status?: string; limit: string; json: boolean }) => {
      const query = { limit: Number(limit), ...(status === undefined ? {} : { status: statusNamed(status) }) };
      const { id } = await webhookNamed(shell, word);
      const { data } = await shell
        .client()
        .ask((api) => api.GET("/webhooks/{id}/deliveries", { params: { path: { id }, query } }));
      if (json) return printJson(shell, data);
      printTable(shell.out, data, deliveryColumns, "No deliveries.");
    });
  examples(deliveries, {
    "lessor webhooks deliveries https://example.com/hook --status failed": "failed deliveries",
  });

  const resend = withJson(command.command("resend").description("send a delivery again"))
    .argument("<webhook>", which)
    .argument("<delivery-id>", "as lessor webhooks deliveries shows it")
    .action(async (word: string, delivery: string, { json }: { json: boolean }) => {
      const { id } = await webhookNamed(shell, word);
      const path = { id, delivery_id: delivery };
      const { data } = await shell
        .client()
        .ask((api) => api.POST("/webhooks/{id}/deliveries/{delivery_id}/resend", { params: { path } }));
      if (json) return printJson(shell, data);
      shell.out.line(`Resending ${data.event_type}.`);
    });
  examples(resend, { "lessor webhooks resend https://example.com/hook 0198c5a2-…": "with the same webhook-id" });
}

async function webhooksOf(shell: Shell): Promise<Webhook[]> {
  return (await shell.client().ask((api) => api.GET("/webhooks", { params: { query: {} } }))).data;
}

async function webhookNamed(shell: Shell, word: string): Promise<Webhook> {
  return chosen({
    word,
    what: "webhook",
    groups: [await webhooksOf(shell)],
    names: [(one) => one.id, (one) => one.url],
    parts: [(one) => one.url.startsWith(word), (one) => word.length >= 4 && one.id.startsWith(word)],
    show: ({ id, url }) => `${url} (${id})`,
    list: "lessor webhooks list",
  });
}

const statuses: readonly Delivery["status"][] = ["pending", "delivered", "failed"];

function statusNamed(word: string): Delivery["status"] {
  const found = statuses.find((one) => one === word);
  if (found !== undefined) return found;
  throw usageError(`There is no status "${word}".`, `Choose one of: ${statuses.join(", ")}.`);
}

const columns: readonly Column<Webhook>[] = [
  { title: "URL", of: ({ url }) => url, colour: () => "bold" },
  { title: "EVENTS", of: ({ event_types }) => event_types.join(", ") || "all" },
  { title: "STATE", of: stateOf, colour: (one) => (stateOf(one) === "on" ? "green" : "yellow") },
  { title: "WAITING", of: ({ pending_deliveries }) => pending_deliveries, align: "right", spare: 1 },
  { title: "DESCRIPTION", of: ({ description }) => description, spare: 3 },
  { title: "ID", of: ({ id }) => id, spare: 2 },
];

function stateOf({ active, disabled_reason, failing_since }: Webhook): string {
  if (!active) return disabled_reason === null ? "off" : `off (${disabled_reason})`;
  return failing_since === null ? "on" : `failing since ${ago(failing_since)}`;
}

const colours: Readonly<Record<Delivery["status"], Colour>> = { pending: "yellow", delivered: "green", failed: "red" };

const deliveryColumns: readonly Column<Delivery>[] = [
  { title: "TIME (UTC)", of: ({ created_at }) => moment(created_at) },
  { title: "EVENT", of: ({ event_type }) => event_type, colour: () => "bold" },
  { title: "STATUS", of: ({ status }) => status, colour: ({ status }) => colours[status] },
  { title: "ATTEMPTS", of: ({ attempts }) => attempts, align: "right", spare: 1 },
  { title: "NEXT", of: ({ next_attempt_at }) => ago(next_attempt_at), spare: 2 },
  { title: "ID", of: ({ id }) => id },
];
