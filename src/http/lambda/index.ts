// The lambda edition of variant R: what the public clients of that family speak. Differences from 1.0.3 stand in the
// decisions, The lambda edition; each was seen in a client.

import type { Api } from "../api/operations.ts";
import type { Variant } from "../api/variant.ts";
import { auditRoutes } from "./audit-routes.ts";
import { fileSystemRoutes } from "./file-system-routes.ts";
import { firewallRoutes } from "./firewall-routes.ts";
import { imageRoutes } from "./image-routes.ts";
import { instanceRoutes } from "./instance-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import { operationRoutes } from "./operation-routes.ts";

export const lambda: Variant = {
  name: "lambda",
  title: "Lessor: reference, lambda edition",
  version: "1.8.3",
  description:
    "GPU virtual machines by the hour: the reference interface as the clients of its family know it. A token that is " +
    "pinned to version 1.0.3 is shown instances and instance types with exactly the fields of that version, and errors " +
    "with `code`, `message` and `suggestion` only.",
  tags: [
    { name: "Instance types", description: "What can be rented, at which price, where." },
    { name: "Instances", description: "What you rent." },
    { name: "Instance operations", description: "Launch, restart, power-cycle, terminate." },
    { name: "Images", description: "What instances boot." },
    { name: "File systems", description: "Persistent volumes, mounted into instances at launch." },
    { name: "Firewall", description: "What may come in to your instances." },
    { name: "Audit events", description: "Who changed what, and what was refused." },
    { name: "SSH keys", description: "Keys to log in with, attached at launch by name." },
  ],
  errorColumn: "lambda",
  pin: "1.0.3",
  routes(api: Api) {
    instanceRoutes(api);
    imageRoutes(api);
    operationRoutes(api);
    fileSystemRoutes(api);
    keyRoutes(api);
    firewallRoutes(api);
    auditRoutes(api);
  },
};
