// An email as it is sent: its text and HTML parts, which say the same, and its headers.
//
// Invariant: a row gives the same bytes at each attempt, as long as settings and account name stay, and always the same
// Message-ID, so that mail systems recognize a message that arrives twice. Names that customers give are text: they are escaped in HTML, and headers are encoded.

import MailComposer from "nodemailer/lib/mail-composer";
import {
  billingEmailKinds,
  type EmailBlock,
  type EmailSettings,
  emailKinds,
  payersEmailKind,
} from "../../rules/emails.ts";
import { html } from "../../rules/html.ts";
import type { ClaimedEmail } from "./store.ts";

export interface Message {
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
}

/** `secret`: of a message that has one. */
export async function messageOf(
  email: ClaimedEmail,
  settings: Pick<EmailSettings, "from" | "consoleUrl">,
  secret: string | undefined,
): Promise<Message> {
  const { from, consoleUrl } = settings;
  const { page } = emailKinds[email.kind];
  // After "#" it is sent to no server.
  const fragment = secret === undefined ? "" : `#${encodeURIComponent(secret)}`;
  const link = consoleUrl === undefined || page === "" ? undefined : `${consoleUrl}${page}${fragment}`;
  const composed = new MailComposer({
    from,
    to: { name: "", address: email.recipient },
    subject: email.subject,
    date: email.created_at,
    messageId: `<${email.id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
    headers: { "Auto-Submitted": "auto-generated" },
    text: textOf(email, link, secret),
    html: htmlOf(email, link, secret),
    baseBoundary: email.id,
    newline: "win",
    disableUrlAccess: true,
    disableFileAccess: true,
  });
  return { from: from.address, to: email.recipient, bytes: await composed.compile().build() };
}

const linkText = "Open the console";

function footerOf({ kind, recipient, account_name: account }: ClaimedEmail): string {
  if (kind === "test") return "";
  if (kind === "sign_in") return "";
  if (kind === "invitation") return `You get this email because the account ${account} invited ${recipient}.`;
  const is =
    kind === payersEmailKind
      ? "gets emails about payments"
      : billingEmailKinds.includes(kind)
        ? "gets the invoices"
        : "is the contact address";
  const why = `You get this email because ${recipient} ${is} of the account ${account}.`;
  return `${why} To stop emails like this one: lessor account change --disable-email ${kind}`;
}

function textOf(email: ClaimedEmail, link: string | undefined, secret: string | undefined): string {
  const written = (block: EmailBlock) =>
    typeof block === "string"
      ? block
      : isList(block)
        ? block.map((line) => `- ${line}`).join("\n")
        : lineOf(block, secret);
  const footer = footerOf(email);
  const parts = [...email.body.map(written), ...(link === undefined ? [] : [`${linkText}: ${link}`])];
  return `${[...parts, ...(footer === "" ? [] : [`-- \n${footer}`])].join("\n\n")}\n`;
}

type SecretBlock = Exclude<EmailBlock, string | readonly string[]>;

function lineOf(block: SecretBlock, secret: string | undefined): string {
  if (secret === undefined) throw new Error("BUG: a message whose secret is missing");
  return "beforeSecret" in block ? `${block.beforeSecret} ${secret}` : `${block.linkBeforeSecret}${secret}`;
}

/** Array.isArray does not narrow readonly arrays. */
const isList = (block: EmailBlock): block is readonly string[] => Array.isArray(block);

function htmlOf(email: ClaimedEmail, link: string | undefined, secret: string | undefined): string {
  const written = (block: EmailBlock) => {
    if (isList(block)) return html`<ul>${block.map((line) => html`<li>${line}</li>`)}</ul>`;
    if (typeof block === "string") return html`<p>${block}</p>`;
    const line = lineOf(block, secret);
    return "beforeSecret" in block ? html`<p>${line}</p>` : html`<p><a href="${line}">Sign in</a></p>`;
  };
  const footer = footerOf(email);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${email.subject}</title></head>
<body style="max-width: 40em; font: 16px/1.5 sans-serif">
${email.body.map(written)}
${link !== undefined && html`<p><a href="${link}">${linkText}</a></p>`}
${footer !== "" && html`<p style="color: #666; font-size: 14px">${footer}</p>`}
</body></html>
`.text;
}
