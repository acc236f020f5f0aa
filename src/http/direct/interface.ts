// Variant D, direct on-demand. Specification, "Endpoints, variant D"; its paths, and five more operations that its
// ecosystem calls: decisions, section 8.

import type { Api } from "../api/operations.ts";
import type { Variant } from "../api/variant.ts";
import { accountRoutes } from "./account-routes.ts";
import { couponRoutes } from "./coupon-routes.ts";
import { instanceRoutes } from "./instance-routes.ts";
import { operationRoutes } from "./operation-routes.ts";

export const direct: Variant = {
  name: "direct",
  title: "Lessor: direct on-demand",
  version: "1",
  description:
    "GPU virtual machines by the hour, rented directly (variant D). For clients of other documents of this interface, there " +
    "are tokens with `compatibility_version: vendor-1.0`: `password`, prices and recharge amounts are strings for them, " +
    "`discountPercent` is a fraction as a string, `productDetails` is one list, and a restart reboots a running instance.",
  tags: [
    { name: "Inventory", description: "Available instance types, prices, regions and images." },
    { name: "Instances", description: "Launch, read, restart, terminate." },
    { name: "Coupons", description: "Discount codes." },
    { name: "SSH keys", description: "SSH login keys, named at launch." },
    { name: "Account", description: "Your token and how you are billed." },
  ],
  errorColumn: "otherwise",
  pin: "vendor-1.0",
  routes(api: Api) {
    instanceRoutes(api);
    operationRoutes(api);
    couponRoutes(api);
    accountRoutes(api);
  },
};
