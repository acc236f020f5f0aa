// The control interface: for operators, and for an account about itself. Source: decisions, The control API. REST with
// a `data` envelope; names are keys, and PUT creates or replaces, so that a catalog can be applied repeatedly. Every
// success is 200. Operations for operators only require the scope `operator`.

import type { Api } from "../api/operations.ts";
import type { Variant } from "../api/variant.ts";
import { accountRoutes } from "./accounts/accounts.ts";
import { ownAccount, ownAccountRoutes } from "./accounts/own-account.ts";
import { accountTokenRoutes } from "./accounts/tokens.ts";
import { accountLedgerRoutes } from "./billing/account-ledger.ts";
import { budgetAlertRoutes } from "./billing/budget-alerts.ts";
import { couponRoutes } from "./billing/coupons.ts";
import { ledgerRoutes } from "./billing/ledger.ts";
import { statementRoutes } from "./billing/statements.ts";
import { usageRoutes } from "./billing/usage.ts";
import { usagePartRoutes } from "./billing/usage-parts.ts";
import { voucherRoutes } from "./billing/vouchers.ts";
import { imageRoutes } from "./catalog/images.ts";
import { instanceTypeRoutes } from "./catalog/instance-types.ts";
import { offerRoutes } from "./catalog/offers.ts";
import { regionRoutes } from "./catalog/regions.ts";
import { emailRoutes } from "./emails/emails.ts";
import { auditRoutes } from "./events/audit.ts";
import { eventStreamRoutes } from "./events/event-stream.ts";
import { eventRoutes } from "./events/events.ts";
import { webhookDeliveryRoutes } from "./events/webhook-deliveries.ts";
import { webhookRoutes } from "./events/webhooks.ts";
import { gpuRoutes } from "./gpus/gpus.ts";
import { gpuPartitionRoutes } from "./gpus/partitions.ts";
import { gpuPolicyRoutes } from "./gpus/policies.ts";
import { capacityRoutes } from "./hosts/capacity.ts";
import { encryptionRoutes } from "./hosts/encryption.ts";
import { engineRoutes } from "./hosts/engines.ts";
import { fenceRoutes } from "./hosts/fence.ts";
import { hostRoutes } from "./hosts/hosts.ts";
import { lostHostRoutes } from "./hosts/lost.ts";
import { maintenanceRoutes } from "./hosts/maintenance.ts";
import { replicaRoutes } from "./hosts/replicas.ts";
import { consoleLogRoutes } from "./instances/console-log.ts";
import { instanceRoutes } from "./instances/instances.ts";
import { launchRoutes } from "./instances/launch.ts";
import { instanceMetricsRoutes } from "./instances/metrics.ts";
import { moveRoutes } from "./instances/move.ts";
import { instanceOperationRoutes } from "./instances/operations.ts";
import { reportFaultRoutes } from "./instances/report-fault.ts";
import { terminalRoutes } from "./instances/terminal.ts";
import { accountingRoutes } from "./invoices/accounting.ts";
import { billingDetailRoutes } from "./invoices/billing-details.ts";
import { invoiceRoutes } from "./invoices/invoices.ts";
import { capacityNoticeRoutes } from "./launches/capacity-notices.ts";
import { launchListRoutes } from "./launches/launches.ts";
import { autoTopUpRoutes } from "./payments/auto-top-ups.ts";
import { paymentMethodRoutes } from "./payments/method-routes.ts";
import { paymentRoutes } from "./payments/payments.ts";
import { refundRoutes } from "./payments/refunds.ts";
import { topUpRoutes } from "./payments/top-ups.ts";
import { invitationRoutes } from "./people/invitations.ts";
import { memberRoutes } from "./people/members.ts";
import { sessionRoutes } from "./people/sessions.ts";
import { reservationRoutes } from "./reservations/reservations.ts";
import { simulatorRoutes } from "./simulator/faults.ts";
import { fileSystemRoutes } from "./storage-and-access/file-systems.ts";
import { firewallRoutes } from "./storage-and-access/firewall.ts";
import { sshKeyRoutes } from "./storage-and-access/ssh-keys.ts";

export { ownAccount };

