// Emails to accounts: their kinds, what causes each and what it says, and their limits. Used by rental/emails, which queues
// them, reconciler/emails, which sends them, the settings, the control interface, the command line and the documents.
//
// Invariant: few are sent. What happens to several objects at once is one message, and each kind can be turned off, by an
// account for itself and by the operator for all. A new kind is one entry of the table.

import { noMethodReason, takenBackReasons } from "./auto-top-ups.ts";
import { type InvoiceKind, invoiceKinds } from "./invoices.ts";
import { initialPhase, type MaintenanceMode, modeTraits } from "./maintenance.ts";
import { signInLinks } from "./sign-in.ts";

/** An event that is being recorded (rental/events/record.ts). */
export interface EmailEvent {
  readonly type: string;
  readonly subjectId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What an event is told as. */
interface Told {
  /** Identifies what happened: the same cause is told to a recipient once. */
  readonly cause: string;
  /** Of a message about this event alone. */
  readonly subject: string;
  readonly line: string;
}

interface EmailKindEntry {
  /** When it is sent: one sentence, for documents and help. */
  readonly when: string;
  /** The page of the console that the message links to, with the secret of a message that has one. */
  readonly page: string;
  /** By types of events; undefined: this one is no cause. Empty: queued by its own operation. */
  readonly causes: Readonly<Record<string, (event: EmailEvent) => Told | undefined>>;
  /** The subject of a message about several. */
  readonly subjectOf: (count: number) => string;
  readonly before: string;
  readonly after: string;
}

export const emailKinds = {
  instance_ended: {
    when: "Instances were stopped or terminated by a limit: their lifetime, their idle rule, or a spend limit.",
    page: "/instances",
    causes: {
      "instance.terminating": ({ subjectId, data: { name, ended_by: by } }) =>
        by === "lifetime" || by === "balance"
          ? {
              cause: `${subjectId} ${by}`,
              subject: `Instance ${name} was terminated: ${by === "lifetime" ? "its lifetime ended" : "your balance is used up"}`,
              line: `${name} was terminated: ${by === "lifetime" ? "its lifetime ended, or the reservation that paid for it" : "your balance is used up"}.`,
            }
          : undefined,
      "instance.idle": ({ subjectId, data: { name, idle_since: since, idle_rule: rule } }) => {
        const done = doneWhenIdle[(rule as { readonly action: string }).action];
        if (done === undefined) return undefined;
        return {
          cause: `${subjectId} ${since}`,
          subject: `Instance ${name} was ${done}: its GPUs were not used`,
          line: `${name} was ${done} by its idle rule: its GPUs were not used since ${minuteOf(since)}.`,
        };
      },
      "account.spend_limit_reached": (event) => spendLimitReached(event, "your account"),
      "token.spend_limit_reached": (event) => spendLimitReached(event, `the token ${event.subjectId}`),
    },
    subjectOf: (count) => `${count} instances were stopped or terminated by a limit`,
    before: "A limit that you or your provider set was reached:",
    after: "Terminated instances are deleted with their disks. Stopped ones keep their disks and stay billed.",
  },
  low_balance: {
    when: "The money of an account that pays before, or up to a credit line, lasts for a day, for an hour, or is used up.",
    page: "/balance",
    causes: {
      "balance.low": ({ subjectId, data: { empty_at: at, within_seconds: within } }) => ({
        cause: `${subjectId} ${within} ${at}`,
        subject: `Your balance lasts until ${minuteOf(at)}`,
        line: `What runs now can go on until ${minuteOf(at)}.`,
      }),
      "balance.exhausted": ({ subjectId, data: { since, stop_at: stop, terminate_at: end } }) => ({
        cause: `${subjectId} ${since}`,
        subject: "Your balance is used up",
        line: `${stop === null ? "" : `Your instances are stopped on ${minuteOf(stop)} and stay billed. `}They are terminated with their disks on ${minuteOf(end)}.`,
      }),
    },
    subjectOf: () => "Your balance is used up",
    before: "The balance of your account:",
    after:
      "Add money to keep your instances: on the page Balance of the console, or as you pay your provider. See what is left: lessor balance",
  },
  budget: {
    when: "The usage of the month reached the amount of a budget alert.",
    page: "/usage",
    causes: {
      "budget.reached": ({ subjectId, data: { month, amount_cents: cents } }) => {
        const text = `Your usage of ${month} reached $${(Number(cents) / 100).toFixed(2)}`;
        return { cause: `${subjectId} ${month}`, subject: text, line: `${text}.` };
      },
    },
    subjectOf: (count) => `Your usage reached ${count} budget alerts`,
    before: "A budget alert of your account:",
    after: "Nothing is stopped because of it. See the usage: lessor usage",
  },
  host_lost: {
    when: "The host of instances failed and was declared lost.",
    page: "/instances",
    causes: {
      "instance.host_lost": ({ subjectId, data: { name } }) => ({
        cause: subjectId,
        subject: `Instance ${name} was lost with its host`,
        line: `${name}`,
      }),
    },
    subjectOf: (count) => `${count} instances were lost with their host`,
    before: "The host of these instances failed and was declared lost:",
    after: "They are terminated, and what was on their disks is lost. They are billed until the host was last reached.",
  },
  maintenance: {
    when: "Maintenance of a host with instances of the account is scheduled, or its time changed.",
    page: "/instances",
    causes: {
      "maintenance.scheduled": ({ subjectId, data }) => {
        if (data.phase !== initialPhase) return undefined;
        const { from, to, mode, reason, revision, instance_ids: ids, deferrable_until: until } = data;
        const count = (ids as readonly string[]).length;
        return {
          cause: `${subjectId} ${revision}`,
          subject: `Maintenance on ${minuteOf(from)}`,
          line:
            `${minuteOf(from)} to ${minuteOf(to)}, ${count === 1 ? "1 instance" : `${count} instances`}: ${reason} ` +
            `${modeTraits[mode as MaintenanceMode].meaning}${until === null ? "" : ` You can defer it until ${minuteOf(until)}.`}`,
        };
      },
    },
    subjectOf: (count) => `${count} times of maintenance are scheduled`,
    before: "Your provider has scheduled maintenance of hosts of your instances:",
    after: "See the instances, and defer it if you can: lessor maintenance list",
  },
  reservation_unfulfilled: {
    when: "A reservation could not begin.",
    page: "/reservations",
    causes: {
      "reservation.unfulfilled": ({ subjectId, data }) => {
        const { name, from, reason } = data.reservation as Readonly<Record<string, string>>;
        return {
          cause: subjectId,
          subject: `Reservation ${name} could not begin`,
          line: `${name}, from ${minuteOf(from)}: ${reason}`,
        };
      },
    },
    subjectOf: (count) => `${count} reservations could not begin`,
    before: "A reservation could not begin:",
    after: "It costs nothing. Reserve another time, or launch instances without it.",
  },
  invoice: {
    when: "An invoice was issued. It goes to the address for invoices, or to the contact address.",
    page: "/invoices",
    causes: {
      "invoice.issued": ({ subjectId, data: { number, kind, total_cents: cents, currency, due_on: due } }) => {
        const about = `${invoiceKinds[kind as InvoiceKind].title} ${number}`;
        const amount = `${(Number(cents) / 100).toFixed(2)} ${currency}`;
        return {
          cause: subjectId,
          subject: about,
          line: `${about}: ${amount}${due === null ? "" : `, due on ${due}`}`,
        };
      },
    },
    subjectOf: (count) => `${count} invoices`,
    before: "Your provider issued:",
    after: "Download it as PDF with its number: lessor invoices download",
  },
  payment_problem: {
    when: "A payment failed, or a disputed payment put the account on hold. It also goes to people who may pay.",
    page: "/balance",
    causes: {
      "payment.failed": ({ subjectId, data: { amount_cents: cents, currency, failure } }) => {
        const text = `Your payment of ${(Number(cents) / 100).toFixed(2)} ${String(currency).toUpperCase()} failed`;
        return {
          cause: subjectId,
          subject: text,
          line: `${text}: ${String(failure).replaceAll("_", " ")}. Nothing was added to your balance.`,
        };
      },
      "account.hold_changed": ({ subjectId, data: { held_since: since } }) =>
        since === null
          ? undefined
          : {
              cause: `${subjectId} ${since}`,
              subject: "Your account is on hold",
              line: `Your account is on hold since ${minuteOf(since)}, because a payment was disputed. You cannot launch or reserve until that is settled. What runs stays.`,
            },
    },
    subjectOf: (count) => `${count} problems with payments`,
    before: "There is a problem with a payment:",
    after: "Contact your provider if you do not know why. See your payments: lessor payments list",
  },
  auto_top_up: {
    when: "Auto top-up was turned off: payments were declined, refunded or disputed, or there is no payment method.",
    page: "/balance",
    causes: {
      "auto_top_up.turned_off": ({ subjectId, data: { reason, turned_off_at: at } }) => ({
        cause: `${subjectId} ${at}`,
        subject: "Auto top-up was turned off",
        line: `Auto top-up was turned off on ${minuteOf(at)}: ${turnedOff(String(reason))}.`,
      }),
    },
    subjectOf: () => "Auto top-up was turned off",
    before: "Your balance is not topped up any more:",
    after:
      "If you need another payment method, save it (lessor payment-methods add). Turn it on: lessor auto-top-up on --help",
  },
  invitation: {
    when: "A person was invited to a team. It goes to the invited address.",
    page: "/join",
    causes: {},
    subjectOf: () => "Invitation to a team",
    before: "You are invited to a team that rents GPU servers.",
    after: "The secret can be used once. If you do not know the team, ignore this email.",
  },
  sign_in: {
    when: "A link to sign in to the console was requested. It goes to the address that was entered.",
    page: "",
    causes: {},
    subjectOf: () => "Sign in to Lessor",
    before: "Open this link to sign in to the console:",
    after: `It works once, within ${signInLinks.minutes} minutes. If you did not request it, ignore this email.`,
  },
  test: {
    when: "An operator requested a test.",
    page: "",
    causes: {},
    subjectOf: () => "Test of email from Lessor",
    before: "This is the test that you requested.",
    after: "Lessor can send email to this address.",
  },
} as const satisfies Record<string, EmailKindEntry>;

export type EmailKind = keyof typeof emailKinds;
/** Object.keys returns strings; these are the table's. */
export const emailKindNames = Object.keys(emailKinds) as readonly EmailKind[];
/** Those that an account or the operator can turn off. */
export const optionalEmailKinds = emailKindNames.filter((kind) => kind !== "test") as readonly Exclude<
  EmailKind,
  "test"
>[];

const entries: readonly (readonly [EmailKind, EmailKindEntry])[] = emailKindNames.map((kind) => [
  kind,
  emailKinds[kind],
]);

/** Go to the address for invoices of the account, if it has one. */
export const billingEmailKinds: readonly EmailKind[] = ["invoice", "payment_problem"];
/** Goes to people with the right `money` too. */
export const payersEmailKind: EmailKind = "payment_problem";

/** Those that go to the contact address: others go to the address that their operation was given. */
export const contactEmailKinds = entries
  .filter(([, { causes }]) => Object.keys(causes).length > 0)
  .map(([kind]) => kind);

/** A paragraph, a list, a line that ends with the secret of the message, or a link that does. */
export type EmailBlock =
  | string
  | readonly string[]
  | { readonly beforeSecret: string }
  | { readonly linkBeforeSecret: string };

export interface EmailText {
  readonly kind: EmailKind;
  readonly cause: string;
  readonly subject: string;
  readonly body: readonly EmailBlock[];
}

const causes: ReadonlySet<string> = new Set(entries.flatMap(([, entry]) => Object.keys(entry.causes)));

/** Whether an event of this type can cause an email. */
export function canCauseEmail(type: string): boolean {
  return causes.has(type);
}

/** The messages about these events, which one account got at once: at most one of each kind. */
export function emailsAbout(events: readonly EmailEvent[]): EmailText[] {
  return entries.flatMap(([kind, entry]) => {
    const told = events.flatMap((event) => entry.causes[event.type]?.(event) ?? []);
    const [first] = told;
    if (first === undefined) return [];
    const listed = told.slice(0, emailLimits.listed).map(({ line }) => line);
    const more = told.length - listed.length;
    const body = [entry.before, [...listed, ...(more > 0 ? [`and ${more} more`] : [])], entry.after];
    const subject = told.length === 1 ? first.subject : entry.subjectOf(told.length);
    return [{ kind, cause: first.cause, subject, body }];
  });
}

/** `cause`: new for each test. */
export function testEmail(cause: string): EmailText {
  const { subjectOf, before, after } = emailKinds.test;
  return { kind: "test", cause, subject: subjectOf(), body: [before, after] };
}

/** The message to an invited person; its secret is that of the invitation. */
export function invitationEmail(invited: {
  readonly id: string;
  readonly team: string;
  readonly role: string;
  readonly expiresAt: Date;
}): EmailText {
  const { before, after } = emailKinds.invitation;
  const { id, team, role, expiresAt } = invited;
  const until = `Accept the invitation until ${minuteOf(expiresAt.toISOString())} in the console, or run "lessor invitations accept" with the address of the service and your name. Both take this secret.`;
  return {
    ...{ kind: "invitation", cause: id, subject: `Invitation to the team ${team}` },
    body: [before, `Team: ${team}. Role: ${role}.`, until, { beforeSecret: "Secret:" }, after],
  };
}

/** The message with a sign-in link; `id`: of the link, `url`: what its secret follows. */
export function signInEmail(id: string, url: string): EmailText {
  const { subjectOf, before, after } = emailKinds.sign_in;
  return { kind: "sign_in", cause: id, subject: subjectOf(), body: [before, { linkBeforeSecret: url }, after] };
}

/** The encryption context of the secret of a message. */
export const emailSecretContext = (id: string) => `email:${id}:secret`;

export const emailLimits = {
  /** Lines of one message. */
  listed: 20,
  /** Messages that one account is sent within an hour; more are suppressed. */
  perAccountPerHour: 20,
  /** How long one is tried, in seconds: a day. Later it would say what is long over. */
  tryingSeconds: 86_400,
  /** The same for sign-in links. */
  tryingLinkSeconds: signInLinks.minutes * 60,
  /** How long they are kept. */
  keptDays: 30,
} as const;

/** `suppressed`: its account had too many within the hour. */
export const emailStatuses = ["waiting", "sent", "failed", "suppressed"] as const;
export type EmailStatus = (typeof emailStatuses)[number];
/** Of those that are not tried any more. */
export const endedEmails = emailStatuses.filter((status) => status !== "waiting");

/** Why an attempt failed. */
export const emailErrors = {
  connection: "The mail server could not be reached, or ended the connection.",
  timeout: "The mail server did not respond in time.",
  tls: "The mail server has no TLS, or a certificate that is not trusted.",
  authentication: "The mail server rejected the user or the password.",
  sender: "The mail server rejected the address that emails are from.",
  deferred: "The mail server could not accept the email at that time.",
  rejected: "The mail server rejected the recipient or the email for good.",
  expired: "It could not be sent within a day.",
} as const;
export type EmailError = keyof typeof emailErrors;
export const emailErrorNames = Object.keys(emailErrors) as readonly EmailError[]; // as declared

/** An address as it can be in a header and an envelope: printable ASCII without quotes and comments. */
export const emailAddressPattern = "^[!#-'*+/-9=?A-Z^-~.-]{1,64}@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$";
export const longestEmailAddress = 254;

/** How the connection to the mail server is encrypted. */
export const mailTlsModes = ["starttls", "implicit", "none"] as const;
export type MailTls = (typeof mailTlsModes)[number];

/** How emails are sent. */
export interface EmailSettings {
  readonly host: string;
  readonly port: number;
  /** `starttls` must succeed. */
  readonly tls: MailTls;
  /** PEM; certificates are verified with it instead of the system's. */
  readonly ca: string | undefined;
  /** Undefined: without authentication. */
  readonly login: { readonly user: string /** SECRET. */; readonly password: string } | undefined;
  readonly from: { readonly name: string; readonly address: string };
  /** Of links into the console, without a slash at the end; undefined: no links. */
  readonly consoleUrl: string | undefined;
  /** Kinds that no account gets. */
  readonly disabledKinds: readonly EmailKind[];
}

const doneWhenIdle: Readonly<Record<string, string>> = { stop: "stopped", terminate: "terminated" };

/** Why, of a word of the provider's. */
function turnedOff(reason: string): string {
  if (reason === noMethodReason) return "your account has no payment method that can be charged";
  if (reason === takenBackReasons.refund) return "a payment was refunded, and what was paid back is not charged again";
  if (reason === takenBackReasons.chargeback) return "a payment was disputed";
  if (reason === "authentication_required") return "your bank wants you to confirm each payment yourself";
  return `payments were declined (${reason.replaceAll("_", " ")})`;
}

function spendLimitReached({ subjectId, data }: EmailEvent, whose: string): Told {
  const { month, limit_cents: cents } = data;
  return {
    cause: `${subjectId} ${month} ${cents}`,
    subject: "Your instances were terminated: a spend limit was reached",
    line: `The spend limit of ${whose} for ${month}, $${(Number(cents) / 100).toFixed(2)}, was reached: its instances are terminated.`,
  };
}

/** 2026-03-01 12:00 UTC. `at`: ISO 8601. */
function minuteOf(at: unknown): string {
  return `${String(at).slice(0, 16).replace("T", " ")} UTC`;
}
