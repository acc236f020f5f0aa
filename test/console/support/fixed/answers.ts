// What the fixed world answers to each read of the control API that the console makes. Held against the interface's
// document by fixed-world.test.ts, so that pictures show what the service could say.

import { accounts, encryption, ownAccount, replicas, sessions, tokens } from "./accounts.ts";
import { coupons, images, instanceTypes, regions } from "./catalog.ts";
import { firewallRules, firewallRulesets } from "./firewall.ts";
import { hosts, partition, quarantinedGpus, shownInstances } from "./fleet.ts";
import { billingDetails, invoices } from "./invoices.ts";
import { autoTopUp, balance, budgetAlerts, ledger, paymentMethods, topUps, vouchers } from "./ledger.ts";
import { windows } from "./maintenance.ts";
import { instanceMetrics } from "./metrics.ts";
import { idOf } from "./moments.ts";
import { statementOf, statements, totalOf, usageDays, usageLines, usageMonths } from "./money.ts";
import { payments, refunds } from "./payments.ts";
import { invitations, members } from "./people.ts";
import { auditEntries, deliveries, deliveryInFull, events, fileSystems, sshKeys, webhooks } from "./records.ts";
import { calendar, reservationQuote, reservations } from "./reservations.ts";
import { capacity, engines, offers, quote } from "./room.ts";

/** A body by path and query; undefined: there is no such thing. */
export function answerTo(path: string, query: URLSearchParams): unknown {
  const list = lists[path];
  if (list !== undefined) return list(query);
  const [, room = "", key = "", part = "", last = ""] = path.split("/");
  const name = decodeURIComponent(key);
  const one = (found: unknown) => (found === undefined ? undefined : { data: found });
  switch (`${room}${part === "" ? "" : `/${part}`}`) {
    case "instances":
      return one(shownInstances.find(({ id }) => id === name));
    case "instances/console-log":
      return { data: { text: bootLog, truncated: false } };
    case "instances/metrics":
      return { data: instanceMetrics() };
    case "hosts":
      return one(hosts.find((host) => host.name === name));
    case "reservations":
      return one(reservations.find(({ id }) => id === name));
    case "accounts":
      return one(accounts.find(({ id }) => id === name));
    case "accounts/tokens":
      return { data: tokens };
    case "accounts/members":
      return { data: members };
    case "accounts/balance":
      return { data: balance };
    case "accounts/ledger":
      return { data: ledger };
    case "payment-methods":
      return one(paymentMethods.find(({ id }) => id === name));
    case "top-ups":
      return one(topUps.find(({ id }) => id === name));
    case "payments/refunds":
      return { data: refunds };
    case "invoices/pdf":
      return {};
    case "webhooks":
      return one(webhooks.find(({ id }) => id === name));
    case "webhooks/deliveries":
      return last === "" ? { data: deliveries } : { data: deliveryInFull };
    case "statements":
      return one(statementOf(name));
    default:
      return undefined;
  }
}

/** Paths that the document has one of each of, for the test that holds the answers to it. */
export const samplePaths: readonly string[] = [
  `/instances/${idOf("instance", 1)}`,
  `/instances/${idOf("instance", 1)}/console-log`,
  `/instances/${idOf("instance", 1)}/metrics`,
  `/hosts/${hosts[0]?.name}`,
  `/reservations/${idOf("reservation", 1)}`,
  `/accounts/${idOf("account", 2)}`,
  `/accounts/${idOf("account", 2)}/tokens`,
  `/accounts/${idOf("account", 2)}/members`,
  `/accounts/${idOf("account", 2)}/balance`,
  `/accounts/${idOf("account", 2)}/ledger`,
  `/top-ups/${idOf("payment", 11)}`,
  `/payments/${idOf("payment", 1)}/refunds`,
  `/payment-methods/${idOf("method", 1)}`,
  `/webhooks/${idOf("webhook", 1)}`,
  `/webhooks/${idOf("webhook", 1)}/deliveries`,
  `/webhooks/${idOf("webhook", 1)}/deliveries/${idOf("delivery", 1)}`,
  "/statements/2026-02",
];

