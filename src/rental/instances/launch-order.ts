// What a launch asks for, in the rental's words, and the rules it must keep before anything is looked up.
// Each variant translates its body into this; `fields` says how that variant calls each field, for errors that name one.

import { anyRegion } from "../catalog/region-store.ts";
import { type FieldProblem, RentalError } from "../errors.ts";
import type { RentalLimits } from "../service.ts";
import { checkEnvVars } from "./env-vars.ts";
import { checkInstanceName } from "./names.ts";

export interface LaunchOrder {
  readonly instanceType: string;
  /** A region's name, or "any". */
  readonly region: string;
  readonly quantity: number;
  readonly sshKeyNames: readonly string[];
  readonly fileSystemNames: readonly string[];
  readonly name?: string | undefined;
  /** Without it the operator's default image. */
  readonly image?: { readonly name: string } | { readonly number: number } | undefined;
  readonly envVars: Readonly<Record<string, string>>;
  readonly coupon?: string | undefined;
  /** Run once, at first boot, as root. */
  readonly command?: string | undefined;
  /** Variant D: an instance without keys gets a password. */
  readonly passwordWithoutKeys: boolean;
  /** From when its bill begins; null: without end; undefined: as long as the account's instances may live. */
  readonly maxLifetimeSeconds?: number | null | undefined;
  readonly fields: LaunchFields;
}

/** The variant's own names of the fields. */
export interface LaunchFields {
  readonly instanceType: string;
  readonly region: string;
  readonly quantity: string;
  readonly sshKeys: string;
  readonly fileSystems: string;
  readonly name: string;
  readonly image: string;
  readonly envVars: string;
  readonly command: string;
  /** Only where the variant has it. */
  readonly maxLifetime?: string;
}

/** A command is a short script; a whole program belongs in the image or on a file system. */
const maxCommandBytes = 65_536;

/** Throws RentalError invalid-parameters naming every field that breaks a rule, each with the rule. */
export function checkOrder(order: LaunchOrder, limits: RentalLimits): void {
  const problems = [...problemsOf(order, limits)];
  if (problems.length === 0) return;
  const fields = problems.map(([field, message]): [string, FieldProblem] => [
    field,
    { code: "global/invalid-parameters", message },
  ]);
  throw new RentalError("invalid-parameters", { fields: Object.fromEntries(fields) });
}

function* problemsOf(order: LaunchOrder, limits: RentalLimits): Iterable<[string, string]> {
  const { fields } = order;
  if (!Number.isInteger(order.quantity) || order.quantity < 1 || order.quantity > limits.maxQuantity) {
    yield [fields.quantity, `Give a whole number from 1 to ${limits.maxQuantity}.`];
  }
  if (order.quantity > 1 && order.fileSystemNames.length > 0) {
    yield [fields.quantity, "A file system attaches to one instance only: launch one, or leave the file systems out."];
  }
  const name = order.name === undefined ? undefined : checkInstanceName(order.name);
  if (name !== undefined) yield [fields.name, name];
  if (order.command !== undefined && Buffer.byteLength(order.command) > maxCommandBytes) {
    yield [fields.command, `Give at most ${maxCommandBytes} bytes.`];
  }
  if (order.region === "") yield [fields.region, `Give "${anyRegion}" or the name of a region.`];
  for (const problem of checkEnvVars(order.envVars)) {
    yield [problem.key === undefined ? fields.envVars : `${fields.envVars}.${problem.key}`, problem.message];
  }
}
