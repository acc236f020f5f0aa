// Variant R, the reference interface, version 1.0.3. Specification, "Endpoints, variant R" and "Errors".

import type { Api } from "../api/operations.ts";
import type { Variant } from "../api/variant.ts";
import { instanceRoutes } from "./instance-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import { operationRoutes } from "./operation-routes.ts";

export const reference: Variant = {
  name: "reference",
  title: "Lessor: reference",
  version: "1.0.3",
  description:
    "GPU virtual machines by the hour: the reference interface (variant R). A token that is pinned to version 1.0.3 is " +
    "shown exactly these fields, and errors with `code`, `message` and `suggestion` only.",
  tags: [
    { name: "Instance types", description: "Available instance types, prices and regions." },
    { name: "Instances", description: "Your instances." },
    { name: "Instance operations", description: "Launch, restart, terminate." },
    { name: "SSH keys", description: "SSH login keys, named at launch." },
  ],
  errorColumn: "reference",
  pin: "1.0.3",
  routes(api: Api) {
    instanceRoutes(api);
    operationRoutes(api);
    keyRoutes(api);
  },
};
