// A real mail server on loopback, which takes mail as the test says and remembers it.
//
//   const mail = await startMailServer();                     // closed when the test is over
//   mail.next("defer", "hang");                               // what becomes of the next messages; then all are taken
//   const [first] = await mail.received(1);

import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { expect } from "vitest";
import type { EmailSettings } from "../../src/rules/emails.ts";
import { afterTest } from "./when-over.ts";

/**
 * `drop`: the message is kept, and the connection ended without a response to it. `refuse`: the recipient is unknown.
 * `no-relay`: the client may not send to it.
 * `echo`: the response repeats whatever password was sent.
 */
export type Fate =
  | "accept"
  | "defer"
  | "refuse"
  | "no-relay"
  | "refuse-sender"
  | "too-large"
  | "drop"
  | "hang"
  | "echo";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly raw: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** What a response can repeat of a password that it was sent. */
const echoes: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => Buffer.from(secret).toString("base64"),
  (secret) => Buffer.from(`\0lessor\0${secret}`).toString("base64"),
];

const failing = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code });

export async function startMailServer(
  options: Pick<SMTPServerOptions, "secure" | "key" | "cert"> & {
    login?: { readonly user: string; readonly password: string };
    /** Ends connections before the greeting. */
    isMute?: boolean;
  } = {},
) {
  const { login, isMute = false, ...tls } = options;
  const fates: Fate[] = [];
  const mails: ReceivedMail[] = [];
  /** Of the messages that were not taken too. */
  const attempts: Fate[] = [];
  const open = new Set<Socket>();
  const passwords: string[] = [];
  const hasTls = tls.key !== undefined;

  const server = new SMTPServer({
    ...tls,
    name: "mail.test",
    banner: "test",
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disabledCommands: [...(hasTls ? [] : ["STARTTLS" as const]), ...(login === undefined ? ["AUTH" as const] : [])],
    disableReverseLookup: true,
    closeTimeout: 50,
    onConnect: (_session, done) => {
      if (!isMute) done();
    },
    onAuth: (given, _session, done) => {
      passwords.push(given.password ?? "");
      if (given.username === login?.user && given.password === login?.password) return done(null, { user: "known" });
      done(failing(535, `5.7.8 wrong password ${given.password}`));
    },
    onMailFrom: (_address, _session, done) => {
      if (fates[0] !== "refuse-sender") return done();
      fates.shift();
      attempts.push("refuse-sender");
      done(failing(550, "5.7.1 Sender not allowed"));
    },
    onRcptTo: (_address, _session, done) => {
      const [fate = "accept"] = fates;
      if (fate === "accept" || fate === "drop" || fate === "too-large") return done();
      fates.shift();
      attempts.push(fate);
      if (fate === "hang") return;
      if (fate === "defer") return done(failing(451, "4.7.1 Greylisted"));
      if (fate === "no-relay") return done(failing(554, "5.7.1 Relay access denied"));
      const [secret = ""] = passwords;
      if (fate === "echo") return done(failing(451, `4.0.0 ${echoes[attempts.length % echoes.length]?.(secret)}`));
      done(failing(550, "5.1.1 No such\u0007user"));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const fate = fates.shift() ?? "accept";
        attempts.push(fate);
        if (fate === "too-large") return done(failing(552, "5.3.4 Too large"));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          isEncrypted: session.secure,
          ...parsed(Buffer.concat(chunks).toString("utf8")),
        });
        if (fate === "drop") for (const socket of open) socket.destroy();
        else done();
      });
    },
  });
  server.on("error", () => {});
  server.server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo; // it listens on TCP
  const close = () => {
    for (const socket of open) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  afterTest(close);

  const settings: EmailSettings = {
    ...{ host: "127.0.0.1", port, tls: "none", ca: undefined, login, disabledKinds: [] },
    from: { name: "Acme Cloud", address: "noreply@acme.example" },
    consoleUrl: undefined,
  };
  return {
    settings,
    mails,
    attempts,
    /** Those that clients gave. */
    passwords,
    close,
    connections: () => open.size,
    next: (...some: Fate[]) => void fates.push(...some),
    /** Waits until so many were taken, and gives them. */
    async received(count: number): Promise<readonly ReceivedMail[]> {
      await expect.poll(() => mails.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
      return mails;
    },
  };
}

function parsed(raw: string) {
  const headers = headersOf(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get("content-type") ?? "")?.[1] ?? "";
  const parts = raw.split(`--${boundary}`).slice(1, -1);
  const part = (type: string) =>
    decoded(parts.find((one) => headersOf(one.trimStart()).get("content-type")?.startsWith(type)));
  return {
    raw,
    headers,
    subject: words(headers.get("subject") ?? ""),
    text: part("text/plain"),
    html: part("text/html"),
  };
}

function headersOf(text: string): ReadonlyMap<string, string> {
  const [head = ""] = text.split("\r\n\r\n", 1);
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
}

function decoded(part = ""): string {
  const body = part.slice(part.indexOf("\r\n\r\n", 2) + 4);
  const encoding = headersOf(part.trimStart()).get("content-transfer-encoding");
  const bytes =
    encoding === "base64"
      ? Buffer.from(body, "base64")
      : encoding === "quoted-printable"
        ? quoted(body)
        : Buffer.from(body);
  return bytes.toString("utf8").replaceAll("\r\n", "\n").trim();
}

/** Quoted-printable. */
function quoted(text: string): Buffer {
  const joined = text.replaceAll(/=\r\n/g, "");
  return Buffer.from(
    joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}

/** Encoded words (RFC 2047) of UTF-8. */
function words(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?UTF-8\?Q\?([^?]*)\?=/gi, (_, word: string) => quoted(word.replaceAll("_", " ")).toString("utf8"))
    .replaceAll(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_, word: string) => Buffer.from(word, "base64").toString("utf8"));
}
