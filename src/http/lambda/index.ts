// The lambda edition of variant R: what the public clients of that family speak. Differences from 1.0.3 stand in the
// decisions, The lambda edition; each was seen in a client.

import type { Api } from "../operations.ts";
import type { Variant } from "../variant.ts";
import { instanceRoutes } from "./instance-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import { operationRoutes } from "./operation-routes.ts";

export const lambda: Variant = {
  name: "lambda",
  title: "Lessor: reference, lambda edition",
  version: "1.8.3",
  description: "GPU virtual machines by the hour: the reference interface as the clients of its family know it.",
  tags: [
    { name: "Instance types", description: "What can be rented, at which price, where." },
    { name: "Instances", description: "What you rent." },
    { name: "Instance operations", description: "Launch, restart, terminate." },
    { name: "SSH keys", description: "Keys to log in with, attached at launch by name." },
  ],
  errorColumn: "lambda",
  routes(api: Api) {
    instanceRoutes(api);
    operationRoutes(api);
    keyRoutes(api);
  },
};
