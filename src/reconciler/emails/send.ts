// One attempt to send one email over SMTP, on a connection of its own, within a deadline.
//
// Invariant: an attempt that is aborted leaves no connection behind. The password goes to the mail server only, and only
// over TLS or loopback (config/email.ts): nothing that the server responds to it is kept, and no response that repeats it.

import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { EmailError, EmailSettings } from "../../rules/emails.ts";
import type { Message } from "./message.ts";
import type { EmailResult } from "./store.ts";

/** `isServerWell`: it responded to this email as such, so others are worth an attempt now. */
export type Sent = EmailResult & { readonly isServerWell: boolean };

/** Characters of a response that are kept. */
const keptResponse = 300;
/** Bytes of a response that are read. */
const mostResponse = 16_384;

/** Undefined if aborted: the outcome is unknown. `seconds`: the deadline for all of it. */
export async function sendEmail(
  message: Message,
  settings: EmailSettings,
  seconds: number,
  stop: AbortSignal,
): Promise<Sent | undefined> {
  if (stop.aborted) return undefined;
  const deadline = AbortSignal.timeout(seconds * 1000);
  const signal = AbortSignal.any([stop, deadline]);
  const connection = new SMTPConnection({
    host: settings.host,
    port: settings.port,
    secure: settings.tls === "implicit",
    requireTLS: settings.tls === "starttls",
    ignoreTLS: settings.tls === "none",
    tls: settings.ca === undefined ? {} : { ca: settings.ca },
    connectionTimeout: seconds * 1000,
    dnsTimeout: seconds * 1000,
    socketCloseTimeout: 0,
    maxResponseSize: mostResponse,
  });
  const failed = Promise.withResolvers<never>();
  // Handled below; this one is for a failure after the result.
  failed.promise.catch(() => {});
  connection.on("error", failed.reject);
  connection.once("end", () => failed.reject(new Error("the mail server ended the connection")));
  signal.addEventListener("abort", () => {
    failed.reject(signal.reason);
    connection.close();
  });
  const step = (act: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      failed.promise,
      new Promise<void>((resolve, reject) => act((error) => (error ? reject(error) : resolve()))),
    ]);
  const { login } = settings;
  try {
    await step((done) => connection.connect(done));
    if (login !== undefined)
      await step((done) => connection.login({ credentials: { user: login.user, pass: login.password } }, done));
    await step((done) => connection.send({ from: message.from, to: [message.to] }, message.bytes, done));
    return { error: undefined, isServerWell: true };
  } catch (error) {
    if (stop.aborted) return undefined;
    return failureOf(deadline.aborted ? { code: "ETIMEDOUT" } : (error as SmtpError), login);
  } finally {
    // The server has responded to all that was sent, so it loses nothing.
    connection.close();
  }
}

/** What nodemailer adds to errors. */
interface SmtpError {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string | false;
  readonly responseCode?: number;
}

function failureOf(problem: SmtpError, login: EmailSettings["login"]): Sent {
  const { code = "", originalCode = "", command = "", responseCode = 0 } = problem;
  const response = responseOf(problem, login);
  const of = (error: EmailError, { isServerWell = false, isFinal = false } = {}): Sent => ({
    ...{ error, response, isFinal, isServerWell },
  });
  if (code === "EAUTH" || code === "ENOAUTH") return of("authentication");
  if (code === "ETLS" || command === "STARTTLS" || tlsCodes.test(originalCode)) return of("tls");
  if (code === "ETIMEDOUT") return of("timeout");
  if (responseCode === 0 || command === "CONN") return of("connection");
  if (responseCode < 500) return of("deferred", { isServerWell: true });
  if (command === "MAIL FROM") return of("sender");
  // Not this recipient but this service: its operator has to act.
  if (command === "RCPT TO" && isNoRelay(problem)) return of("deferred");
  const isOfMessage = command === "RCPT TO" || command === "DATA";
  return isOfMessage ? of("rejected", { isServerWell: true, isFinal: true }) : of("connection");
}

const tlsCodes = /^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;

/** Authentication is required, or policy (RFC 3463): such as "554 5.7.1 Relay access denied". */
function isNoRelay({ response, responseCode }: SmtpError): boolean {
  return responseCode === 530 || (typeof response === "string" && /^5\d\d[ -]5\.7\./.test(response));
}

/** One line, without the password. */
function responseOf({ code, response }: SmtpError, login: EmailSettings["login"]): string | undefined {
  if (typeof response !== "string" || code === "EAUTH") return undefined;
  const line = response
    .replaceAll(/[\p{Cc}\p{Cf}\ufffd]+/gu, " ")
    .trim()
    .slice(0, keptResponse);
  return line === "" || (login !== undefined && repeats(response, login)) ? undefined : line;
}

/** As it is, and as AUTH LOGIN and AUTH PLAIN send it. */
function repeats(text: string, { user, password }: NonNullable<EmailSettings["login"]>): boolean {
  const base64 = (form: string) => Buffer.from(form).toString("base64");
  return [password, base64(password), base64(`\0${user}\0${password}`)].some((form) => text.includes(form));
}
