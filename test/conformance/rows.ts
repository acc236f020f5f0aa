// Every row of every table of the specification and of the decisions, as data with a stable id (`spec/instance-m/status`),
// and the one way to test them: `claim` takes a whole table and registers one test for each of its rows. So a row that
// nobody tests does not compile and does not run, and rows.test.ts finds a table that no test file claims.

import { describe, it } from "vitest";
import * as decided from "./rows/decided.ts";
import * as endpoints from "./rows/endpoints.ts";
import * as resources from "./rows/resources.ts";
import * as specification from "./rows/specification.ts";

export const tables = {
  "spec/variants": specification.variants,
  "spec/service": specification.service,
  "spec/instance-type": resources.instanceType,
  "spec/instance-type-sentences": resources.instanceTypeSentences,
  "spec/instance-m": resources.instanceM,
  "spec/instance-m-sentences": resources.instanceMSentences,
  "spec/instance-r": resources.instanceR,
  "spec/instance-d": resources.instanceD,
  "spec/instance-d-sentences": resources.instanceDSentences,
  "spec/ssh-key": resources.sshKey,
  "spec/ssh-key-sentences": resources.sshKeySentences,
  "spec/coupon": resources.coupon,
  "spec/coupon-sentences": resources.couponSentences,
  "spec/transitions": specification.transitions,
  "spec/status-values": specification.statusValues,
  "spec/endpoints-m": endpoints.endpointsM,
  "spec/launch-m": endpoints.launchM,
  "spec/sentences-m": endpoints.sentencesM,
  "spec/endpoints-d": endpoints.endpointsD,
  "spec/launch-d": endpoints.launchD,
  "spec/endpoints-r": endpoints.endpointsR,
  "spec/launch-r": endpoints.launchR,
  "spec/authentication": specification.authentication,
  "spec/errors-r": specification.errorsR,
  "spec/error-rules": specification.errorRules,
  "spec/limits": specification.limits,
  "spec/versioning": specification.versioning,
  "decided/operations": decided.operations,
  "decided/batches": decided.batches,
  "decided/words": decided.words,
  "decided/visibility": decided.visibility,
  "decided/launch": decided.launch,
  "decided/money": decided.money,
  "decided/keys": decided.keys,
  "decided/error-classes": decided.errorClasses,
  "decided/manners": decided.manners,
  "decided/direct": decided.direct,
  "decided/control": decided.control,
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type TableName = keyof typeof tables;
export type RowName<T extends TableName> = keyof (typeof tables)[T] & string;
type Test = () => Promise<void> | void;

/** Tests every row of a table: by a test for each, or by one way of making them. Call it at the top level of a file. */
export function claim<T extends TableName>(
  table: T,
  tests: { readonly [K in RowName<T>]: Test } | ((row: RowName<T>, text: string) => Test),
): void {
  const rows: Readonly<Record<string, string>> | undefined = tables[table];
  if (rows === undefined) throw new Error(`there is no table ${table}`);
  const own: Readonly<Record<string, Test>> | undefined = typeof tests === "function" ? undefined : tests;
  const strangers = Object.keys(own ?? {}).filter((name) => !(name in rows));
  if (strangers.length > 0) throw new Error(`${table} has no row ${strangers.join(", ")}`);
  describe(table, () => {
    for (const [name, text] of Object.entries(rows)) {
      const test = typeof tests === "function" ? tests(name as RowName<T>, text) : own?.[name];
      if (test === undefined) throw new Error(`no test for ${table}/${name}`);
      it(`${name}: ${text}`, test);
    }
  });
}
