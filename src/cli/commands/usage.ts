// `lessor usage`: usage and cost by instance, day, month or product; as a table, JSON or CSV.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { noCostWords } from "../../rules/no-cost.ts";
import { accountNamed } from "../account-tokens.ts";
import { usageError } from "../command-error.ts";
import { instanceOf } from "../instances.ts";
import { asJson } from "../output/as-json.ts";
import { type Column, printTable } from "../output/table.ts";
import { cost, duration, moment, perHour } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";
import { type ProductUsage, productCsv, usageByProduct } from "../usage-by-product.ts";

interface Options {
  readonly days: boolean;
  readonly months: boolean;
  readonly products: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly instance?: string;
  readonly token?: string;
  readonly account?: string;
  readonly csv: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .option("--days", "a line for each day", false)
    .option("--months", "a line for each month", false)
    .option("--products", "a line for each instance type", false)
    .option("--from <day>", "first day, such as 2026-03-01 (UTC)")
    .option("--to <day>", "last day, inclusive")
    .option("--instance <instance>", "only of one instance")
    .option("--token <token-id>", "only of instances that a token launched")
    .option("--account <account>", "for operators: only of one account (default: all accounts)")
    .option("--csv", "as CSV, for a spreadsheet", false)
    .action((options: Options) => usage(shell, options));
  examples(command, {
    "lessor usage": "each instance and each reservation, with the total",
    "lessor usage --months": "the cost of each month",
    "lessor usage --days --from 2026-03-01 --to 2026-03-31": "the days of a month",
    "lessor usage --products": "the cost of each instance type",
    "lessor usage --csv > usage.csv": "for a spreadsheet",
  });
}

async function usage(shell: Shell, options: Options): Promise<void> {
  const { days, months, products, csv, json } = options;
  if ([days, months, products].filter(Boolean).length > 1) {
    throw usageError("Use only one of --days, --months and --products.");
  }
  if (csv && json) throw usageError("Use only one of --csv and --json.");
  const query = await queryFrom(shell, options);
  if (products) return showProducts(shell, query, options);
  if (csv) return shell.out.write(await csvOf(shell, query, options));
  if (days) return showDays(shell, query, json);
  if (months) return showMonths(shell, query, json);
  const { data, total } = asJson(await shell.client().ask((api) => api.GET("/usage", { params: { query } })));
  if (json) return printJson(shell, data);
  printTable(shell.out, data, lineColumns(data), nothing);
  printTotal(shell, total);
}

interface Query {
  readonly from?: string;
  readonly to?: string;
  readonly instance_id?: string;
  readonly token_id?: string;
  readonly account_id?: string;
}

async function queryFrom(shell: Shell, { from, to, instance, token, account }: Options): Promise<Query> {
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(instance === undefined ? {} : { instance_id: (await instanceOf(shell.client(), instance)).id }),
    ...(token === undefined ? {} : { token_id: token }),
    ...(account === undefined ? {} : { account_id: (await accountNamed(shell, account)).id }),
  };
}

/** The service's own CSV. */
function csvOf(shell: Shell, query: Query, { days, months }: Options): Promise<string> {
  const params = { query: { ...query, format: "csv" } } as const;
  const path = days ? "/usage/days" : months ? "/usage/months" : "/usage";
  return shell.client().ask((api) => api.GET(path, { params, parseAs: "text" }));
}

async function showDays(shell: Shell, query: Query, json: boolean): Promise<void> {
  const { data, total } = asJson(await shell.client().ask((api) => api.GET("/usage/days", { params: { query } })));
  if (json) return printJson(shell, data);
  const first: Column<Shape<"UsageDay">> = { title: "DAY", of: ({ day }) => day };
  printTable(shell.out, data, [first, downColumn, ...spanColumns], nothing);
  printTotal(shell, total);
}

