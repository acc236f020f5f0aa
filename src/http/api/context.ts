// What every interface of the HTTP room is given, and what a request carries through its hooks.

import type { Logger } from "pino";
import type { InterfaceName } from "../../config/interfaces.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../database/connect.ts";
import type { StorageState } from "../../database/storage.ts";
import type { Encryption } from "../../encryption/encryption.ts";
import type { HostRegistries } from "../../rental/capacity/host-registry.ts";
import type { Principal, Service } from "../../rental/service.ts";
import type { Authorize } from "../auth/authorize.ts";
import type { CachedResponses } from "../cached/cached-responses.ts";
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
    | "jupyterUrlTemplate"
    | "lambda"
    | "metricsPort"
  >;
  readonly db: Database;
  readonly service: Service;
  readonly log: Logger;
  readonly gate: Authorize;
  /** Where a declared host comes into being, by the name of its engine. */
  readonly hostRegistries: HostRegistries;
  /** The consoles of machines, and terminals in them. */
  readonly machines: Machines;
  /** The terminals that are open. */
  readonly terminals: Terminals;
  /** The encryption keys of this server. */
  readonly encryption: Encryption;
  /** The operationIds of whatever changes something, of all interfaces, also of those that are switched off. */
  readonly changes: readonly string[];
  /** The OpenAPI documents of the interfaces that are mounted. */
  readonly documents: PublishedDocuments;
  /** Answers to reads that are shown again while they hold. */
  readonly kept: CachedResponses;
  /** The fields of launches of all interfaces, likewise. */
  readonly launchFields: readonly string[];
  /** Where launches are done together. */
  readonly launches: Launches;
  /** The streams of events. */
  readonly eventHub: EventHub;
  /** Whether the database has space to write; undefined: nothing is known of it. */
  readonly storage: StorageState | undefined;
  /** Aborted when the server begins to stop: what would answer for ever (a stream) ends then. */
  readonly closing: AbortSignal;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Who asks, once the gate has let the request in. */
    principal: Principal | null;
    /** Whose token came with the request, let in or not; null where no account has that token. */
    presentedBy: Principal | null;
    /** Where it comes from (client-address.ts); "" before that is known. */
    clientAddress: string;
    /** The audit log has the request, or is not to have it. */
    audited: boolean;
    /** The wire code of the error it is answered with. */
    refusedWith: string | null;
  }
  interface FastifyContextConfig {
    /** The statuses that errors of this route have. */
    errorColumn?: StatusColumn;
    /** The interface that it is of: suggestions name its lists. */
    interface?: InterfaceName;
    /** Requests to it are counted for no address. */
    uncounted?: boolean;
    /** Fields of its body that text.ts leaves alone. */
    ownText?: readonly string[];
    /** How much its body may be above what every body may. */
    moreBodyBytes?: number;
    /** How large its body may be, where that is less than others may be. */
    mostBodyBytes?: number;
  }
}