export const lists: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
  "/account": () => ({ data: ownAccount }),
  "/account/billing-details": () => ({ data: billingDetails }),
  "/accounts": () => ({ data: accounts }),
  "/audit-log": () => ({ data: auditEntries }),
  "/auto-top-up": () => ({ data: autoTopUp }),
  "/balance": () => ({ data: balance }),
  "/capacity": () => ({ data: capacity }),
  "/budget-alerts": () => ({ data: budgetAlerts }),
  "/capacity-notices": () => ({ data: [] }),
  "/coupons": () => ({ data: coupons }),
  "/emails": () => ({ data: [] }),
  "/encryption": () => ({ data: encryption }),
  "/engines": () => ({ data: engines }),
  "/events": () => ({ data: events, next_cursor: "7731.4", has_more: false }),
  "/file-systems": () => ({ data: fileSystems }),
  "/firewall-rules": () => ({ data: firewallRules }),
  "/firewall-rulesets": () => ({ data: firewallRulesets }),
  "/gpu-partitions": (query) => ({ data: query.get("host") === partition.host ? [partition] : [] }),
  "/gpus": (query) => ({
    data: quarantinedGpus.filter(({ host }) => query.get("host") === null || host === query.get("host")),
  }),
  "/hosts": (query) => ({ data: hosts.filter(withFinding(query.get("health"))) }),
  "/images": () => ({ data: images }),
  "/instance-types": () => ({ data: instanceTypes }),
  "/instances": (query) => ({ data: shownInstances.filter(fitting(query)) }),
  "/invitations": () => ({ data: invitations }),
  "/invoices": (query) => ({ data: invoices.filter(invoiceFitting(query)) }),
  "/launches": () => ({ data: [] }),
  "/ledger": () => ({ data: ledger }),
  "/maintenance-windows": () => ({ data: windows }),
  "/members": () => ({ data: members }),
  "/offers": () => ({ data: offers }),
  "/payment-methods": () => ({ data: paymentMethods }),
  "/quote": (query) => ({ data: quote(query) }),
  "/payments": () => ({ data: payments }),
  "/reservation-calendar": () => ({ data: calendar }),
  "/reservation-quote": () => ({ data: reservationQuote }),
  "/reservations": (query) => ({ data: reservations.filter(ofAccount(query)) }),
  "/regions": () => ({ data: regions }),
  "/replicas": () => ({ data: replicas }),
  "/sessions": () => ({ data: sessions }),
  "/ssh-keys": () => ({ data: sshKeys }),
  "/statements": () => ({ data: statements }),
  "/teams": () => ({ data: [{ id: ownAccount.id, name: ownAccount.name, role: "owner" }] }),
  "/tokens": () => ({ data: tokens }),
  "/top-ups": () => ({ data: topUps }),
  "/usage": (query) => totalled(usageLines.filter(ofAccount(query))),
  "/usage/days": (query) => totalled(usageDays.filter(ofAccount(query))),
  "/usage/months": (query) => totalled(usageMonths.filter(ofAccount(query))),
  "/vouchers": () => ({ data: vouchers }),
  "/webhooks": () => ({ data: webhooks }),
};

function fitting(query: URLSearchParams) {
  const status = query.get("status");
  const isTroubled = query.get("troubled") === "true";
  return (one: (typeof shownInstances)[number]) =>
    ofAccount(query)(one) && (status === null || one.status === status) && (!isTroubled || one.trouble !== null);
}

function invoiceFitting(query: URLSearchParams) {
  const [kind, month] = [query.get("kind"), query.get("month")];
  return (one: (typeof invoices)[number]) =>
    (kind === null || one.kind === kind) && (month === null || one.month === month);
}

function withFinding(wanted: string | null) {
  return ({ health }: (typeof hosts)[number]) => wanted === null || health.some(({ severity }) => severity === wanted);
}

function ofAccount(query: URLSearchParams) {
  const asked = query.get("account_id");
  return (one: { readonly account_id: string }) => asked === null || one.account_id === asked;
}

const totalled = <T extends { readonly cost_micro_cents: string }>(data: readonly T[]) => ({
  data,
  total: totalOf(data),
});

const bootLog = `[    0.000000] Linux version 6.8.0-52-generic
[    1.204518] nvidia: loading out-of-tree module
[    4.871002] cloud-init[812]: Cloud-init v. 24.4 running 'modules:final'
[    6.002311] systemd[1]: Started OpenSSH server.
`;
