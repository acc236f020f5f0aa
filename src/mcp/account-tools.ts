// Tools for the account: its scopes, limits and cost.

import { Type } from "typebox";
import { AccountRecord, checked } from "./records.ts";
import { tool } from "./tool.ts";
import { dollars } from "./view.ts";

export const showAccount = tool("reads", {
  name: "show_account",
  title: "Show the account",
  description: "Shows the account of your token: its quotas and usage, and its spend limit and spending this month.",
  input: Type.Object({}),
  async run({ service }) {
    const account = checked(
      AccountRecord,
      await service.call({ interface: "control", method: "GET", path: "/account" }),
    );
    const { spend_limit_cents: limit, spent_this_month_cents: spent } = account;
    const money =
      limit === null ? "no spend limit" : `${dollars(Number(spent ?? 0))} of ${dollars(limit)} spent this month`;
    return { text: `${account.name}: ${money}; token scopes: ${account.token.scopes.join(", ")}`, data: { account } };
  },
});

export const showUsage = tool("reads", {
  name: "show_usage",
  title: "Show usage and cost",
  description: "Shows usage and its cost, one line per instance: seconds, price, discount, cost.",
  input: Type.Object({
    from: Type.Optional(Type.String({ format: "date", description: "The first day, such as 2026-03-01 (UTC)." })),
    to: Type.Optional(Type.String({ format: "date", description: "The last day." })),
  }),
  async run({ input, service }) {
    const { from, to } = input;
    const query = new URLSearchParams({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
    const path = `/usage${query.size === 0 ? "" : `?${query}`}`;
    const lines = checked(Lines, await service.call({ interface: "control", method: "GET", path }));
    const total = lines.reduce((sum, line) => sum + BigInt(line.cost_micro_cents), 0n);
    const told = lines.map(
      (line) => `${line.instance_name}, ${line.instance_type}: ${line.seconds} s, ${dollars(Number(line.cost_cents))}`,
    );
    const sum = `Total ${dollars(Number(total / 10_000n) / 100)}.`;
    return {
      text: lines.length === 0 ? "No usage." : [...told, sum].join("\n"),
      data: { lines, total_micro_cents: String(total) },
    };
  },
});

const Lines = Type.Array(
  Type.Object({
    instance_name: Type.String(),
    instance_type: Type.String(),
    seconds: Type.Integer(),
    cost_micro_cents: Type.String({ pattern: "^\\d+$" }),
    cost_cents: Type.String(),
  }),
);