export function controlRoutes(api: Api): void {
  ownAccountRoutes(api);
  memberRoutes(api);
  invitationRoutes(api);
  sessionRoutes(api);
  sshKeyRoutes(api);
  fileSystemRoutes(api);
  firewallRoutes(api);
  offerRoutes(api);
  instanceRoutes(api);
  launchRoutes(api);
  launchListRoutes(api);
  capacityNoticeRoutes(api);
  reservationRoutes(api);
  instanceOperationRoutes(api);
  moveRoutes(api);
  reportFaultRoutes(api);
  consoleLogRoutes(api);
  instanceMetricsRoutes(api);
  terminalRoutes(api);
  usageRoutes(api);
  usagePartRoutes(api);
  budgetAlertRoutes(api);
  statementRoutes(api);
  ledgerRoutes(api);
  billingDetailRoutes(api);
  invoiceRoutes(api);
  accountingRoutes(api);
  topUpRoutes(api);
  paymentMethodRoutes(api);
  autoTopUpRoutes(api);
  paymentRoutes(api);
  refundRoutes(api);
  eventRoutes(api);
  eventStreamRoutes(api);
  webhookRoutes(api);
  webhookDeliveryRoutes(api);
  auditRoutes(api);
  accountRoutes(api);
  accountTokenRoutes(api);
  accountLedgerRoutes(api);
  regionRoutes(api);
  hostRoutes(api);
  lostHostRoutes(api);
  fenceRoutes(api);
  maintenanceRoutes(api);
  gpuRoutes(api);
  gpuPartitionRoutes(api);
  gpuPolicyRoutes(api);
  engineRoutes(api);
  instanceTypeRoutes(api);
  imageRoutes(api);
  couponRoutes(api);
  voucherRoutes(api);
  capacityRoutes(api);
  encryptionRoutes(api);
  replicaRoutes(api);
  emailRoutes(api);
  simulatorRoutes(api);
}

export const control: Variant = {
  name: "control",
  title: "Lessor: control",
  version: "1.0.0",
  description:
    "For operators (tokens with the scope `operator`), and for an account about itself (`read`, `write`). Names are keys: " +
    "PUT creates or replaces, and omitted fields get their defaults. Every success is 200. Lists are complete, or " +
    "paged with `?limit=&cursor=` and a `Link` header.",
  tags: [
    { name: "Your account", description: "Your account and its tokens." },
    { name: "People", description: "People of your team, their roles and invitations, and your sessions." },
    { name: "SSH keys", description: "SSH keys of your account, named at launch." },
    { name: "File systems", description: "Persistent volumes of your account." },
    { name: "Firewall", description: "Inbound traffic to your instances." },
    { name: "Offers", description: "Available instance types and their prices." },
    { name: "Instances", description: "Instances with all their fields." },
    { name: "Launches", description: "Launches that wait until they can be placed." },
    { name: "Capacity notices", description: "Events when there is capacity again." },
    { name: "Reservations", description: "Capacity that is promised to your account for a time." },
    { name: "Usage", description: "Usage and its cost, and your balance." },
    { name: "Invoices", description: "Invoices, receipts and credit notes, and what they state of you." },
    { name: "Payments", description: "Payments through the payment provider." },
    { name: "Events", description: "Events of your account." },
    { name: "Webhooks", description: "Events sent to you, signed." },
    { name: "Audit log", description: "Changes and rejected requests." },
    { name: "Accounts", description: "Operators: customer accounts, their quotas and tokens." },
    { name: "Regions", description: "Operators: locations of hosts." },
    { name: "Hosts", description: "Operators: GPU servers, and the engines that run machines on them." },
    { name: "Instance types", description: "Operators: sizes and prices of instances." },
    { name: "Images", description: "Boot images of instances, managed by operators." },
    { name: "Coupons", description: "Operators: discount codes." },
    { name: "Vouchers", description: "Codes that are worth money, created by operators." },
    { name: "Capacity", description: "Operators: why instances fit or do not fit." },
    { name: "Encryption", description: "Operators: the keys of data encrypted at rest." },
    { name: "Servers", description: "Operators: running replicas of this service." },
    { name: "Emails", description: "Operators: emails to accounts, and a test." },
    { name: "Simulator", description: "Operators: faults of the simulated engine." },
  ],
  errorColumn: "otherwise",
  takesCookie: true,
  routes: controlRoutes,
};
