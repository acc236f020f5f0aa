// Sends a launch with its own Idempotency-Key, reused after a lost response, so that the service recognizes a retry.
// Used by commands/launch.ts; order-options.ts makes the order.

import { setTimeout as sleep } from "node:timers/promises";
import type { LaunchAnswer } from "../../client/launched.ts";
import { confirm } from "../ask.ts";
import { CommandError, isUnanswered } from "../command-error.ts";
import { connectionFrom } from "../connection/connection.ts";
import { perHour } from "../output/units.ts";
import { canAsk, type Shell } from "../shell.ts";
import { launchKey } from "./key.ts";
import type { LaunchOrder, TypedOrder } from "./order-options.ts";
import { namesInUseText, type Quote, refuseWithoutRoom } from "./quote.ts";

/** How often to retry after a lost response, with growing waits: about a minute. */
const waitsMs = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];

/** Launches at the quoted price or less, or waits for it. Throws CommandError, also if it stays unknown whether the launch happened. */
export async function launch(
  shell: Shell,
  order: TypedOrder,
  {
    quote,
    yes,
    waitSeconds,
  }: { readonly quote: Quote; readonly yes: boolean; readonly waitSeconds: number | undefined },
): Promise<LaunchAnswer> {
  const priceCents = order.max_price_cents_per_hour ?? quote.list_price_cents_per_hour;
  const kept = launchKey(
    shell.env,
    connectionFrom(shell.env).token,
    [connectionFrom(shell.env).address, order, ...(waitSeconds === undefined ? [] : [waitSeconds])],
    priceCents,
  );
  if (kept.isRepeated)
    shell.err.line("The response to this launch was lost before. It is retried and creates no duplicates.");
  else await beforeFirst(kept.done);
  try {
    const until = waitSeconds === undefined ? undefined : new Date(kept.at + waitSeconds * 1000).toISOString();
    const body = {
      ...order,
      max_price_cents_per_hour: kept.priceCents,
      ...(until === undefined ? {} : { wait: { until } }),
    };
    const answer = await orInterrupted(sent(shell, body, kept.key));
    kept.done();
    return answer;
  } catch (error) {
    // An internal error, here or there, may have followed the launch.
    const isRefusal = error instanceof CommandError && error.code !== "global/internal-error";
    if (isRefusal && error.exit !== "unreachable" && error.exit !== "interrupted") kept.done();
    throw error;
  }

  /** What may prevent sending it. A name in use may be that of a launch whose response was lost. */
  async function beforeFirst(forget: () => void): Promise<void> {
    try {
      refuseDearer(quote, priceCents);
      const needsRoom = waitSeconds === undefined && order.reservation_id === undefined;
      if (needsRoom) await refuseWithoutRoom(shell.client(), quote, order.host_selector);
      await confirmNames(shell, quote, yes);
    } catch (error) {
      forget();
      throw error;
    }
  }
}

/** Warns about names that instances already have. Throws CommandError if the person declines. */
async function confirmNames(shell: Shell, { names_in_use: names }: Quote, yes: boolean): Promise<void> {
  const text = namesInUseText(names);
  if (text === undefined) return;
  if (yes || !canAsk(shell)) return shell.err.line(text);
  await confirm(shell, { what: text, yes });
}

/** Throws CommandError: the API error, or that no response arrived. */
export async function sent(shell: Shell, body: LaunchOrder, key: string): Promise<LaunchAnswer> {
  const params = { header: { "Idempotency-Key": key } };
  for (const waitMs of [...waitsMs, undefined]) {
    try {
      return (await shell.client().ask((api) => api.POST("/instances", { params, body }))).data;
    } catch (error) {
      const isOpen = isUnanswered(error) || (error instanceof CommandError && error.code === "idempotency/in-progress");
      if (!isOpen) throw error;
      if (waitMs === undefined) throw unknownEnd(error);
      shell.err.line(`${error.message} Retrying; no duplicates are created.`);
      await sleep(waitMs);
    }
  }
  throw new Error("BUG: a launch that was neither answered nor given up");
}

/** A sent request cannot be undone, so Ctrl-C prints what to do. Throws CommandError for it. */
export async function orInterrupted<T>(sending: Promise<T>): Promise<T> {
  const interrupted = Promise.withResolvers<never>();
  const interrupt = () =>
    interrupted.reject(new CommandError(`Stopped waiting. ${unknown}`, again, { exit: "interrupted" }));
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const one of signals) process.once(one, interrupt);
  try {
    return await Promise.race([sending, interrupted.promise]);
  } finally {
    for (const one of signals) process.off(one, interrupt);
  }
}

const unknown = "It is unknown whether anything was launched.";
const again = "Rerun the same command within 24 hours. It retries the same launch and creates no duplicates.";

function unknownEnd(cause: CommandError): CommandError {
  return new CommandError(`${cause.message} ${unknown}`, again, { cause, exit: "unreachable" });
}

function refuseDearer({ list_price_cents_per_hour: price, instance_type }: Quote, most: number): void {
  if (price <= most) return;
  throw new CommandError(
    `${instance_type} costs ${perHour(price)}, more than ${perHour(most)}.`,
    "Nothing was launched.",
    {
      exit: "does-not-fit",
    },
  );
}
