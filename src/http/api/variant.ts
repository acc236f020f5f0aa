// An interface as the server mounts it: its identity, routes, OpenAPI document and documentation page.

import type { FastifyInstance } from "fastify";
import type { InterfaceName, Mount } from "../../config/interfaces.ts";
import type { CompatibilityVersion } from "../../rules/compatibility-versions.ts";
import { declaredRoutes, refuseShadowedMethods } from "../edge/unknown-paths.ts";
import { answerForHost } from "../edge/virtual-host.ts";
import type { StatusColumn } from "../errors/table.ts";
import { docsPage } from "../openapi/docs-page.ts";
import type { HttpContext } from "./context.ts";
import { type Api, createApi } from "./operations.ts";
import { validatorCompiler } from "./validation.ts";

export interface Variant {
  readonly name: InterfaceName;
  readonly title: string;
  /** The version of the interface, not of the program. */
  readonly version: string;
  /** For its documentation page. */
  readonly description: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly errorColumn: StatusColumn;
  /** The version whose pin changes its responses (compatibility.ts). Default: none. */
  readonly pin?: CompatibilityVersion;
  /** Whether the web console's cookie authorizes requests (auth/authorize.ts). Default: no. */
  readonly takesCookie?: boolean;
  /** The suffix of its schemas' names. Default: none. */
  readonly schemaSuffix?: string;
  readonly routes: (api: Api) => void;
}

/** Serves `variant` at `mount`: its operations, and `/openapi.json` and `/docs` beside them. */
export async function mountVariant(
  server: FastifyInstance,
  variant: Variant,
  mount: Mount,
  context: HttpContext,
): Promise<void> {
  await server.register(
    async (scope) => {
      if (mount.hostName !== undefined) answerForHost(scope, mount.hostName);
      scope.setValidatorCompiler(validatorCompiler);
      const declared = declaredRoutes(scope);
      variant.routes(createApi(scope, context, variant));
      refuseShadowedMethods(scope, declared);
      docsPage(scope, variant, mount, declared, context);
    },
    { prefix: mount.prefix },
  );
}
