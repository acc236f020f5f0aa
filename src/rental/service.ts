// What every rental function is given besides its transaction: who asks (Tenant) and how this service is set (Service).

import type { KeyRing } from "../secrets/key-ring.ts";
import type { CapacityCache } from "./capacity/cache.ts";
import type { InsufficientCapacity } from "./capacity/insufficient-capacity.ts";
import type { WebhookSettings } from "./webhooks/settings.ts";

export type Scope = "read" | "write" | "operator";

/** The account and token on whose behalf something is done. Made by http/auth from a valid token. */
export interface Principal {
  readonly accountId: string;
  readonly tokenId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** Bounds that an operator may set (config `limits`, `defaults`). */
export interface RentalLimits {
  /** The largest quantity of one launch. */
  readonly maxQuantity: number;
  /** How long a terminated instance stays on the lists of M and R, in seconds. */
  readonly terminatedVisibleSeconds: number;
  /** How long a single read finds a terminated instance, in days. */
  readonly terminatedReadableDays: number;
  /** How long it is between two checks of spend limits: a launch reserves its cost for that time. */
  readonly limitCheckSeconds: number;
}

export interface Service {
  readonly keyRing: KeyRing;
  readonly limits: RentalLimits;
  /** The room there is, for listings. */
  readonly capacity: CapacityCache;
  /** Told of launches that find no room. */
  readonly noRoom?: InsufficientCapacity;
  /** Engines that cannot filter what comes in, as far as they know by now: rules that would are refused for instances there. */
  readonly enginesWithoutFirewall?: () => ReadonlySet<string>;
  /** As by default unless told. */
  readonly webhooks?: WebhookSettings;
}
