// `lessor launch --dry-run`: the price of a launch, and whether it would be placed now, wait, or be rejected. Used by
// commands/launch.ts.
//
// Invariant: nothing is launched, and nothing begins to wait.

import { CommandError } from "../command-error.ts";
import { moment } from "../output/units.ts";
import { printJson, type Shell } from "../shell.ts";
import type { LaunchOrder } from "./order-options.ts";
import { namesInUseText, type Quote, quoteSentence, refuseWithoutRoom } from "./quote.ts";

export interface DryRun {
  readonly order: LaunchOrder;
  readonly quote: Quote;
  /** Of --wait; undefined: it does not wait. */
  readonly waitSeconds: number | undefined;
  readonly json: boolean;
}

/** Throws CommandError if the launch would be rejected for lack of capacity. */
export async function dryRun(shell: Shell, { order, quote, waitSeconds, json }: DryRun): Promise<void> {
  const { reservation_id: reserved, host_selector: hostSelector } = order;
  const until = waitSeconds === undefined ? undefined : new Date(Date.now() + waitSeconds * 1000).toISOString();
  if (json) return printJson(shell, until === undefined ? quote : { ...quote, wait: { until, waits: !quote.fits } });
  shell.out.line(quotedText(order, quote));
  const taken = namesInUseText(quote.names_in_use);
  if (taken !== undefined) shell.err.line(taken);
  if (reserved !== undefined) return;
  const rejection = await rejectionOf(refuseWithoutRoom(shell.client(), quote, hostSelector));
  if (until === undefined) {
    if (rejection !== undefined) throw rejection;
    return;
  }
  shell.out.line(
    rejection === undefined
      ? "It would be placed now, without waiting."
      : `${rejection.message} The launch would wait until ${moment(until)} UTC at most, and cost nothing meanwhile.`,
  );
}

/** What the launch costs. */
export function quotedText({ reservation_id: reserved }: LaunchOrder, quote: Quote): string {
  return reserved === undefined ? quoteSentence(quote) : `${quote.instance_type}: the reservation pays for it`;
}

/** Undefined: it fits. Throws what is no such rejection. */
async function rejectionOf(asked: Promise<void>): Promise<CommandError | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    if (error instanceof CommandError && error.exit === "does-not-fit") return error;
    throw error;
  }
}
