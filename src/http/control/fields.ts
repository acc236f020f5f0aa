// Fields that several resources of the control interface share, with their limits.
// Invariant: every limit is far enough below PostgreSQL's largest integer that no sum or product of these numbers (a
// host's GPUs, a quantity of up to 1000, a quota in use) exceeds it. Used by every file of this folder.

import { type TSchema, Type } from "typebox";
import { architectures, defaultArchitecture } from "../../rental/catalog/architecture.ts";
import { longestReason } from "../../rental/instances/reason.ts";
import { leastLifetimeSeconds, mostLifetimeSeconds, mostSpendLimitCents } from "../../rules/account-limits.ts";
import { emailAddressPattern, longestEmailAddress, optionalEmailKinds } from "../../rules/emails.ts";
import { paymentTermMeanings, paymentTerms as terms } from "../../rules/payment-terms.ts";
import * as limit from "../api/documented-limits.ts";

const anyName = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";

/** The path parameter of objects that are identified by name. */
export const NameParam = Type.Object({
  name: Type.String({
    pattern: anyName,
    description: "1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit.",
  }),
});

/** The same for images: clients of variant D use image names of other services, with spaces and slashes. */
export const ImageNameParam = Type.Object({
  name: Type.String({
    pattern: "^[A-Za-z0-9]([\\x20-\\x7e]{0,62}[\\x21-\\x7e])?$",
    description: "1 to 64 printable ASCII characters, the first a letter or digit, without space at the end.",
  }),
});

/** The path parameter of objects that are identified by UUID. */
export const IdParam = Type.Object({ id: Type.String({ ...limit.uuid, description: "A UUID." }) });

/** A name in a body or a response. */
export const name = (example: string) => Type.String({ examples: [example] });

/** An object by its id and name. */
export const Named = Type.Object({ id: Type.String({ format: "uuid" }), name: name("acme") }, { title: "Named" });

/** A label of an account or token: no control characters, and no space at either end. */
export const label = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: "^[^\\s\\x00-\\x1f\\x7f](.*[^\\s\\x00-\\x1f\\x7f])?$",
    description: "1 to 64 characters on one line, without space at the ends.",
    examples: [example],
  });

/** The highest price of an instance type, so that no other has to be compared with one. */
export const mostPriceCents = 100_000_000;

/** Text for people, as a PUT may give it. `text` says what the default is. */
export const words = (text: string, example?: string) =>
  Type.Optional(
    Type.String({ maxLength: 500, description: text, ...(example === undefined ? {} : { examples: [example] }) }),
  );

/** The GPU model of engines and instance types. They must match, so it is used unchanged. */
export const gpuModel = () =>
  Type.String({
    pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]{0,62}[\\x21-\\x7e])?$",
    description: "1 to 64 printable ASCII characters, without space at the ends.",
    examples: ["h100_pcie"],
  });

/** The instruction set in a PUT. */
export const architecture = (text: string) =>
  Type.Optional(
    Type.Enum([...architectures], {
      title: "Architecture",
      description: `${text} Default: \`${defaultArchitecture}\`.`,
    }),
  );

export const emailAddress = (text?: string) =>
  Type.String({
    maxLength: longestEmailAddress,
    pattern: emailAddressPattern,
    examples: ["ops@acme.example"],
    ...(text === undefined ? {} : { description: text }),
  });

/** Where emails about an account go. */
export const contactEmail = () => orNull(emailAddress(), "Where emails about the account go. Null: it gets none.");

/** The kinds of emails that an account does not get. */
export const disabledEmails = () =>
  Type.Array(Type.Enum([...optionalEmailKinds], { title: "EmailKind" }), {
    maxItems: optionalEmailKinds.length,
    description: "The kinds of emails that the account does not get.",
  });

export const whole = (minimum: number, maximum: number, text?: string) =>
  Type.Integer({ minimum, maximum, ...(text === undefined ? {} : { description: text }) });

/** How long an instance may live: a minute to ten years. */
export const lifetime = (text?: string) => whole(leastLifetimeSeconds, mostLifetimeSeconds, text);

/** A monthly spend limit. */
export const spendLimit = () => whole(0, mostSpendLimitCents);

export const orNull = <T extends TSchema>(schema: T, text?: string) =>
  Type.Union([schema, Type.Null()], text === undefined ? {} : { description: text });

export const uuid = () => Type.String({ format: "uuid" });

/** A timestamp in a response. */
export const timestamp = () => Type.String({ format: "date-time", examples: ["2026-03-01T12:00:00.000Z"] });

/** The response with one object, and the one with a list. */
export const one = <T extends TSchema>(schema: T) => Type.Object({ data: schema }, calledAfter(schema, "Response"));
export const many = <T extends TSchema>(schema: T) =>
  Type.Object({ data: Type.Array(schema) }, calledAfter(schema, "List"));

function calledAfter(schema: TSchema, ending: string) {
  return "title" in schema && typeof schema.title === "string" ? { title: `${schema.title}${ending}` } : {};
}

/** The response of an operation without a result. */
export const nothing = one(Type.Object({}, { title: "Nothing", additionalProperties: false }));

/** An operator's reason, which other operators read. */
export const reason = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: longestReason,
    description: `Reason in one line of up to ${longestReason} characters, for other operators.`,
    examples: [example],
  });

/** The second step of a change in two: what the first one has shown. */
export const confirmation = () =>
  Type.Optional(
    Type.String({
      pattern: "^[0-9a-f]{16}$",
      description: "From the response without it. Omitted: nothing is changed.",
      examples: ["5f0c2b1e9a7d4c36"],
    }),
  );

/** How an account pays. */
export const paymentTerms = () =>
  Type.Enum(terms, {
    title: "PaymentTerms",
    description: terms.map((name) => `\`${name}\`: ${paymentTermMeanings[name]}`).join(" "),
  });
