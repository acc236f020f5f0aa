// `lessor reservations`: capacity that is promised for a time: list, show, quote, create, cancel. A reservation costs its
// whole time, so it is made at the price that was shown, and once for one command, even if its response is lost
// (../launch/key.ts).

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { confirm } from "../ask.ts";
import { CommandError, isUnanswered, usageError } from "../command-error.ts";
import { connectionFrom } from "../connection/connection.ts";
import { type LaunchKey, launchKey } from "../launch/key.ts";
import { timeIn } from "../maintenance-windows.ts";
import { printFacts, printTable } from "../output/table.ts";
import { cost, count, moment, perHour, secondsIn, wholeNumber } from "../output/units.ts";
import {
  isOpen,
  type Reservation,
  reservationColumns,
  reservationFacts,
  reservationNamed,
  reservationsOf,
  whatOf,
} from "../reservations.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

const which = "its name or id, or the beginning of one";
const when = "a time such as 2026-03-09T08:00:00Z, or a span from now such as 36h";

interface Order {
  readonly region?: string;
  readonly quantity: string;
  readonly from?: string;
  readonly to?: string;
  readonly for?: string;
}

type Quote = Shape<"ReservationQuote">;

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list reservations, by their begin"))
    .option("-a, --all", "also those that are over", false)
    .action(async ({ all, json }: { all: boolean; json: boolean }) => {
      const shown = (await reservationsOf(shell)).filter((one) => all || isOpen(one));
      if (json) return printJson(shell, shown);
      printTable(
        shell.out,
        shown,
        reservationColumns,
        "No reservations. Create one: lessor reservations create <type>.",
      );
    });
  examples(list, { "lessor reservations list --all": "also past ones" });

  const show = withJson(command.command("show").description("show a reservation"))
    .argument("<reservation>", which)
    .action(async (word: string, { json }: { json: boolean }) =>
      print(shell, await reservationNamed(shell, word), json),
    );
  examples(show, { "lessor reservations show training-week": "with its cost and its use" });

  const quote = withOrder(withJson(command.command("quote").description("show the price, and whether it fits")))
    .argument("<type>", "an instance type, as lessor types lists it")
    .action(async (type: string, { json, ...order }: Order & { json: boolean }) => {
      const found = await quoteFor(shell, orderOf(type, order));
      if (json) return printJson(shell, found);
      shell.out.line(sentence(found));
      if (!found.fits) throw doesNotFit(found);
    });
  examples(quote, { "lessor reservations quote gpu_1x_a10 --from 36h --for 2d": "reserves nothing" });

  const create = withOrder(withJson(command.command("create").description("reserve capacity for a time")))
    .argument("<type>", "an instance type, as lessor types lists it")
    .option("--name <name>", "its name")
    .option("-y, --yes", "skip the confirmation", false)
    .action((type: string, options: Order & { name?: string; yes: boolean; json: boolean }) =>
      make(shell, type, options),
    );
  examples(create, {
    "lessor reservations create gpu_1x_a10 --from 36h --for 2d --quantity 2": "asks for confirmation",
    "lessor reservations create gpu_1x_a10 --to 8h --yes --json": "from now on, for a program",
  });

  const cancel = withJson(command.command("cancel").description("cancel a reservation that has not begun"))
    .argument("<reservation>", which)
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes, json }: { yes: boolean; json: boolean }) => {
      const { id, name } = await reservationNamed(shell, word);
      await confirm(shell, { what: `This cancels the reservation ${name}: its capacity is free for others.`, yes });
      const { data } = await shell
        .client()
        .ask((api) => api.POST("/reservations/{id}/cancel", { params: { path: { id } } }));
      print(shell, data, json);
    });
  examples(cancel, { "lessor reservations cancel training-week": "it costs nothing then" });
}

function withOrder(command: Command): Command {
  return command
    .option("--region <region>", "the region; otherwise the best one that has the capacity")
    .option("--quantity <number>", "how many instances, all in one region", "1")
    .option("--from <time>", `when it begins: ${when} (default: now)`)
    .option("--to <time>", "when it ends, likewise")
    .option("--for <span>", "how long it lasts, instead of --to");
}

