// The web console, on the port that has the control interface, which is all it talks to: signing in and out. What it shows
// is asked of the control interface by the browser, with the session's cookie (../auth/gate.ts).
//
// Not an interface: it has no document, and nothing that a program could not do with a token. Imports the core of http and
// no interface; what it says of an account it is handed.

import type { FastifyInstance } from "fastify";
import type { Mount } from "../../config.ts";
import { validatorCompiler } from "../validation.ts";
import { answerForHost } from "../virtual-host.ts";
import { type SessionParts, sessionRoutes } from "./session-routes.ts";

export { consoleOperations } from "./audit.ts";

/** What the console is served with. `mount`: of the control interface, beside which it is. */
export interface ConsoleParts extends Omit<SessionParts, "controlUrl"> {
  readonly mount: Mount;
}

/** Declares the console's routes, for the host name that the control interface answers for. */
export async function consoleRoutes(server: FastifyInstance, { mount, ...parts }: ConsoleParts): Promise<void> {
  await server.register(async (scope) => {
    if (mount.hostName !== undefined) answerForHost(scope, mount.hostName);
    scope.setValidatorCompiler(validatorCompiler);
    sessionRoutes(scope, { ...parts, controlUrl: mount.prefix });
  });
}
