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
    { name: "Instance types", description: "Available instance types, prices and regions." },
    { name: "Instances", description: "Your instances." },
    { name: "Instance operations", description: "Launch, stop, restart, terminate." },
    { name: "SSH keys", description: "SSH login keys, named at launch." },
  ],
  errorColumn: "otherwise",
  schemaSuffix: "V1",
  routes(api: Api) {
    instanceRoutes(api);
    operationRoutes(api);
    keyRoutes(api);
  },
};
