// The pages that need the scope `operator`.

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
    "/operator/instances",
    "All instances",
    "instance",
    async () => (await import("./instances/all-instances-page.tsx")).AllInstancesPage,
  ),
  inner(
    "/operator/instances/:id",
    "Instance",
    async () => (await import("./instances/any-instance-page.tsx")).AnyInstancePage,
  ),
  shown(
    "/operator/needs-attention",
    "Needs attention",
    "warning",
    async () => (await import("./needs-attention/needs-attention-page.tsx")).NeedsAttentionPage,
  ),
  shown(
    "/operator/maintenance",
    "Maintenance",
    "calendar",
    async () => (await import("./maintenance/maintenance-page.tsx")).MaintenancePage,
  ),
  shown(
    "/operator/reservations",
    "All reservations",
    "calendar",
    async () => (await import("./reservations/all-reservations-page.tsx")).AllReservationsPage,
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
    "/operator/payments",
    "Payments",
    "wallet",
    async () => (await import("./payments/payments-page.tsx")).PaymentsPage,
  ),
  shown(
    "/operator/invoices",
    "All invoices",
    "statement",
    async () => (await import("./invoices/all-invoices-page.tsx")).AllInvoicesPage,
  ),
  shown(
    "/operator/catalog",
    "Catalog",
    "catalog",
    async () => (await import("./catalog/catalog-page.tsx")).CatalogPage,
  ),
  shown("/operator/coupons", "Coupons", "coupon", async () => (await import("./coupons/coupons-page.tsx")).CouponsPage),
  shown(
    "/operator/vouchers",
    "Vouchers",
    "coupon",
    async () => (await import("./vouchers/vouchers-page.tsx")).VouchersPage,
  ),
  shown("/operator/revenue", "Revenue", "chart", async () => (await import("./revenue/revenue-page.tsx")).RevenuePage),
  shown(
    "/operator/replicas",
    "Replicas",
    "instance",
    async () => (await import("./replicas/replicas-page.tsx")).ReplicasPage,
  ),
  shown(
    "/operator/audit-log",
    "All audit entries",
    "audit",
    async () => (await import("./audit/audit-page.tsx")).AuditPage,
  ),
];