async function showMonths(shell: Shell, query: Query, json: boolean): Promise<void> {
  const { data, total } = asJson(await shell.client().ask((api) => api.GET("/usage/months", { params: { query } })));
  if (json) return printJson(shell, data);
  const first: Column<Shape<"UsageMonth">> = { title: "MONTH", of: ({ month }) => month };
  printTable(shell.out, data, [first, downColumn, ...spanColumns], nothing);
  printTotal(shell, total);
}

async function showProducts(shell: Shell, query: Query, { csv, json }: Options): Promise<void> {
  const { data, total } = asJson(await shell.client().ask((api) => api.GET("/usage", { params: { query } })));
  const products = usageByProduct(data);
  if (json) return printJson(shell, products);
  if (csv) return shell.out.write(productCsv(products));
  printTable(shell.out, products, productColumns, nothing);
  printTotal(shell, total);
}

function printTotal({ out }: Shell, total: Pick<Shape<"UsageTotal">, "cost_cents" | "credit_micro_cents">): void {
  out.line(`${out.paint("dim", "Total")}  ${out.paint("bold", cost(total.cost_cents))}`);
  if (total.credit_micro_cents === "0") return;
  out.line(
    `${out.paint("dim", "Credit")} ${cost(String(Number(total.credit_micro_cents) / 1e6))}: hosts were unreachable`,
  );
}

const nothing = "No usage.";

const spanColumns: readonly Column<Pick<Shape<"UsageDay">, "seconds" | "cost_cents">>[] = [
  { title: "TIME", of: ({ seconds }) => duration(seconds), align: "right" },
  { title: "COST", of: ({ cost_cents }) => cost(cost_cents), align: "right" },
];

/** Not billed. */
const downColumn: Column<Pick<Shape<"UsageDay">, "downtime_seconds">> = {
  title: "DOWN",
  of: ({ downtime_seconds: down }) => (down === 0 ? null : duration(down)),
  align: "right",
  spare: 7,
};

type Line = Shape<"UsageLine">;

/** What is the same for ordinary instances only if there are others. */
const lineColumns = (lines: readonly Line[]): readonly Column<Line>[] => [
  { title: "NAME", of: ({ instance_name }) => instance_name, colour: () => "bold" },
  ...(lines.some(({ reservation_id: id }) => id !== null) ? [whatColumn] : []),
  { title: "TYPE", of: ({ instance_type }) => instance_type, spare: 1 },
  { title: "REGION", of: ({ region }) => region, spare: 3 },
  { title: "FROM (UTC)", of: ({ started_at }) => moment(started_at), spare: 4 },
  { title: "TO (UTC)", of: ({ ended_at }) => moment(ended_at) ?? "now", spare: 5 },
  { title: "PRICE", of: ({ price_cents_per_hour }) => perHour(price_cents_per_hour), align: "right", spare: 2 },
  { title: "OFF", of: ({ discount_percent: off }) => (off === 0 ? null : `${off} %`), align: "right", spare: 6 },
  downColumn,
  ...spanColumns,
  ...(lines.some(({ no_cost_reason: why }) => why !== null) ? [noteColumn] : []),
];

const whatColumn: Column<Line> = {
  title: "WHAT",
  of: ({ reservation_id: reservation, quantity }) => {
    if (reservation === null) return "instance";
    return quantity === 1 ? "reservation" : `reservation of ${quantity}`;
  },
};

const noteColumn: Column<Line> = {
  title: "NOTE",
  of: ({ no_cost_reason: why }) => (why === null ? null : noCostWords[why]),
};

const productColumns: readonly Column<ProductUsage>[] = [
  { title: "TYPE", of: ({ instance_type }) => instance_type, colour: () => "bold" },
  { title: "INSTANCES", of: ({ instances }) => instances, align: "right" },
  {
    title: "RESERVATIONS",
    of: ({ reservations }) => (reservations === 0 ? null : reservations),
    align: "right",
    spare: 1,
  },
  ...spanColumns,
];
