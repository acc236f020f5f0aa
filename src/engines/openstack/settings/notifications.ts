// `notifications` of a region: where Nova tells of changed servers. The password is read from a file of its own at start.
// Invariant: no error repeats a value. Used by settings.ts.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Static, Type } from "typebox";
import { ConfigError } from "../../../settings/error.ts";
import { group, textLike } from "../../../settings/schema-parts.ts";
import type { Called } from "../../../settings/setting-path.ts";
import { optional } from "../../settings/common-schema.ts";
import { readable } from "../../settings/readable-file.ts";

export interface NotificationSettings {
  /** At least one; all are of the same cluster. */
  readonly brokers: readonly BrokerAddress[];
  readonly user: string;
  /** SECRET: never log it. */
  readonly password: string;
  /** The PEM file of the CA, an absolute path; undefined: the CAs of the operating system. */
  readonly ca: string | undefined;
  readonly exchange: string;
  /** At least one. */
  readonly topics: readonly string[];
}

/** A RabbitMQ. */
export interface BrokerAddress {
  readonly protocol: "amqp" | "amqps";
  /** A name, or an IP address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Percent-encoded; empty: the default one, "/". */
  readonly vhost: string;
  /** For messages, without the virtual host. */
  readonly shown: string;
}

const address = {
  pattern: "^amqps?://(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?(/[^\\s?#@\\x00-\\x1f\\x7f]*)?$",
  description: "an address such as amqps://rabbit.example.com:5671/vhost, without user and password",
};

/** RabbitMQ limits names to 255 bytes. */
const word = (description: string) => textLike({ pattern: "^[A-Za-z0-9_.:-]{1,200}$", description });
const path = textLike({ pattern: "^[^\\x00]+$", description: "the path of a file" });

export const NotificationsSchema = group({
  urls: Type.Array(textLike(address), {
    minItems: 1,
    maxItems: 10,
    description: "a list of 1 to 10 addresses of one RabbitMQ cluster",
  }),
  user: textLike({ pattern: "^[^\\x00-\\x1f\\x7f]{1,255}$", description: "a user of RabbitMQ" }),
  password_file: path,
  ca: optional(path),
  exchange: optional(word("the name of an exchange")),
  topics: optional(
    Type.Array(word("a topic such as versioned_notifications"), {
      minItems: 1,
      maxItems: 10,
      description: "a list of 1 to 10 topics",
    }),
  ),
});

/** Throws ConfigError. */
export function resolveNotifications(
  settings: Static<typeof NotificationsSchema>,
  called: Called,
  directory: string,
): NotificationSettings {
  return {
    brokers: settings.urls.map((url, index) => brokerAt(url, called("urls", index))),
    user: settings.user,
    password: passwordIn(resolve(directory, settings.password_file), called("password_file")),
    ca: settings.ca === undefined ? undefined : readable(resolve(directory, settings.ca), called("ca")),
    exchange: settings.exchange ?? "nova",
    topics: settings.topics ?? ["versioned_notifications"],
  };
}

function brokerAt(text: string, name: string): BrokerAddress {
  if (!URL.canParse(text)) throw new ConfigError(`${name} must be ${address.description}.`);
  const { protocol, hostname, port, pathname, host } = new URL(text);
  const isEncrypted = protocol === "amqps:";
  return {
    protocol: isEncrypted ? "amqps" : "amqp",
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (isEncrypted ? 5671 : 5672) : Number(port),
    vhost: pathname.slice(1),
    shown: `${protocol}//${host}`,
  };
}

function passwordIn(file: string, name: string): string {
  const password = readFileSync(readable(file, name), "utf8").replace(/\r?\n$/, "");
  if (/^[^\p{Cc}]+$/u.test(password)) return password;
  throw new ConfigError(`${name} must name a file with the password in one line.`);
}
