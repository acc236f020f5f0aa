// The pages of customers.

import type { ConsolePage } from "./pages.ts";

/** Where the console opens for customers. */
export const renterHome = "/instances";

export const renterPages: readonly ConsolePage[] = [
  {
    path: "/launch",
    title: "Launch",
    navigation: { section: "", icon: "plus" },
    load: async () => (await import("./launch/launch-page.tsx")).LaunchPage,
  },
  {
    path: "/instances",
    title: "Instances",
    navigation: { section: "", icon: "instance" },
    load: async () => (await import("./instances/instances-page.tsx")).InstancesPage,
  },
  {
    path: "/instances/:id",
    title: "Instance",
    load: async () => (await import("./instances/instance-page.tsx")).InstancePage,
  },
  {
    path: "/reservations",
    title: "Reservations",
    navigation: { section: "", icon: "calendar" },
    load: async () => (await import("./reservations/reservations-page.tsx")).ReservationsPage,
  },
  {
    path: "/ssh-keys",
    title: "SSH keys",
    navigation: { section: "", icon: "key" },
    load: async () => (await import("./keys/keys-page.tsx")).KeysPage,
  },
  {
    path: "/file-systems",
    title: "File systems",
    navigation: { section: "", icon: "disk" },
    load: async () => (await import("./file-systems/file-systems-page.tsx")).FileSystemsPage,
  },
  {
    path: "/firewall",
    title: "Firewall",
    navigation: { section: "", icon: "firewall" },
    load: async () => (await import("./firewall/firewall-page.tsx")).FirewallPage,
  },
  {
    path: "/balance",
    title: "Balance",
    navigation: { section: "Costs", icon: "wallet" },
    load: async () => (await import("./balance/balance-page.tsx")).BalancePage,
  },
  {
    path: "/top-ups",
    title: "Top-ups",
    load: async () => (await import("./top-ups/top-ups-page.tsx")).TopUpsPage,
  },
  {
    path: "/payment-methods",
    title: "Payment methods",
    load: async () => (await import("./payment-methods/payment-methods-page.tsx")).PaymentMethodsPage,
  },
  {
    path: "/usage",
    title: "Usage",
    navigation: { section: "Costs", icon: "chart" },
    load: async () => (await import("./usage/usage-page.tsx")).UsagePage,
  },
  {
    path: "/invoices",
    title: "Invoices",
    navigation: { section: "Costs", icon: "receipt" },
    load: async () => (await import("./invoices/invoices-page.tsx")).InvoicesPage,
  },
  {
    path: "/billing-details",
    title: "Billing details",
    load: async () => (await import("./account/billing-details-page.tsx")).BillingDetailsPage,
  },
  {
    path: "/statements",
    title: "Statements",
    navigation: { section: "Costs", icon: "statement" },
    load: async () => (await import("./statements/statements-page.tsx")).StatementsPage,
  },
  {
    path: "/statements/:month",
    title: "Statement",
    load: async () => (await import("./statements/statement-page.tsx")).StatementPage,
  },
  {
    path: "/coupons",
    title: "Coupons",
    navigation: { section: "Costs", icon: "coupon" },
    load: async () => (await import("./coupons/coupons-page.tsx")).CouponsPage,
  },
  {
    path: "/account",
    title: "Account",
    navigation: { section: "Access", icon: "edit" },
    load: async () => (await import("./account/account-page.tsx")).AccountPage,
  },
  {
    path: "/team",
    title: "Team",
    navigation: { section: "Access", icon: "people" },
    load: async () => (await import("./team/team-page.tsx")).TeamPage,
  },
  {
    path: "/tokens",
    title: "Tokens",
    navigation: { section: "Access", icon: "token" },
    load: async () => (await import("./tokens/tokens-page.tsx")).TokensPage,
  },
  {
    path: "/device",
    title: "Sign in a command line",
    load: async () => (await import("./device/device-page.tsx")).DevicePage,
  },
  {
    path: "/sessions",
    title: "Sessions",
    load: async () => (await import("./sessions/sessions-page.tsx")).SessionsPage,
  },
  {
    path: "/webhooks",
    title: "Webhooks",
    navigation: { section: "Access", icon: "webhook" },
    load: async () => (await import("./webhooks/webhooks-page.tsx")).WebhooksPage,
  },
  {
    path: "/webhooks/:id",
    title: "Webhook",
    load: async () => (await import("./webhooks/webhook-page.tsx")).WebhookPage,
  },
  {
    path: "/events",
    title: "Events",
    navigation: { section: "History", icon: "event" },
    load: async () => (await import("./events/events-page.tsx")).EventsPage,
  },
  {
    path: "/audit-log",
    title: "Audit log",
    navigation: { section: "History", icon: "audit" },
    load: async () => (await import("./audit/audit-page.tsx")).AuditPage,
  },
];
