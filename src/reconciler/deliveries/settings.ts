// How deliveries are set. What an operator may choose comes from config.ts; the rest is open to tests.

import { defaultWebhookSettings } from "../../rental/webhooks/index.ts";

export interface DeliverySettings {
  /** Whether addresses that are not public are delivered to. False. */
  readonly allowPrivateTargets: boolean;
  /** Networks that are never delivered to, private targets or not (rental/webhooks/address-rule.ts). */
  readonly deniedNetworks?: readonly string[];
  /** After so long without any success a webhook is switched off. A day. */
  readonly disableAfterSeconds: number;
  /** How long after each failure the next attempt comes, give or take a quarter; after the last one it has failed. */
  readonly retrySeconds: readonly number[];
  /** After so many failures in a row a webhook, or an origin that cannot be reached, is paused. 5. */
  readonly failuresBeforePause: number;
  /** How long: at first, doubled with each more failure, and at most. 5 and 300. */
  readonly pauseSeconds: readonly [first: number, most: number];
  /** How long an attempt may take, from the name's look-up to the head of the answer. 15. */
  readonly attemptSeconds: number;
  /** An attempt that takes longer counts as slow: its webhook goes on among those in trouble. 2. */
  readonly slowSeconds: number;
  /** How often is looked for work that no hint told of. 4. */
  readonly pollSeconds: number;
  /** How many webhooks one server works on at once, of those in order and of those in trouble (each). 32. */
  readonly turns: number;
  /** How many attempts of one webhook run at once, while it is in order and while it is in trouble. 8 and 2. */
  readonly attemptsAtOnce: readonly [inOrder: number, inTrouble: number];
  /** How many events are read at once. 200. */
  readonly page: number;
  /** So many deliveries of one webhook may wait; while they do, its cursor stands. 10000. */
  readonly window: number;
  /** How long a server that fell silent keeps a webhook. 5. */
  readonly leaseSeconds: number;
}

/** 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, 6 h, 10 h: 11 attempts within a day. */
const overADay = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 21_600, 36_000];

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
