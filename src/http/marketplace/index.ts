// Variant M, for marketplaces: interface version 1.0.0. Specification, "Endpoints, variant M".

import type { Api } from "../api/operations.ts";
import type { Variant } from "../api/variant.ts";
import { instanceRoutes } from "./instance-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import { operationRoutes } from "./operation-routes.ts";

export const marketplace: Variant = {
  name: "marketplace",
  title: "Lessor: marketplace",
  version: "1.0.0",
  description: "GPU virtual machines by the hour, for marketplaces that integrate this inventory (variant M).",
  tags: [
    { name: "Instance types", description: "What can be rented, at which price, where." },
    { name: "Instances", description: "What you rent." },
    { name: "Instance operations", description: "Launch, stop, restart, terminate." },
    { name: "SSH keys", description: "Keys to log in with, attached at launch by name." },
  ],
  errorColumn: "otherwise",
  schemaSuffix: "V1",
  routes(api: Api) {
    instanceRoutes(api);
    operationRoutes(api);
    keyRoutes(api);
  },
};
