// The cost of a launch and whether it fits, from the service, and as text. Used by launch and coupon.

import type { Shape } from "../../client/client.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { fewerAtOnce } from "../../rules/fewer-at-once.ts";
import { returningWords } from "../../rules/gpu-return.ts";
import { CommandError } from "../command-error.ts";
import type { ControlClient } from "../connection/control-client.ts";
import { listHint } from "../names.ts";
import { count, money, perHour } from "../output/units.ts";
import { shellWord } from "../shell-word.ts";
import { fitting, type Offer } from "./offers.ts";

export type Quote = Shape<"Quote">;

export interface QuoteOrder {
  readonly type: string;
  readonly region?: string | undefined;
  readonly quantity: number;
  readonly coupon?: string | undefined;
  /** Their names: the quote then lists which of these are in use. */
  readonly name?: string | undefined;
  readonly hostSelector?: string | undefined;
  readonly spot?: boolean | undefined;
  readonly lifetimeSeconds?: number | null | undefined;
}

/** Throws CommandError for unknown names, and a coupon that a launch would reject. */
export async function quoteFor(client: ControlClient, order: QuoteOrder): Promise<Quote> {
  const { type, region, quantity, coupon, name, hostSelector, spot, lifetimeSeconds = null } = order;
  const query = {
    instance_type: type,
    quantity,
    ...(region === undefined ? {} : { region }),
    ...(coupon === undefined ? {} : { coupon }),
    ...(name === undefined ? {} : { name }),
    ...(hostSelector === undefined ? {} : { host_selector: hostSelector }),
    ...(spot === true ? { spot } : {}),
    ...(lifetimeSeconds === null ? {} : { max_lifetime_seconds: lifetimeSeconds }),
  };
  try {
    return (await client.ask((api) => api.GET("/quote", { params: { query } }))).data;
  } catch (error) {
    throw await withNameMeant(client, type, error);
  }
}

/** The same error; for an unknown type, with a suggestion. */
async function withNameMeant(client: ControlClient, type: string, error: unknown): Promise<unknown> {
  if (!(error instanceof CommandError) || error.exit !== "not-found" || !error.message.includes("instance type")) {
    return error;
  }
  const { data } = await client.ask((api) => api.GET("/offers", { params: { query: {} } }));
  const meant = didYouMean(
    type,
    data.map(({ instance_type }) => instance_type.name),
  );
  const hint = meant === undefined ? listHint("lessor types") : `Did you mean "${meant}"?`;
  const { code, requestId, exit } = error;
  return new CommandError(`There is no instance type "${type}".`, hint, { code, requestId, exit, cause: error });
}

/** A sentence: instance type, region, and cost per hour and month. */
export function quoteSentence({
  instance_type,
  quantity,
  spot,
  region_chosen,
  coupon,
  hourly,
  monthly,
}: Quote): string {
  const what = `${quantity === 1 ? "" : `${count(quantity)} x `}${instance_type}${spot ? " (spot)" : ""}`;
  const where = region_chosen === null ? "" : ` in ${region_chosen}`;
  const before = perHour(Number(hourly.before_discount.cost_cents));
  const off = coupon === null ? "" : `, instead of ${before}: ${coupon.discount_percent} % off with ${coupon.code}`;
  const month = money(Number(monthly.after.cost_cents));
  return `${what}${where}: ${perHour(Number(hourly.after.cost_cents))} (${month} a month)${off}`;
}

/** A sentence if instances already have the names; undefined otherwise. */
export function namesInUseText(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const [shown, more] = [names.slice(0, 5).join(", "), names.length - 5];
  const list = more > 0 ? `${shown} and ${more} more` : shown;
  return names.length === 1
    ? `You already have an instance named ${list}.`
    : `You already have instances named ${list}.`;
}

/**
 * Throws CommandError if it does not fit, with the regions where it would. `hostSelector`: of the launch; offers, which
 * count all hosts, then say nothing about it.
 */
export async function refuseWithoutRoom(client: ControlClient, quote: Quote, hostSelector?: string): Promise<void> {
  const { fits, instance_type, quantity, region, fits_in } = quote;
  if (fits) return;
  const what = quantity === 1 ? instance_type : `${count(quantity)} x ${instance_type}`;
  const where = region === null ? "in any region" : `in ${region}`;
  const others = fits_in.map(({ name, available }) => `--region ${name} (${count(available)} fit)`);
  const { data } = await client.ask((api) => api.GET("/offers", { params: { query: {} } }));
  // Without an offer the type no longer exists, as the launch itself would report.
  const offer = data.find((one) => one.instance_type.name === instance_type);
  // A region without such GPUs is not full. Null means every region.
  const isOffered = offer === undefined || fitting(offer, region ?? undefined) !== null;
  const parts = hostSelector === undefined ? partsOf(offer) : [];
  const hosts = hostSelector === undefined ? "" : ` on hosts with the labels ${hostSelector}`;
  const back = returningWords(quote.returning, Date.now());
  const later = `${back === undefined ? "" : `${back}. `}Add --wait 1d to launch when there is capacity, or choose another instance type: lessor types --available.`;
  throw new CommandError(
    isOffered ? `Not enough capacity for ${what} ${where}${hosts} now.` : `${instance_type} is not offered ${where}.`,
    others.length > 0
      ? `It fits with: ${others.join(", ")}.`
      : parts.length > 0
        ? fewerAtOnce(quantity, parts)
        : hostSelector === undefined
          ? later
          : `List those hosts: lessor hosts list --selector ${shellWord(hostSelector)}`,
    { exit: "does-not-fit", code: "instance-operations/launch/insufficient-capacity" },
  );
}

/** The regions in which some fit now. */
function partsOf(offer: Offer | undefined): { region: string; fits: number }[] {
  const regions = offer?.regions ?? [];
  return regions.flatMap(({ name, available }) => (available > 0 ? [{ region: name, fits: available }] : []));
}
