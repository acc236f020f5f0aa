// The web console, on the port that has the control interface, which is all it talks to: its page and files, and signing in
// and out. What it shows is asked of the control interface by the browser, with the session's cookie (../auth/authorize.ts).
//
// Not an interface: it has no document, and nothing that a program could not do with a token. Imports the core of http and
// no interface; what it says of an account it is handed.

import type { FastifyInstance } from "fastify";
import type { Mount } from "../../config/interfaces.ts";
import { validatorCompiler } from "../api/validation.ts";
import { answerForHost, hostNameOf } from "../edge/virtual-host.ts";
import { BuiltFiles, builtConsole } from "./built-files.ts";
import { pageRoutes } from "./page-routes.ts";
import { type SessionParts, sessionRoutes } from "./session-routes.ts";

/** What the console is served with. `mount`: of the control interface, beside which it is. */
export interface ConsoleDependencies extends Omit<SessionParts, "controlUrl"> {
  readonly mount: Mount;
  /** Of the same port. */
  readonly mounts: readonly Mount[];
  /** Where the built console is; by default where the build puts it. */
  readonly directory?: string | undefined;
}

/** Declares the console's routes, for the host name that the control interface answers for. */
export async function consoleRoutes(server: FastifyInstance, parts: ConsoleDependencies): Promise<void> {
  const { mount, mounts, directory = builtConsole() } = parts;
  const files = new BuiltFiles(directory);
  await server.register(async (scope) => {
    if (mount.hostName !== undefined) answerForHost(scope, mount.hostName);
    scope.setValidatorCompiler(validatorCompiler);
    sessionRoutes(scope, { ...parts, controlUrl: mount.prefix });
    pageRoutes(scope, files, ({ headers, url }) => {
      if (mount.hostName !== undefined && hostNameOf(headers.host) !== mount.hostName) return false;
      return !mounts.some(({ prefix }) => prefix !== "" && url.startsWith(`${prefix}/`));
    });
  });
}
