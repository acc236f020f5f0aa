// The lambda edition: its clients' names for the operations of the audit log, as one table: the resource and the action
// of each. A test compares it with the operations of all interfaces, so none is missing.

/** By operationId: resource and action. `several`: every UUID it is about, not only the first. */
export const auditCatalog: Readonly<Record<string, AuditEventKind>> = {
  launchInstances: { resource: "instance", action: "launched", makes: true, several: true },
  launchInstance: { resource: "instance", action: "launched", makes: true, several: true },
  restartInstances: { resource: "instance", action: "restarted", several: true },
  rebootInstance: { resource: "instance", action: "restarted" },
  restartInstance: { resource: "instance", action: "restarted" },
  stopInstance: { resource: "instance", action: "stopped" },
  terminateInstance: { resource: "instance", action: "terminated" },
  powerCycleInstances: { resource: "instance", action: "power_cycled", several: true },
  stopInstances: { resource: "instance", action: "stopped", several: true },
  terminateInstances: { resource: "instance", action: "terminated", several: true },
  renameInstance: { resource: "instance", action: "updated" },
  cancelLaunch: { resource: "launch", action: "cancelled" },
  createCapacityNotice: { resource: "capacity_notice", action: "created", makes: true },
  deleteCapacityNotice: { resource: "capacity_notice", action: "deleted" },
  createReservation: { resource: "reservation", action: "created", makes: true },
  cancelReservation: { resource: "reservation", action: "cancelled" },
  reportFault: { resource: "instance", action: "fault_reported" },
  changeInstance: { resource: "instance", action: "updated" },
  addSshKey: { resource: "ssh_key", action: "created", makes: true },
  deleteSshKey: { resource: "ssh_key", action: "deleted" },
  createFileSystem: { resource: "filesystem", action: "created", makes: true },
  deleteFileSystem: { resource: "filesystem", action: "deleted" },
  createStoredFileSystem: { resource: "filesystem", action: "created", makes: true },
  deleteStoredFileSystem: { resource: "filesystem", action: "deleted" },
  replaceFirewallRules: { resource: "firewall_rules", action: "updated" },
  changeGlobalFirewallRuleset: { resource: "firewall_rules", action: "updated" },
  createFirewallRuleset: { resource: "firewall_ruleset", action: "created", makes: true },
  changeFirewallRuleset: { resource: "firewall_ruleset", action: "updated" },
  deleteFirewallRuleset: { resource: "firewall_ruleset", action: "deleted" },
  createToken: { resource: "api_key", action: "created", makes: true },
  changeToken: { resource: "api_key", action: "updated" },
  revokeToken: { resource: "api_key", action: "deleted" },
  validateToken: { resource: "api_key", action: "validated" },
  createAccountToken: { resource: "api_key", action: "created", makes: true },
  changeAccountToken: { resource: "api_key", action: "updated", below: "account" },
  revokeAccountToken: { resource: "api_key", action: "deleted", below: "account" },
  changeMember: { resource: "member", action: "updated" },
  removeMember: { resource: "member", action: "deleted" },
  createInvitation: { resource: "invitation", action: "created", makes: true },
  createAccountInvitation: { resource: "invitation", action: "created", makes: true },
  revokeInvitation: { resource: "invitation", action: "deleted" },
  endSession: { resource: "session", action: "deleted" },
  endOtherSessions: { resource: "session", action: "deleted" },
  switchTeam: { resource: "session", action: "updated" },
  acceptInvitation: { resource: "invitation", action: "accepted" },
  createAccount: { resource: "account", action: "created", makes: true },
  changeOwnAccount: { resource: "account", action: "updated" },
  sendTestEmail: { resource: "email", action: "tested", makes: true },
  changeAccount: { resource: "account", action: "updated" },
  createTopUp: { resource: "payment", action: "created", makes: true },
  refundPayment: { resource: "payment", action: "refunded" },
  putAutoTopUp: { resource: "auto_top_up", action: "updated" },
  deleteAutoTopUp: { resource: "auto_top_up", action: "deleted" },
  createBudgetAlert: { resource: "budget_alert", action: "created", makes: true },
  deleteBudgetAlert: { resource: "budget_alert", action: "deleted" },
  createPaymentMethod: { resource: "payment_method", action: "created", makes: true },
  deletePaymentMethod: { resource: "payment_method", action: "deleted" },
  topUpAccount: { resource: "account", action: "topped_up" },
  refundAccount: { resource: "account", action: "refunded" },
  adjustBalance: { resource: "account", action: "balance_adjusted" },
  changeOwnBillingDetails: { resource: "account", action: "updated" },
  changeBillingDetails: { resource: "account", action: "updated" },
  issueCreditNote: { resource: "invoice", action: "credited", makes: true },
  createVoucher: { resource: "voucher", action: "created", makes: true },
  deleteVoucher: { resource: "voucher", action: "deleted" },
  redeemVoucher: { resource: "voucher", action: "redeemed" },
  retrieveCoupon: { resource: "coupon", action: "read" },
  validateCoupon: { resource: "coupon", action: "validated" },
  putCoupon: { resource: "coupon", action: "updated" },
  deleteCoupon: { resource: "coupon", action: "deleted" },
  createWebhook: { resource: "webhook", action: "created", makes: true },
  changeWebhook: { resource: "webhook", action: "updated" },
  deleteWebhook: { resource: "webhook", action: "deleted" },
  rotateWebhookSecret: { resource: "webhook", action: "secret_rotated" },
  testWebhook: { resource: "webhook", action: "tested" },
  resendWebhookDelivery: { resource: "webhook", action: "delivery_resent" },
  putRegion: { resource: "region", action: "updated" },
  deleteRegion: { resource: "region", action: "deleted" },
  putHost: { resource: "host", action: "updated" },
  deleteHost: { resource: "host", action: "deleted" },
  cordonHost: { resource: "host", action: "cordoned" },
  uncordonHost: { resource: "host", action: "uncordoned" },
  moveInstance: { resource: "instance", action: "move_requested" },
  drainHost: { resource: "host", action: "drained" },
  declareHostLost: { resource: "host", action: "declared_lost" },
  quarantineGpu: { resource: "host", action: "gpu_quarantined" },
  validateGpu: { resource: "host", action: "gpu_validated" },
  retestGpu: { resource: "host", action: "gpu_retested" },
  releaseGpu: { resource: "host", action: "gpu_released" },
  putGpuPolicy: { resource: "gpu_policy", action: "updated" },
  deleteGpuPolicy: { resource: "gpu_policy", action: "deleted" },
  fenceHost: { resource: "host", action: "fenced" },
  scheduleMaintenance: { resource: "maintenance_window", action: "scheduled", makes: true, several: true },
  changeMaintenance: { resource: "maintenance_window", action: "updated" },
  deleteMaintenance: { resource: "maintenance_window", action: "ended" },
  deferMaintenance: { resource: "maintenance_window", action: "deferred" },
  changeHost: { resource: "host", action: "described" },
  putInstanceType: { resource: "instance_type", action: "updated" },
  deleteInstanceType: { resource: "instance_type", action: "deleted" },
  putImage: { resource: "image", action: "updated" },
  deleteImage: { resource: "image", action: "deleted" },
  addFault: { resource: "fault", action: "created", makes: true },
  removeFault: { resource: "fault", action: "deleted" },
  removeAllFaults: { resource: "fault", action: "deleted" },
  failSimulatedHost: { resource: "host", action: "failed" },
  reviveSimulatedHost: { resource: "host", action: "revived" },
  rotateEncryption: { resource: "encryption", action: "rotated" },
  retireEncryptionKey: { resource: "encryption", action: "key_retired" },
};

export interface AuditEventKind {
  readonly resource: string;
  readonly action: string;
  /** It is about what it creates. */
  readonly makes?: true;
  readonly several?: true;
  /** Its path names this first, and then the resource itself. */
  readonly below?: string;
}

/** Updated when an existing entry of the table changes. */
export const catalogVersion = "2026-11-26";

/** Every resource type, each once, as filters name them. */
export const resources: readonly string[] = [
  ...new Set(Object.values(auditCatalog).map(({ resource }) => `cloud.${resource}`)),
];

/** The operations on this resource type; undefined: unknown type. */
export function operationsAbout(resourceType: string): string[] | undefined {
  const found = Object.entries(auditCatalog).filter(([, { resource }]) => `cloud.${resource}` === resourceType);
  return found.length === 0 ? undefined : found.map(([operation]) => operation);
}

/** An operation that the table does not have: one of an older version, which may still have entries. */
export const otherKind: AuditEventKind = { resource: "other", action: "changed" };
