// What every interface of the HTTP room is given, and what a request carries through its hooks.

import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Database } from "../database/connect.ts";
import type { HostWorlds } from "../rental/capacity/host-world.ts";
import type { Service, Tenant } from "../rental/service.ts";
import type { Gate } from "./auth/gate.ts";
import type { StatusColumn } from "./errors/table.ts";

export interface HttpContext {
  readonly config: Pick<Config, "host" | "listeners" | "limits" | "defaults" | "jupyterUrlTemplate">;
  readonly db: Database;
  readonly service: Service;
  readonly log: Logger;
  readonly gate: Gate;
  /** Where a declared host comes into being, by the name of its engine. */
  readonly hostWorlds: HostWorlds;
  /** Aborted when the server begins to stop: what would answer for ever (a stream) ends then. */
  readonly closing: AbortSignal;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Who asks, once the gate has let the request in. */
    tenant: Tenant | null;
  }
  interface FastifyContextConfig {
    /** The statuses that errors of this route have. */
    errorColumn?: StatusColumn;
    /** Fields of its body that text.ts leaves alone. */
    ownText?: readonly string[];
  }
}
