// `lessor events`: past events and, with --follow, new ones.

import type { Command } from "commander";
import { accountNamed } from "../account-tokens.ts";
import { connectionFrom, controlBase } from "../connection/connection.ts";
import { type Event, follow } from "../connection/event-source.ts";
import { detailsOf } from "../event-details.ts";
import { instanceOf } from "../instances.ts";
import { type Column, printTable } from "../output/table.ts";
import { plain, plainJson } from "../output/text.ts";
import { moment, wholeNumber } from "../output/units.ts";
import { collect, examples, printJson, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly follow: boolean;
  readonly type?: readonly string[];
  readonly instance?: string;
  readonly account?: string;
  readonly after?: string;
  readonly fromStart: boolean;
  readonly limit: string;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .option("-f, --follow", "show new events until Ctrl-C; with --json one object per line", false)
    .option("--type <event-type>", "only these, such as instance.*; may be repeated", collect)
    .option("--instance <instance>", "only of one instance")
    .option("--account <account>", "for operators: only of one account")
    .option("--after <cursor>", "start after a cursor of the API")
    .option("--from-start", "with --follow: start with all stored events", false)
    .option("--limit <number>", "without --follow: maximum number, newest first", "50")
    .action((options: Options) => (options.follow ? showStream(shell, options) : showList(shell, options)));
  examples(command, {
    "lessor events": "the latest events",
    "lessor events --follow": "new events, as they occur",
    "lessor events --type 'instance.*' --instance training": "events of one instance",
    "lessor events --follow --json | jq -r .type": "for a program",
  });
}

async function queryFrom(shell: Shell, { type, instance, account, after }: Options) {
  return {
    ...(type === undefined ? {} : { types: type.join(",") }),
    ...(instance === undefined ? {} : { instance_id: (await instanceOf(shell.client(), instance)).id }),
    ...(account === undefined ? {} : { account_id: (await accountNamed(shell, account)).id }),
    ...(after === undefined ? {} : { cursor: after }),
  };
}

async function showList(shell: Shell, options: Options): Promise<void> {
  const limit = wholeNumber("--limit", 1)(options.limit);
  const events = await newest(shell, await queryFrom(shell, options), limit);
  if (options.json) return printJson(shell, events);
  printTable(shell.out, events, columns, "No events.");
}

/** The list is oldest first, so the newest are at its end. */
async function newest(shell: Shell, query: Awaited<ReturnType<typeof queryFrom>>, limit: number): Promise<Event[]> {
  const client = shell.client();
  let events: Event[] = [];
  for (let cursor = query.cursor, more = true; more; ) {
    const page = { ...query, limit: 1000, ...(cursor === undefined ? {} : { cursor }) };
    const answer = await client.ask((api) => api.GET("/events", { params: { query: page } }));
    events = [...events, ...answer.data].slice(-limit);
    cursor = answer.next_cursor;
    more = answer.has_more;
  }
  return events;
}

async function showStream(shell: Shell, options: Options): Promise<void> {
  const { address, token } = connectionFrom(shell.env);
  const url = new URL(`${controlBase(address)}/events/stream`);
  const query = { ...(await queryFrom(shell, options)), ...(options.fromStart ? { from: "start" } : {}) };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { err } = shell;
  const stream = follow({
    url,
    token,
    lost: (seconds) => err.line(err.paint("yellow", `Connection lost. Retrying in ${seconds} s.`)),
    back: () => err.line(err.paint("dim", "Reconnected. No events were missed.")),
  });
  for await (const event of stream)
    shell.out.line(options.json ? plainJson(JSON.stringify(event)) : lineOf(shell, event));
}

function lineOf({ out }: Shell, event: Event): string {
  return `${out.paint("dim", moment(event.timestamp) ?? "")}  ${out.paint("bold", plain(event.type))}  ${plain(detailsOf(event))}`;
}

const columns: readonly Column<Event>[] = [
  { title: "TIME (UTC)", of: ({ timestamp }) => moment(timestamp) },
  { title: "EVENT", of: ({ type }) => type, colour: () => "bold" },
  { title: "DETAILS", of: detailsOf },
];
