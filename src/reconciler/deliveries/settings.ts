// Settings of webhook deliveries. Operators set some in config.ts; the rest can be set in tests. Emails are retried at the
// same times.

import { type RawBuilder, sql } from "kysely";
import { defaultWebhookSettings } from "../../rental/webhooks/settings.ts";

export interface DeliverySettings {
  /** Whether to deliver to addresses that are not public. False. */
  readonly allowPrivateTargets: boolean;
  /** Networks that are never delivered to, even with private targets allowed (rental/webhooks/address-rule.ts). */
  readonly deniedNetworks?: readonly string[];
  /** A webhook is disabled after this time without success. A day. */
  readonly disableAfterSeconds: number;
  /** Delay before each retry, with 25% jitter; after the last one the delivery has failed. */
  readonly retrySeconds: readonly number[];
  /** Consecutive failures before a webhook or an unreachable origin is paused. 5. */
  readonly failuresBeforePause: number;
  /** Length of the first pause, doubled with each further failure, and the maximum. 5 and 300. */
  readonly pauseSeconds: readonly [first: number, most: number];
  /** Deadline of an attempt, from name resolution to the response head. 15. */
  readonly attemptSeconds: number;
  /** A slower attempt makes its webhook a troubled one. 2. */
  readonly slowSeconds: number;
  /** Poll interval. 4. */
  readonly pollSeconds: number;
  /** Webhooks that one replica works on at once, of the healthy and of the troubled ones each. 32. */
  readonly turns: number;
  /** Concurrent attempts of one healthy and one troubled webhook. 8 and 2. */
  readonly attemptsAtOnce: readonly [inOrder: number, inTrouble: number];
  /** Events per read. 200. */
  readonly page: number;
  /** Deliveries of one webhook that can wait; at the limit its cursor stops. 10000. */
  readonly window: number;
  /** How long a silent replica keeps a webhook. 5. */
  readonly leaseSeconds: number;
}

/** When to retry after a delay, with 25% jitter, so that what failed together is not retried together. */
export function retryAt(seconds: number): RawBuilder<Date> {
  return sql<Date>`now() + make_interval(secs => ${seconds}::float8 * (0.75 + random() / 2))`;
}

/** 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, 6 h, 10 h: 11 attempts within a day. */
export const overADay: readonly number[] = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 21_600, 36_000];

export function deliveryDefaults(settings: Partial<DeliverySettings>): DeliverySettings {
  const { allowPrivateTargets, disableAfterSeconds } = defaultWebhookSettings;
  return {
    allowPrivateTargets,
    disableAfterSeconds,
    retrySeconds: overADay,
    failuresBeforePause: 5,
    pauseSeconds: [5, 300],
    attemptSeconds: 15,
    slowSeconds: 2,
    pollSeconds: 4,
    turns: 32,
    attemptsAtOnce: [8, 2],
    page: 200,
    window: 10_000,
    leaseSeconds: 5,
    ...settings,
  };
}
