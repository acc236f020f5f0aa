// How much of an instance type could be reserved over a time, step by step and region by region. Used by the control
// interface, for calendars.
//
// Invariant: what it shows of a step would be admitted for that step now (choose-hosts.ts), of one region. A longer
// reservation can need more than the least of its steps: what is free in each is not always on the same hosts.

import type { Database } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { reservationSettings } from "../../rules/reservations.ts";
import type { Stay } from "../capacity/host-future.ts";
import { howManyFit } from "../capacity/requirements.ts";
import { instanceTypesNamed, productNamed } from "../catalog/instance-type-store.ts";
import { allRegions, regionAsked } from "../catalog/region-store.ts";
import { invalid } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import { databaseNow } from "../maintenance/begin-end.ts";
import type { Service } from "../service.ts";
import { type Candidates, candidatesFor, slotRoom } from "./choose-hosts.ts";
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
  const toMs = order.to?.getTime() ?? fromMs + calendarDays.default * 24 * hourMs;
  if (toMs <= fromMs) throw invalid("to", "Must be in the future and after `from`.");
  if (toMs - fromMs > calendarDays.most * 24 * hourMs)
    throw invalid("to", `Must be at most ${calendarDays.most} days after \`from\`.`);
  const { handoverSeconds } = service.reservations ?? reservationSettings;
  const candidates = await candidatesFor(db, { product, region, bootSeconds: limits.bootSeconds });
  const names = region === undefined ? [...regions.keys()].sort() : [region];
  const times = timesOf(fromMs, toMs);
  return {
    product,
    regions: names.map((name) => ({
      region: name,
      steps: stepsOf(candidates, product, name, {
        times,
        handoverMs: handoverSeconds * 1000,
        noticeMs: noticeMsOf(limits),
      }),
    })),
  };
}

/** The ends of the steps: each an hour or longer, all but the last of the same length. */
function timesOf(fromMs: number, toMs: number): number[] {
  const stepMs = Math.max(hourMs, Math.ceil((toMs - fromMs) / mostSteps / hourMs) * hourMs);
  const times = [fromMs];
  for (let at = fromMs + stepMs; at < toMs; at += stepMs) times.push(at);
  return [...times, toMs];
}

function stepsOf(
  { futures, lines }: Candidates,
  product: InstanceType,
  region: string,
  { times, ...rest }: { readonly times: readonly number[] } & Pick<Stay, "handoverMs" | "noticeMs">,
): CalendarStep[] {
  const here = futures.filter(({ host }) => host.region === region);
  const steps: CalendarStep[] = [];
  times.slice(0, -1).forEach((fromMs, index) => {
    const endsMs = times[index + 1] ?? fromMs;
    const stay = { fromMs, endsMs, ...rest };
    const available = here.reduce((sum, future) => sum + howManyFit(slotRoom(future, { stay }, lines), product), 0);
    const last = steps.at(-1);
    if (last?.available === available) steps.splice(-1, 1, { ...last, toMs: endsMs });
    else steps.push({ fromMs, toMs: endsMs, available });
  });
  return steps;
}
