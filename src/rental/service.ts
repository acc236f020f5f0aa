// What every rental function gets besides its transaction: the caller (Principal) and the service's settings (Service).

import type { FaultReportSettings } from "../rules/fault-reports.ts";
import type { BalanceSettings } from "../rules/payment-terms.ts";
import type { ReservationBounds, ReservationSettings } from "../rules/reservations.ts";
import type { OperatorRole, TeamRole } from "../rules/roles.ts";
import type { SpotSettings } from "../rules/spot.ts";
import type { WaitBounds } from "../rules/waiting-launches.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { CapacityCache } from "./capacity/cache.ts";
import type { InsufficientCapacity } from "./capacity/insufficient-capacity.ts";
import type { WebhookSettings } from "./webhooks/settings.ts";

export type Scope = "read" | "write" | "operator";

/** The account and token of a request. Created by http/auth from a valid token. */
export interface Principal {
  readonly accountId: string;
  readonly tokenId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Whose token it is, with the role when it was looked up; absent: the team's own. */
  readonly person?: { readonly id: string; readonly role: TeamRole };
  /** What it may with the scope `operator`; absent: everything. */
  readonly operatorRole?: OperatorRole;
  /** It acts for sessions of a person who signed in. */
  readonly signedIn?: true;
  /** The console's session of the request; absent: it had a token. */
  readonly sessionId?: string;
}

/** Limits that an operator can set (config `limits`, `defaults`). */
export interface RentalLimits {
  /** The largest quantity of one launch. */
  readonly maxQuantity: number;
  /** How long a terminated instance stays on the lists of M and R, in seconds. */
  readonly terminatedVisibleSeconds: number;
  /** How long a single read finds a terminated instance, in days. */
  readonly terminatedReadableDays: number;
  /** Time between two checks of spend limits: a launch reserves its cost for that time. */
  readonly limitCheckSeconds: number;
  /** Of accounts that pay before or up to a credit line. Default settings if undefined. */
  readonly balance?: BalanceSettings;
  /** Of launches that wait. Default settings if undefined. */
  readonly waiting?: WaitBounds;
  /** Of spot instances. Default settings if undefined. */
  readonly spot?: SpotSettings;
  /** Of reservations. Default settings if undefined. */
  readonly reservations?: ReservationBounds;
  /** How long a boot takes at most. Undefined: the default. */
  readonly bootSeconds?: number;
}

export interface Service {
  readonly keyRing: KeyRing;
  readonly limits: RentalLimits;
  /** Capacity for listings. */
  readonly capacity: CapacityCache;
  /** Notified of launches without capacity. */
  readonly noRoom?: InsufficientCapacity;
  /** Engines that are known not to filter inbound traffic: rules that would are rejected for instances there. */
  readonly enginesWithoutFirewall?: () => ReadonlySet<string>;
  /** Engines that can move machines between hosts. Undefined: all of them. */
  readonly enginesThatMove?: () => ReadonlySet<string>;
  /** Those of them that keep no copy of a machine where it was moved from. Undefined: none. */
  readonly enginesOfOneCopy?: () => ReadonlySet<string>;
  /** What reports of faulty GPUs lead to. Default settings if undefined. */
  readonly faultReports?: FaultReportSettings;
  /** Default settings if undefined. */
  readonly reservations?: ReservationSettings;
  /** Default settings if undefined. */
  readonly webhooks?: WebhookSettings;
}
