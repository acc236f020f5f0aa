// The pages of operators, for sessions whose token has that scope. Used by ../pages.ts.

import type { ConsolePage } from "../pages.ts";
import type { IconName } from "../shared/icon.tsx";

/** Where the console opens for operators. */
export const operatorHome = "/operator/fleet";

/** Of the navigation. */
const section = "Operator";

type Load = ConsolePage["load"];

const shown = (path: string, title: string, icon: IconName, load: Load): ConsolePage => ({
  path,
  title,
  navigation: { section, icon },
  scope: "operator",
  load,
});

/** Reached from another page. */
const inner = (path: string, title: string, load: Load): ConsolePage => ({ path, title, scope: "operator", load });

export const operatorPages: readonly ConsolePage[] = [
  shown(operatorHome, "Fleet", "fleet", async () => (await import("./fleet/fleet-page.tsx")).FleetPage),
  shown(
    "/operator/capacity",
    "Capacity",
    "capacity",
    async () => (await import("./capacity/capacity-page.tsx")).CapacityPage,
  ),
  shown(
    "/operator/machines",
    "All instances",
    "machine",
    async () => (await import("./machines/all-machines-page.tsx")).AllMachinesPage,
  ),
  inner(
    "/operator/machines/:id",
    "Instance",
    async () => (await import("./machines/any-machine-page.tsx")).AnyMachinePage,
  ),
  shown(
    "/operator/trouble",
    "Needs attention",
    "warning",
    async () => (await import("./trouble/trouble-page.tsx")).TroublePage,
  ),
  shown("/operator/engines", "Engines", "engine", async () => (await import("./engines/engines-page.tsx")).EnginesPage),
  shown(
    "/operator/accounts",
    "Accounts",
    "people",
    async () => (await import("./accounts/accounts-page.tsx")).AccountsPage,
  ),
  inner("/operator/accounts/:id", "Account", async () => (await import("./accounts/account-page.tsx")).AccountPage),
  shown(
    "/operator/catalogue",
    "Catalog",
    "catalogue",
    async () => (await import("./catalog/catalog-page.tsx")).CatalogPage,
  ),
  shown("/operator/coupons", "Coupons", "coupon", async () => (await import("./coupons/coupons-page.tsx")).CouponsPage),
  shown("/operator/revenue", "Revenue", "chart", async () => (await import("./revenue/revenue-page.tsx")).RevenuePage),
  shown(
    "/operator/servers",
    "Replicas",
    "machine",
    async () => (await import("./servers/servers-page.tsx")).ServersPage,
  ),
  shown(
    "/operator/audit-log",
    "All audit entries",
    "audit",
    async () => (await import("./audit/audit-page.tsx")).AuditPage,
  ),
];
