// The schema of lessor.yaml: one TypeBox schema with a description for every value, in the words of the error message
// ("limits.max_quantity must be <description>"). Defaults are in config.ts, beside those of the environment.
// Used by config/file.ts.

import { type Static, Type } from "typebox";
import { engineSchemas } from "../engines/kinds.ts";
import {
  leastLifetimeSeconds,
  mostLifetimeSeconds,
  mostQuantity,
  mostSpendLimitCents,
} from "../rules/account-limits.ts";
import { downtimePolicies } from "../rules/downtime.ts";
import { mostCreditLineCents, paymentTerms } from "../rules/payment-terms.ts";
import { choice, group, integer, onOff, seconds, text } from "../settings/schema-parts.ts";
import { BalanceSchema } from "./balance.ts";
import { EmailSchema } from "./email.ts";
import { FencingSchema } from "./fencing.ts";
import { GpusSchema } from "./gpus.ts";
import { InvoicesSchema } from "./invoices.ts";
import { PaymentsSchema } from "./payments.ts";
import { ReservationBoundsSchema, ReservationsSchema } from "./reservations.ts";
import { SignInSchema } from "./sign-in.ts";
import { WebhooksSchema } from "./webhooks.ts";

const placed = {
  enabled: onOff(),
  prefix: text('a path such as /api/v1, in quotes when it is empty ("")'),
  host_name: text("a host name"),
  port: integer(0, 65_535),
};
const terminatedVisible = () => integer(0, 31_536_000);
const place = () => Type.Optional(group(placed));
const lambda = () =>
  Type.Optional(group({ ...placed, restart_reboots: onOff(), terminated_visible_seconds: terminatedVisible() }));

/** The largest file system that any interface creates. */
const mostFileSystemGb = 1_000_000;
/** The largest value of a PostgreSQL integer, which quotas are. */
const databaseInteger = 2_147_483_647;

export const FileSchema = group({
  port: integer(0, 65_535),
  host: text("an IP address or a host name"),
  reference_port: integer(0, 65_535),
  metrics_port: integer(0, 65_535),
  drain_delay_seconds: seconds(0, 300),
  data_dir: text("a path"),
  database_url: text("a postgres:// URL"),
  operator_token: text("a string (in quotes if it looks like a number)"),
  demo: onOff(),
  encryption_key: text("a string (in quotes if it looks like a number)"),
  log_level: text("the name of a level, such as info"),
  trusted_proxies: Type.Optional(
    Type.Array(Type.String(), { description: "a list of IP addresses and networks, each in quotes" }),
  ),
  interfaces: Type.Optional(
    group({ marketplace: place(), direct: place(), reference: place(), lambda: lambda(), control: place() }),
  ),
  limits: Type.Optional(
    group({
      max_quantity: integer(1, mostQuantity),
      requests_per_minute_per_token: integer(1, 100_000_000),
      requests_per_minute_per_address: integer(1, 100_000_000),
      failed_authentications_per_minute_per_address: integer(1, 100_000_000),
      requests_under_way: integer(1, 100_000),
      connections: integer(10, 1_000_000),
      connections_per_address: integer(1, 1_000_000),
      audit_days: integer(1, 36_500),
      event_days: integer(1, 36_500),
      terminated_visible_seconds: terminatedVisible(),
      terminated_readable_days: integer(0, 3650),
      body_bytes: integer(1024, 1_073_741_824),
      waiting_launches: Type.Optional(
        group({ max_days: integer(1, 3650), per_account: integer(0, 100_000), fair_share: onOff() }),
      ),
      spot: Type.Optional(group({ notice_seconds: integer(0, 86_400) })),
      reservations: ReservationBoundsSchema,
    }),
  ),
  defaults: Type.Optional(
    group({
      quotas: Type.Optional(
        group({
          instances: integer(0, databaseInteger),
          gpus: integer(0, databaseInteger),
          vcpus: integer(0, databaseInteger),
          ssh_keys: integer(0, databaseInteger),
          file_systems: integer(0, databaseInteger),
        }),
      ),
      spend_limit_cents: integer(0, mostSpendLimitCents),
      payment_terms: choice(paymentTerms),
      credit_line_cents: integer(0, mostCreditLineCents),
      max_lifetime_seconds: integer(leastLifetimeSeconds, mostLifetimeSeconds),
      file_system_gb: integer(1, mostFileSystemGb),
    }),
  ),
  reconciler: Type.Optional(
    group({
      concurrency: integer(1, 10_000),
      lease_seconds: seconds(1, 3600),
      boot_deadline_seconds: seconds(1, 86_400),
      limit_check_seconds: seconds(1, 3600),
    }),
  ),
  downtime: Type.Optional(
    group({
      policy: choice(downtimePolicies),
      tolerance_seconds: seconds(0, 86_400),
    }),
  ),
  balance: BalanceSchema,
  reservations: ReservationsSchema,
  fencing: FencingSchema,
  gpus: GpusSchema,
  webhooks: WebhooksSchema,
  email: EmailSchema,
  sign_in: SignInSchema,
  invoices: InvoicesSchema,
  payments: PaymentsSchema,
  jupyter_url_template: text("a URL"),
  ...engineSchemas,
});

/** A lessor.yaml that passed the schema. Its strings are not parsed yet (config/values.ts). */
export type FileSettings = Static<typeof FileSchema>;
