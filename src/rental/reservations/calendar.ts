// How much of an instance type could be reserved over a time, step by step and region by region. Used by the control
// interface, for calendars.
//
// Invariant: what it shows of a step would be admitted for that step now (choose-hosts.ts), of one region. A longer
// reservation can need more than the least of its steps: what is free in each is not always on the same hosts.

import { setImmediate } from "node:timers/promises";
import type { Database } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { reservationBounds, reservationSettings } from "../../rules/reservations.ts";
import type { HostFuture, Stay } from "../capacity/host-future.ts";
import { howManyFit } from "../capacity/requirements.ts";
import { instanceTypesNamed, productNamed } from "../catalog/instance-type-store.ts";
import { allRegions, regionAsked } from "../catalog/region-store.ts";
import { invalid } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import { databaseNow } from "../maintenance/begin-end.ts";
import type { Service } from "../service.ts";
import { type Candidates, candidatesForNew, slotRoom } from "./choose-hosts.ts";
import { noticeMsOf } from "./order.ts";

export interface CalendarOrder {
  readonly instanceType: string;
  /** A region's name, or "any": every one. */
  readonly region: string;
  /** Undefined: now. */
  readonly from: Date | undefined;
  /** Undefined: two weeks after `from`. */
  readonly to: Date | undefined;
}

/** In milliseconds since 1970. */
export interface CalendarStep {
  readonly fromMs: number;
  readonly toMs: number;
  /** How many instances. */
  readonly available: number;
}

export interface Calendar {
  readonly product: InstanceType;
  readonly regions: readonly { readonly region: string; readonly steps: readonly CalendarStep[] }[];
}

/** As many as can be told apart in a picture of it. */
const mostSteps = 56;
const hourMs = 3_600_000;
export const calendarDays = { default: 14, most: 100 } as const;

/** Steps of equal numbers are one. Throws RentalError invalid-parameters, unknown-name. */
export async function reservationCalendar(db: Database, service: Service, order: CalendarOrder): Promise<Calendar> {
  const { limits } = service;
  const product = productNamed(
    await ask(db, instanceTypesNamed(db, [order.instanceType])),
    order.instanceType,
    "instance_type",
  );
  const regions = await ask(db, allRegions(db));
  const region = regionAsked(regions, order.region, "region");
  const now = await databaseNow(db);
  const fromMs = Math.max(now.getTime(), order.from?.getTime() ?? 0);
  const { mostDaysAhead } = limits.reservations ?? reservationBounds;
  if (fromMs > now.getTime() + mostDaysAhead * 24 * hourMs)
    throw invalid("from", `Must be at most ${mostDaysAhead} days ahead, as of a reservation.`);
  const toMs = order.to?.getTime() ?? fromMs + calendarDays.default * 24 * hourMs;
  if (toMs <= fromMs) throw invalid("to", "Must be in the future and after `from`.");
  if (toMs - fromMs > calendarDays.most * 24 * hourMs)
    throw invalid("to", `Must be at most ${calendarDays.most} days after \`from\`.`);
  const { handoverSeconds } = service.reservations ?? reservationSettings;
  const delays = { handoverMs: handoverSeconds * 1000, noticeMs: noticeMsOf(limits) };
  const candidates = await candidatesForNew(db, { product, region, bootSeconds: limits.bootSeconds }, delays);
  const names = region === undefined ? [...regions.keys()].sort() : [region];
  const times = timesOf(fromMs, toMs);
  const stay = { times, ...delays };
  const found: Calendar["regions"][number][] = [];
  for (const name of names) found.push({ region: name, steps: await stepsOf(candidates, product, name, stay) });
  return { product, regions: found };
}

/** The ends of the steps: each an hour or longer, all but the last of the same length. */
function timesOf(fromMs: number, toMs: number): number[] {
  const stepMs = Math.max(hourMs, Math.ceil((toMs - fromMs) / mostSteps / hourMs) * hourMs);
  const times = [fromMs];
  for (let at = fromMs + stepMs; at < toMs; at += stepMs) times.push(at);
  return [...times, toMs];
}

/** One step after the other, so that others have their turn between them: a fleet can have many hosts. */
async function stepsOf(
  { futures, waiting }: Candidates,
  product: InstanceType,
  region: string,
  { times, ...rest }: { readonly times: readonly number[] } & Pick<Stay, "handoverMs" | "noticeMs">,
): Promise<CalendarStep[]> {
  const here = futures.filter(({ host }) => host.region === region);
  const { still = [], changing = [] } = Object.groupBy(here, (future) =>
    waiting === undefined && isStill(future) ? "still" : "changing",
  );
  const fits = (some: readonly HostFuture[], stay: Stay) =>
    some.reduce((sum, future) => sum + howManyFit(slotRoom(future, stay, waiting), product), 0);
  const always = fits(still, { fromMs: times[0] ?? 0, endsMs: times.at(-1) ?? 0, ...rest });
  const steps: CalendarStep[] = [];
  for (const [index, fromMs] of times.slice(0, -1).entries()) {
    await setImmediate();
    const endsMs = times[index + 1] ?? fromMs;
    const available = always + fits(changing, { fromMs, endsMs, ...rest });
    const last = steps.at(-1);
    if (last?.available === available) steps.splice(-1, 1, { ...last, toMs: endsMs });
    else steps.push({ fromMs, toMs: endsMs, available });
  }
  return steps;
}

/** Whether it has the same at each moment. */
function isStill({ host, endings, windows }: HostFuture): boolean {
  return endings.length === 0 && windows.length === 0 && (host.promised ?? []).length === 0;
}
