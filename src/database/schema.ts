// The tables of migrations/ for Kysely; their columns are in tables/. A column's type there is what `pg` returns with
// the parsers of connect.ts: int8 as number, numeric as string, timestamptz as Date, bytea as Buffer. schema.test.ts
// compares them with the migrated database.

import type {
  AccountsTable,
  AuditLogTable,
  ConsoleSessionsTable,
  SshKeysTable,
  TokensTable,
} from "./tables/accounts.ts";
import type {
  FileSystemsTable,
  FirewallRulesetsTable,
  FirewallRulesTable,
  RemovedFileSystemsTable,
} from "./tables/attachments.ts";
import type {
  BalanceNoticesTable,
  BillingCreditsTable,
  BillingSpansTable,
  BudgetAlertsTable,
  BudgetNoticesTable,
  ClosedMonthsTable,
  ExhaustedBalancesTable,
  SpendNoticesTable,
  StatementLinesTable,
} from "./tables/billing.ts";
import type { AnnouncedCapacityTable, CapacityNoticesTable } from "./tables/capacity-notices.ts";
import type { CouponsTable, ImagesTable, InstanceTypesTable, RegionsTable } from "./tables/catalog.ts";
import type { EmailsTable } from "./tables/emails.ts";
import type {
  AccountChangesTable,
  CatalogChangesTable,
  EventsTable,
  LogicalClockTable,
  WebhookDeliveriesTable,
  WebhookOriginsTable,
  WebhooksTable,
} from "./tables/events.ts";
import type {
  GuestMetricCollectorsTable,
  GuestMetricsRecentTable,
  GuestMetricsTable,
  IdleWatchesTable,
  InstanceGpuFaultsTable,
} from "./tables/guest-metrics.ts";
import type {
  ActiveGpusTable,
  GoneGpusTable,
  GpuFabricsTable,
  GpuPartitionsTable,
  GpuPoliciesTable,
  GpuPoolsTable,
  GpusTable,
  GpuTimesTable,
  GpuValidationsTable,
  HostFindingsTable,
  HostOutagesTable,
  HostRestartsTable,
  HostsTable,
  RemovedHostsTable,
} from "./tables/hosts.ts";
import type { InstancesTable, MovesTable, PastInstancesTable, UserDataTable } from "./tables/instances.ts";
import type {
  BillingDetailsTable,
  CorrectedReceiptsTable,
  InvoiceSeriesTable,
  InvoicesTable,
  InvoicingTable,
} from "./tables/invoices.ts";
import type { LaunchLinesTable, WaitingLaunchesTable } from "./tables/launches.ts";
import type { LedgerEntriesTable, LedgerLinesTable, VouchersTable } from "./tables/ledger.ts";
import type { MaintenanceWindowsTable } from "./tables/maintenance.ts";
import type { AutoTopUpsTable, PaymentCustomersTable, PaymentMethodsTable } from "./tables/payment-methods.ts";
import type {
  PaymentCursorsTable,
  PaymentRefundsTable,
  PaymentsTable,
  PaymentsTakenBackTable,
} from "./tables/payments.ts";
import type {
  DeviceSignInsTable,
  IdentitiesTable,
  InvitationsTable,
  MembershipsTable,
  PeopleTable,
  SignInAttemptsTable,
  SignInLinksTable,
  SignInRequestsTable,
} from "./tables/people.ts";
import type { ReservationHostsTable, ReservationsTable } from "./tables/reservations.ts";
import type {
  IdempotencyKeysTable,
  KeyRotationsTable,
  ReplicasTable,
  SealingKeysTable,
  SettingsTable,
} from "./tables/service.ts";

export interface Schema {
  settings: SettingsTable;
  accounts: AccountsTable;
  tokens: TokensTable;
  people: PeopleTable;
  memberships: MembershipsTable;
  invitations: InvitationsTable;
  device_sign_ins: DeviceSignInsTable;
  identities: IdentitiesTable;
  sign_in_attempts: SignInAttemptsTable;
  sign_in_links: SignInLinksTable;
  sign_in_requests: SignInRequestsTable;
  console_sessions: ConsoleSessionsTable;
  regions: RegionsTable;
  instance_types: InstanceTypesTable;
  images: ImagesTable;
  coupons: CouponsTable;
  instances: InstancesTable;
  moves: MovesTable;
  launch_lines: LaunchLinesTable;
  waiting_launches: WaitingLaunchesTable;
  capacity_notices: CapacityNoticesTable;
  announced_capacity: AnnouncedCapacityTable;
  reservations: ReservationsTable;
  reservation_hosts: ReservationHostsTable;
  guest_metrics_recent: GuestMetricsRecentTable;
  guest_metrics: GuestMetricsTable;
  idle_watches: IdleWatchesTable;
  guest_metric_collectors: GuestMetricCollectorsTable;
  instance_gpu_faults: InstanceGpuFaultsTable;
  user_data: UserDataTable;
  past_instances: PastInstancesTable;
  hosts: HostsTable;
  removed_hosts: RemovedHostsTable;
  maintenance_windows: MaintenanceWindowsTable;
  host_findings: HostFindingsTable;
  host_restarts: HostRestartsTable;
  host_outages: HostOutagesTable;
  gpu_pools: GpuPoolsTable;
  gpu_fabrics: GpuFabricsTable;
  gpu_partitions: GpuPartitionsTable;
  active_gpus: ActiveGpusTable;
  gpu_policies: GpuPoliciesTable;
  gpu_validations: GpuValidationsTable;
  gone_gpus: GoneGpusTable;
  gpu_times: GpuTimesTable;
  gpus: GpusTable;
  ssh_keys: SshKeysTable;
  file_systems: FileSystemsTable;
  removed_file_systems: RemovedFileSystemsTable;
  firewall_rules: FirewallRulesTable;
  firewall_rulesets: FirewallRulesetsTable;
  billing_spans: BillingSpansTable;
  billing_credits: BillingCreditsTable;
  spend_notices: SpendNoticesTable;
  budget_alerts: BudgetAlertsTable;
  budget_notices: BudgetNoticesTable;
  exhausted_balances: ExhaustedBalancesTable;
  balance_notices: BalanceNoticesTable;
  closed_months: ClosedMonthsTable;
  statement_lines: StatementLinesTable;
  ledger_entries: LedgerEntriesTable;
  ledger_lines: LedgerLinesTable;
  vouchers: VouchersTable;
  billing_details: BillingDetailsTable;
  invoicing: InvoicingTable;
  corrected_receipts: CorrectedReceiptsTable;
  invoice_series: InvoiceSeriesTable;
  invoices: InvoicesTable;
  payments: PaymentsTable;
  payments_taken_back: PaymentsTakenBackTable;
  payment_refunds: PaymentRefundsTable;
  payment_cursors: PaymentCursorsTable;
  payment_customers: PaymentCustomersTable;
  payment_methods: PaymentMethodsTable;
  auto_top_ups: AutoTopUpsTable;
  events: EventsTable;
  logical_clock: LogicalClockTable;
  account_changes: AccountChangesTable;
  catalog_changes: CatalogChangesTable;
  idempotency_keys: IdempotencyKeysTable;
  replicas: ReplicasTable;
  sealing_keys: SealingKeysTable;
  key_rotations: KeyRotationsTable;
  audit_log: AuditLogTable;
  webhooks: WebhooksTable;
  webhook_origins: WebhookOriginsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  emails: EmailsTable;
}
