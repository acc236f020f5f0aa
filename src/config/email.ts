// The settings of email (lessor.yaml `email`, LESSOR_SMTP_PASSWORD): schema, defaults and parsed form. Without a host there
// is no email. Used by config.ts and file-schema.ts.
//
// Invariant: a password is sent over TLS or loopback only, and no message repeats it.

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { type Static, Type } from "typebox";
import {
  type EmailSettings,
  emailAddressPattern,
  longestEmailAddress,
  mailTlsModes,
  optionalEmailKinds,
} from "../rules/emails.ts";
import { ConfigError } from "../settings/error.ts";
import { choice, group, integer, text } from "../settings/schema-parts.ts";
import { settingIn } from "../settings/setting-path.ts";
import { parseBindHost, parseConsoleUrl } from "./values.ts";

export const EmailSchema = Type.Optional(
  group({
    host: Type.String({ description: "the IP address or name of a mail server" }),
    port: integer(1, 65_535),
    tls: choice(mailTlsModes),
    ca_file: text("a path"),
    user: text("a string (in quotes if it looks like a number)"),
    password: text("a string (in quotes if it looks like a number)"),
    from: Type.String({ description: "an email address, such as Acme Cloud <noreply@acme.example>" }),
    console_url: text("a URL, such as https://cloud.acme.example"),
    disabled_kinds: Type.Optional(
      Type.Array(Type.Enum([...optionalEmailKinds], { description: `one of ${optionalEmailKinds.join(", ")}` }), {
        description: `a list of ${optionalEmailKinds.join(", ")}`,
      }),
    ),
  }),
);

/** `password`: of the environment, which takes precedence. Throws ConfigError. */
export function resolveEmail(
  settings: Static<typeof EmailSchema> | undefined,
  password: string | undefined,
  file: { readonly name: string; readonly directory: string },
): EmailSettings | undefined {
  if (settings === undefined) return undefined;
  const named = (key: keyof typeof settings) => settingIn(["email", key], file.name);
  const host = parseBindHost(settings.host, named("host"));
  const isLocal = isLoopback(host);
  const tls = settings.tls ?? (isLocal ? "none" : "starttls");
  const secret = password || settings.password;
  if ((settings.user === undefined) !== (secret === undefined)) {
    throw new ConfigError(`${named("user")} needs a password in LESSOR_SMTP_PASSWORD, and the password needs a user.`);
  }
  if (secret !== undefined && tls === "none" && !isLocal) {
    throw new ConfigError(`${named("tls")} must not be none: the password would be sent without encryption.`);
  }
  return {
    host,
    port: settings.port ?? (tls === "implicit" ? 465 : 587),
    tls,
    ca: settings.ca_file === undefined ? undefined : certificates(settings.ca_file, file.directory, named("ca_file")),
    login: settings.user === undefined || secret === undefined ? undefined : { user: settings.user, password: secret },
    from: parseFrom(settings.from, named("from")),
    consoleUrl:
      settings.console_url === undefined ? undefined : parseConsoleUrl(settings.console_url, named("console_url")),
    disabledKinds: settings.disabled_kinds ?? [],
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function parseFrom(text: string, name: string): EmailSettings["from"] {
  const [, display = "", bracketed] = /^([^<>"\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? [];
  const address = (bracketed ?? text).trim();
  const isAddress = new RegExp(emailAddressPattern).test(address) && address.length <= longestEmailAddress;
  if (isAddress) return { name: display.trim(), address };
  throw new ConfigError(
    `${name} must be an email address, such as noreply@acme.example or Acme <noreply@acme.example>.`,
  );
}

function certificates(path: string, directory: string, name: string): string {
  let pem = "";
  try {
    pem = readFileSync(resolve(directory, path), "utf8");
  } catch {
    // Said below.
  }
  if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  throw new ConfigError(`${name} must name a readable file of certificates in PEM format.`);
}
