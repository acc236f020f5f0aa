// `lessor coupon check`: validates a coupon and shows the discounted price before a launch.

import type { Command } from "commander";
import { quoteFor } from "../launch/quote.ts";
import { printFacts } from "../output/table.ts";
import { money, perHour, wholeNumber } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly type: string;
  readonly quantity: string;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  const check = withJson(command.command("check").description("validate a coupon and show the discounted price"))
    .argument("<coupon>", "its code")
    .requiredOption("--type <type>", "the instance type")
    .option("--quantity <number>", "how many", "1")
    .action(async (coupon: string, { type, quantity, json }: Options) => {
      const quote = await quoteFor(shell.client(), { type, coupon, quantity: wholeNumber("--quantity", 1)(quantity) });
      if (json) return printJson(shell, quote);
      const { hourly, monthly } = quote;
      printFacts(shell.out, [
        ["Coupon", `${quote.coupon?.code}: ${quote.coupon?.discount_percent} % off`],
        ["Without it", perHour(Number(hourly.before_discount.cost_cents))],
        ["With it", perHour(Number(hourly.after.cost_cents))],
        [
          "A month",
          `${money(Number(monthly.after.cost_cents))} instead of ${money(Number(monthly.before_discount.cost_cents))}`,
        ],
      ]);
    });
  examples(check, {
    "lessor coupon check WELCOME10 --type gpu_1x_a6000": "one instance",
    "lessor coupon check WELCOME10 --type gpu_1x_a6000 --quantity 4 --json": "four of them, for a program",
  });
}
