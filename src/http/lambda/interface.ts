// The lambda edition of variant R: the API of that family's public clients. The decisions, The lambda edition, list its
// differences from 1.0.3; each was observed in a client.

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
    "GPU virtual machines by the hour: the reference interface as its clients expect it. A token that is " +
    "pinned to version 1.0.3 is shown instances and instance types with exactly the fields of that version, and errors " +
    "with `code`, `message` and `suggestion` only.",
  tags: [
    { name: "Instance types", description: "Available instance types, prices and regions." },
    { name: "Instances", description: "Your instances." },
    { name: "Instance operations", description: "Launch, restart, power-cycle, terminate." },
    { name: "Images", description: "Boot images of instances." },
    { name: "File systems", description: "Persistent volumes, mounted into instances at launch." },
    { name: "Firewall", description: "Inbound traffic to your instances." },
    { name: "Audit events", description: "Changes and rejected requests." },
    { name: "SSH keys", description: "SSH login keys, named at launch." },
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
