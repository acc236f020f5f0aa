// The options that say where emails about an account go and which it does not get. Used by `lessor account change` and, for
// operators, `lessor accounts`.

import type { Command } from "commander";
import type { Shape } from "../client/client.ts";
import { optionalEmailKinds } from "../rules/emails.ts";
import { usageError } from "./command-error.ts";

export type EmailKind = Shape<"Account">["disabled_emails"][number];

export interface EmailOptions {
  readonly contactEmail?: string;
  readonly disableEmail?: readonly string[];
  readonly enableEmail?: readonly string[];
}

export function withEmailOptions(command: Command): Command {
  const kinds = optionalEmailKinds.join(", ");
  return command
    .option("--contact-email <address>", "where emails about the account go; none: it gets none")
    .option("--disable-email <kind...>", `kinds of emails that it does not get: ${kinds}`)
    .option("--enable-email <kind...>", "kinds of emails that it gets again");
}

/** What the options change. `disabled`: the kinds that are off now. Throws CommandError. */
export function emailChange({ contactEmail, disableEmail, enableEmail }: EmailOptions, disabled: readonly EmailKind[]) {
  const [off, on] = [disableEmail?.map(kindNamed), enableEmail?.map(kindNamed)];
  const kinds = [...new Set([...disabled, ...(off ?? [])])].filter((kind) => on?.includes(kind) !== true);
  return {
    ...(contactEmail === undefined ? {} : { contact_email: contactEmail === "none" ? null : contactEmail }),
    ...(off === undefined && on === undefined ? {} : { disabled_emails: kinds }),
  };
}

function kindNamed(word: string): EmailKind {
  const kind = optionalEmailKinds.find((known) => known === word);
  if (kind === undefined)
    throw usageError(`"${word}" is not a kind of email.`, `Use ${optionalEmailKinds.join(", ")}.`);
  return kind;
}
