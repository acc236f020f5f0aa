// The results of audited requests as labels and colors. Single source for the audit logs of customers and of operators.

import type { Shape } from "../../../src/client/client.ts";

export type AuditResult = Shape<"AuditEntry">["result"];

export const auditResults: Readonly<Record<AuditResult, { readonly label: string; readonly color: string }>> = {
  done: { label: "Done", color: "green" },
  replayed: { label: "Replayed", color: "gray" },
  refused: { label: "Rejected", color: "amber" },
  failed: { label: "Failed", color: "red" },
};

/** For a Select, in the order of the table. */
export const auditResultChoices = (Object.keys(auditResults) as AuditResult[]) // as declared
  .map((value) => ({ value, label: auditResults[value].label }));
