// The web console, on the port of the control interface, the only one it uses: its page and files, sign-in and
// sign-out. The browser gets its data from the control interface, with the session's cookie (../auth/authorize.ts).
//
// Not an interface: it has no document, and a program can do everything here with a token. Imports the core of http and
// no interface; it receives its account data.

import type { FastifyInstance } from "fastify";
import type { Mount } from "../../config/interfaces.ts";
import { validatorCompiler } from "../api/validation.ts";
import { answerForHost, hostNameOf } from "../edge/virtual-host.ts";
import { BuiltFiles, builtConsole } from "./built-files.ts";
import { pageRoutes } from "./page-routes.ts";
import { type SessionParts, sessionRoutes } from "./session-routes.ts";

/** `mount`: of the control interface, which the console is beside. */
export interface ConsoleDependencies extends Omit<SessionParts, "controlUrl"> {
  readonly mount: Mount;
  /** Of the same port. */
  readonly mounts: readonly Mount[];
  /** The directory of the built console; default: where the build puts it. */
  readonly directory?: string | undefined;
}

/** Declares the console's routes, for the host name of the control interface. */
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