/** The request. `nowMs`: what spans count from. Throws CommandError. */
function orderOf(type: string, { region, quantity, from, to, for: span }: Order, nowMs = Date.now()) {
  if ((to === undefined) === (span === undefined)) throw usageError("When does it end?", "Give either --to or --for.");
  const begin = from === undefined || from === "now" ? undefined : timeIn(from, nowMs);
  const beginMs = begin === undefined ? nowMs : Date.parse(begin);
  return {
    instance_type: type,
    quantity: wholeNumber("--quantity", 1)(quantity),
    ...(region !== undefined && { region }),
    ...(begin !== undefined && { from: begin }),
    to: span === undefined ? timeIn(to ?? "", nowMs) : new Date(beginMs + secondsIn(span) * 1000).toISOString(),
  };
}

async function quoteFor(shell: Shell, query: ReturnType<typeof orderOf>): Promise<Quote> {
  return (await shell.client().ask((api) => api.GET("/reservation-quote", { params: { query } }))).data;
}

async function make(
  shell: Shell,
  type: string,
  { name, yes, json, ...typed }: Order & { readonly name?: string; readonly yes: boolean; readonly json: boolean },
): Promise<void> {
  const quote = await quoteFor(shell, orderOf(type, typed));
  shell.err.line(sentence(quote));
  const { address, token } = connectionFrom(shell.env);
  const kept = launchKey(shell.env, token, [address, "reservation", type, name, typed], quote.price_cents_per_hour);
  if (kept.isRepeated)
    shell.err.line("The response to this reservation was lost before. It is retried and creates no duplicates.");
  else await beforeFirst(shell, quote, yes, kept);
  const body = { ...orderOf(type, typed, kept.at), ...(name !== undefined && { name }) };
  print(shell, await sent(shell, body, kept), json);
}

async function beforeFirst(shell: Shell, quote: Quote, yes: boolean, { done }: LaunchKey): Promise<void> {
  try {
    if (!quote.fits) throw doesNotFit(quote);
    await confirm(shell, {
      what: "All of its time is billed, used or not, unless it is cancelled before it begins.",
      yes,
    });
  } catch (error) {
    done();
    throw error;
  }
}

/** Throws CommandError: the API error, or that no response arrived. */
async function sent(
  shell: Shell,
  body: ReturnType<typeof orderOf> & { readonly name?: string },
  { key, done }: LaunchKey,
): Promise<Reservation> {
  const params = { header: { "Idempotency-Key": key } };
  try {
    const { data } = await shell.client().ask((api) => api.POST("/reservations", { params, body }));
    done();
    return data;
  } catch (error) {
    const isOpen = isUnanswered(error) || (error instanceof CommandError && error.code === "global/internal-error");
    if (!isOpen) done();
    if (!isUnanswered(error)) throw error;
    const unknown = `${error.message} It is unknown whether it was reserved.`;
    const again = "Rerun the same command within 24 hours. It retries the same reservation and creates no duplicates.";
    throw new CommandError(unknown, again, { cause: error, exit: "unreachable" });
  }
}

/** "2 x gpu_1x_a10 in us-east-1, 2026-03-09 08:00 to 2026-03-11 08:00 UTC: $57.60 ($0.60/h each)" */
function sentence(quote: Quote): string {
  const { from, to, cost_cents: cents, price_cents_per_hour: price, quantity } = quote;
  const each = quantity === 1 ? "" : " each";
  return `${whatOf(quote)}, ${moment(from)} to ${moment(to)} UTC: ${cost(cents)} (${perHour(price)}${each})`;
}

function doesNotFit({ fits_from: from, fits_in: regions }: Quote): CommandError {
  const fewer = regions.map(({ region, available }) => `--region ${region} --quantity ${count(available)}`);
  const hint =
    from !== null
      ? `It fits for as long with: --from ${from}.`
      : fewer.length > 0
        ? `Less fits: ${fewer.join(", ")}.`
        : "Choose another time, another region or another instance type.";
  const code = "instance-operations/launch/insufficient-capacity";
  return new CommandError("There is not surely enough capacity then.", hint, { exit: "does-not-fit", code });
}

function print(shell: Shell, one: Reservation, json: boolean): void {
  if (json) printJson(shell, one);
  else printFacts(shell.out, reservationFacts(one));
}
