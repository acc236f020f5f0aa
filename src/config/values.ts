// Parsers for the text of each setting. The same parser serves the environment and lessor.yaml.
// Invariant: errors name the setting and the rule, and never repeat the text, which may be a secret.
// Used by config.ts and config/interfaces.ts only.

import { isIP } from "node:net";
import { BadKeys, parseKeys } from "../secrets/parse-keys.ts";
import { ConfigError } from "../settings/error.ts";

/** Parses `text`. `name` is the setting as its user wrote it. Throws ConfigError. */
export type Parser<T> = (text: string, name: string) => T;

/** The levels of pino, and `silent`. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export const parsePort: Parser<number> = (text, name) => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new ConfigError(`${name} must be an integer from 0 to 65535 (0 takes any free port).`);
  return port;
};

/** An address or name to bind to. */
export const parseBindHost: Parser<string> = (text, name) => {
  if (isIP(text) === 0 && !isHostName(text)) {
    throw new ConfigError(`${name} must be an IP address or a host name, without a port and without brackets.`);
  }
  return text;
};

/** A virtual host's name, as a Host header carries it without the port; lower case. */
export const parseHostName: Parser<string> = (text, name) => {
  if (!isHostName(text)) throw new ConfigError(`${name} must be a host name such as rent.example.com, without a port.`);
  return text.toLowerCase();
};

/** A path prefix; the root is "". */
export const parsePrefix: Parser<string> = (text, name) => {
  const prefix = text.replace(/\/$/, "");
  const segments = prefix.split("/");
  const valid = /^(\/[A-Za-z0-9._~-]+)*$/.test(prefix) && !segments.includes(".") && !segments.includes("..");
  if (!valid) {
    throw new ConfigError(
      `${name} must be empty or a path such as /api/v1: letters, digits, "-", ".", "_", "~" and "/".`,
    );
  }
  return prefix;
};

export const parseDatabaseUrl: Parser<string> = (text, name) => {
  // `user@/name?host=/directory` (a Unix socket) is no URL to the standard parser; the driver fills in a host as we do.
  const parses = URL.canParse(text) || URL.canParse(text.replace("@/", "@localhost/"));
  if (!/^postgres(ql)?:\/\/\S*$/.test(text) || !parses) {
    throw new ConfigError(
      `${name} must be a URL postgres://user:password@host:port/name (or postgresql://…), with special characters percent-encoded.`,
    );
  }
  return text;
};

export const parseOperatorToken: Parser<string> = (text, name) => {
  if (!/^[\x21-\x7e]{32,}$/.test(text)) {
    throw new ConfigError(`${name} must have at least 32 characters, all of them printable ASCII without spaces.`);
  }
  return text;
};

export const parseSwitch: Parser<boolean> = (text, name) => {
  if (text !== "0" && text !== "1") throw new ConfigError(`${name} must be 0 (off) or 1 (on).`);
  return text === "1";
};

/** The first key encrypts and decrypts, the others only decrypt. */
export const parseEncryptionKeys: Parser<readonly Buffer[]> = (text, name) => {
  try {
    return parseKeys(text);
  } catch (error) {
    if (error instanceof BadKeys) throw new ConfigError(`${name}: ${error.message}`);
    throw error;
  }
};

export const parseLogLevel: Parser<LogLevel> = (text, name) => {
  const level = logLevels.find((known) => known === text);
  if (level === undefined) throw new ConfigError(`${name} must be one of ${logLevels.join(", ")}.`);
  return level;
};

export const parsePath: Parser<string> = (text, name) => {
  if (text === "" || text.includes("\0")) throw new ConfigError(`${name} must be a path, and not empty.`);
  return text;
};

/** The placeholders of `jupyter_url_template`. */
export const jupyterPlaceholders = ["id", "hostname", "ip", "token"] as const;

export const parseJupyterUrlTemplate: Parser<string> = (text, name) => {
  const known = new RegExp(`\\{(${jupyterPlaceholders.join("|")})\\}`, "g");
  const filled = text.replace(known, "1");
  if (!/^https?:\/\//.test(text) || !URL.canParse(filled) || /[{}\s]/.test(filled)) {
    const placeholders = jupyterPlaceholders.map((placeholder) => `{${placeholder}}`).join(", ");
    throw new ConfigError(`${name} must be an http:// or https:// URL; in braces it may hold only ${placeholders}.`);
  }
  return text;
};

/** RFC 1123: labels of 1 to 63 letters, digits and inner hyphens, 253 characters in all. */
function isHostName(text: string): boolean {
  return text.length <= 253 && text.split(".").every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));
}

/** Where the console is, without a slash at the end. It is at the root of its origin, and its pages follow. */
export function parseConsoleUrl(text: string, name: string): string {
  const url = /^https?:\/\/[^\s?#]+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^\/+$/.test(url.pathname)) return text.replace(/\/+$/, "");
  throw new ConfigError(
    `${name} must be an http:// or https:// URL without a path, such as https://cloud.acme.example.`,
  );
}
