// The settings of accounts that pay before or up to a credit line (lessor.yaml `balance`). Schema and parsed form. Used by
// config.ts and file-schema.ts.

import { type Static, Type } from "typebox";
import {
  type BalanceSettings,
  balanceSettings,
  defaultTerms,
  exhaustedPolicies,
  type PaymentTerms,
  type Terms,
  termsProblem,
} from "../rules/payment-terms.ts";
import { ConfigError } from "../settings/error.ts";
import { choice, group, integer } from "../settings/schema-parts.ts";

export const BalanceSchema = Type.Optional(
  group({
    launch_seconds: integer(1, 2_592_000),
    when_exhausted: choice(exhaustedPolicies),
    grace_seconds: integer(0, 2_592_000),
    keep_stopped_seconds: integer(0, 31_536_000),
  }),
);

export function resolveBalance(settings: Static<typeof BalanceSchema> | undefined): BalanceSettings {
  return {
    launchSeconds: settings?.launch_seconds ?? balanceSettings.launchSeconds,
    whenExhausted: settings?.when_exhausted ?? balanceSettings.whenExhausted,
    graceSeconds: settings?.grace_seconds ?? balanceSettings.graceSeconds,
    keepStoppedSeconds: settings?.keep_stopped_seconds ?? balanceSettings.keepStoppedSeconds,
  };
}

interface TermSettings {
  readonly payment_terms?: PaymentTerms;
  readonly credit_line_cents?: number;
}

/** How new accounts pay. Throws ConfigError. */
export function resolveTerms(defaults: TermSettings | undefined, fileName: string): Terms {
  const terms = {
    paymentTerms: defaults?.payment_terms ?? defaultTerms,
    creditLineCents: defaults?.credit_line_cents ?? null,
  };
  if (termsProblem(terms) === undefined) return terms;
  throw new ConfigError(
    `defaults.credit_line_cents in ${fileName} must not be set: a prepaid account has no credit line.`,
  );
}
