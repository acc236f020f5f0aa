// The service and token of a command: LESSOR_URL and LESSOR_TOKEN, or what `lessor login` stored. A token is never read
// from the command line, which the process list and the shell's history expose.
//
// Invariant: a stored token is sent only to the service that it was stored for, whatever LESSOR_URL says.

import { CommandError, usageError } from "../command-error.ts";
import { type Profile, readProfiles } from "./config-file.ts";

export interface Connection {
  /** The service's address as given, with or without the prefix of its control interface. */
  readonly address: string;
  readonly token: string;
}

export const defaultAddress = "http://127.0.0.1:8080";

/** The connection from LESSOR_URL, LESSOR_TOKEN and LESSOR_PROFILE, and the profiles. Throws CommandError. */
export function connectionFrom(env: NodeJS.ProcessEnv): Connection {
  const address = addressFrom(env);
  if (env.LESSOR_TOKEN) return { address, token: tokenIn(env.LESSOR_TOKEN, "LESSOR_TOKEN") };
  const profile = profileFrom(env);
  if (profile === undefined) {
    throw new CommandError("You are not signed in.", "Sign in with lessor login, or set LESSOR_TOKEN.", {
      exit: "not-authorized",
    });
  }
  if (originOf(profile.url) === originOf(address)) return { address, token: profile.token };
  throw new CommandError(
    `LESSOR_URL is ${address}, but the stored token belongs to ${profile.url}.`,
    "Sign in with lessor login --profile <name>, or also set LESSOR_TOKEN.",
    { exit: "not-authorized" },
  );
}

/** Trimmed, since files end with a newline. Throws CommandError, without the text, if it cannot be a token. */
export function tokenIn(text: string, where: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw usageError(
    token === "" ? "No token was given." : `${where} is not a token: it has invalid characters.`,
    "Copy the complete token. Tokens start with lessor_.",
  );
}

/** Only the service's address. Throws CommandError for an unknown profile. */
export function addressFrom(env: NodeJS.ProcessEnv): string {
  return env.LESSOR_URL || profileFrom(env)?.url || defaultAddress;
}

/** The profile of LESSOR_PROFILE (`--profile`), or the current one. Throws CommandError if the named one is unknown. */
function profileFrom(env: NodeJS.ProcessEnv): Profile | undefined {
  const { current, profiles } = readProfiles(env);
  const named = env.LESSOR_PROFILE || undefined;
  const found = Object.hasOwn(profiles, named ?? current) ? profiles[named ?? current] : undefined;
  if (found !== undefined || named === undefined) return found;
  // Both are set, so no profile is needed.
  if (env.LESSOR_URL && env.LESSOR_TOKEN) return undefined;
  const known = Object.keys(profiles);
  const hint = known.length === 0 ? "" : ` Profiles: ${known.join(", ")}.`;
  throw usageError(`There is no profile "${named}".${hint}`, `Create it with lessor login --profile ${named}.`);
}

/** The base of the control API at `address`: a URL without a path is the root of the service. Throws CommandError. */
export function controlBase(address: string): string {
  const url = serviceUrl(address);
  return `${url.origin}${url.pathname === "/" ? "/control/v1" : url.pathname.replace(/\/+$/, "")}`;
}

/** The address as a URL. Throws CommandError if it is not http or https. */
export function serviceUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw usageError("LESSOR_URL is not an http or https URL.", "Use http://127.0.0.1:8080, for example.");
  }
  return url;
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}
