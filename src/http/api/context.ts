// What every HTTP interface receives, and what a request carries through its hooks.

import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { InterfaceName } from "../../config/interfaces.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../database/connect.ts";
import type { StorageState } from "../../database/storage.ts";
import type { Encryption } from "../../encryption/encryption.ts";
import type { Fencing } from "../../fencing/fence.ts";
import type { Payments } from "../../payments/driver.ts";
import type { HostRegistries } from "../../rental/capacity/host-registry.ts";
import type { Principal, Service } from "../../rental/service.ts";
import type { Authorize } from "../auth/authorize.ts";
import type { CachedResponses } from "../cached/cached-responses.ts";
import type { Simulator } from "../control/simulator/simulator.ts";
import type { RateLimits } from "../edge/rate-limit.ts";
import type { StatusColumn } from "../errors/table.ts";
import type { PublishedDocuments } from "../help/site.ts";
import type { Launches } from "../launching/launches.ts";
import type { EventHub } from "../live/streams/hub.ts";
import type { Terminals } from "../live/terminals/terminals.ts";
import type { Machines } from "./machines.ts";

export interface HttpContext {
  readonly config: Pick<
    Config,
    | "host"
    | "listeners"
    | "trustedProxies"
    | "engines"
    | "limits"
    | "defaults"
    | "invoices"
    | "jupyterUrlTemplate"
    | "lambda"
    | "metricsPort"
    | "email"
    | "signIn"
  >;
  readonly db: Database;
  readonly service: Service;
  readonly log: Logger;
  readonly gate: Authorize;
  /** Whether a request comes with the console's session. */
  readonly hasSession: (request: FastifyRequest) => boolean;
  /** Where sign-in links are shown instead of sent: the demo. Undefined: nowhere. */
  readonly demoLinks: DemoLinks | undefined;
  /** Limits requests that need no token, as those without a valid one. */
  readonly failures: Pick<RateLimits, "refuseAfterFailures" | "noteFailure">;
  /** Where hosts are registered, by the name of their engine. */
  readonly hostRegistries: HostRegistries;
  /** The simulated engine; undefined: there is none. */
  readonly simulator: Simulator | undefined;
  /** Turns hosts off. */
  readonly fencing: Fencing;
  /** Undefined: no payments are taken. */
  readonly payments: Payments | undefined;
  /** The consoles of machines, and their terminals. */
  readonly machines: Machines;
  /** The open terminals. */
  readonly terminals: Terminals;
  /** The encryption keys of this replica. */
  readonly encryption: Encryption;
  /** The operationIds of all changing operations of all interfaces, including disabled ones. */
  readonly changes: readonly string[];
  /** The OpenAPI documents of the interfaces that are mounted. */
  readonly documents: PublishedDocuments;
  /** Cached responses to reads. */
  readonly cached: CachedResponses;
  /** The launch fields of all interfaces, including disabled ones. */
  readonly launchFields: readonly string[];
  /** Runs launches in shared transactions. */
  readonly launches: Launches;
  /** The streams of events. */
  readonly eventHub: EventHub;
  /** Whether the database has space to write; undefined if unknown. */
  readonly storage: StorageState | undefined;
  /** Aborted when the server begins to stop: endless responses (streams) end then. */
  readonly closing: AbortSignal;
}

export interface DemoLinks {
  readonly consoleUrl: () => string;
  readonly show: (link: string) => void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The caller, once the request is authorized. */
    principal: Principal | null;
    /** The owner of the token in the request, authorized or not; null for an unknown token. */
    presentedBy: Principal | null;
    /** The client's address (client-address.ts); "" before it is known. */
    clientAddress: string;
    /** The audit log has an entry for the request, or must not have one. */
    audited: boolean;
    /** The wire code of the error in its response. */
    refusedWith: string | null;
  }
  interface FastifyContextConfig {
    /** The statuses of this route's errors. */
    errorColumn?: StatusColumn;
    /** Its interface: suggestions name that interface's lists. */
    interface?: InterfaceName;
    /** Requests to it do not count toward the limit of an address. */
    uncounted?: boolean;
    /** Fields of its body that text.ts does not check. */
    ownText?: readonly string[];
    /** How far its body may exceed the general limit. */
    moreBodyBytes?: number;
    /** The limit of its body, where it is below the general one. */
    mostBodyBytes?: number;
    /** Its body is the bytes as they came. */
    rawBody?: boolean;
  }
}
