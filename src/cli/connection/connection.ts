// Which service a command talks to, and with which token: LESSOR_URL and LESSOR_TOKEN, or what `lessor login` kept. A token
// is never taken from the command line, where the process list and the shell's history would keep it.
//
// Invariant: a kept token goes to the service it was kept for and to no other, whatever LESSOR_URL says.

import { CommandError, usageError } from "../command-error.ts";
import { type Profile, readProfiles } from "./config-file.ts";

export interface Connection {
  /** The service's address as it was given, with or without the prefix of its control interface. */
  readonly address: string;
  readonly token: string;
}

export const defaultAddress = "http://127.0.0.1:8080";

/** Where the environment (LESSOR_URL, LESSOR_TOKEN, LESSOR_PROFILE) and the kept profiles lead. Throws CommandError. */
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

/** Without what surrounds it, for files end in a line end. Throws CommandError, without it, for what cannot be a token. */
export function tokenIn(text: string, where: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw usageError(
    token === "" ? "No token was given." : `${where} is not a token: it has invalid characters.`,
    "Copy the complete token. Tokens start with lessor_.",
  );
}

/** The service's address alone. Throws CommandError for a profile that is not there. */
export function addressFrom(env: NodeJS.ProcessEnv): string {
  return env.LESSOR_URL || profileFrom(env)?.url || defaultAddress;
}

/** The profile of LESSOR_PROFILE (`--profile`), or the current one. Throws CommandError where the named one is not there. */
function profileFrom(env: NodeJS.ProcessEnv): Profile | undefined {
  const { current, profiles } = readProfiles(env);
  const named = env.LESSOR_PROFILE || undefined;
  const found = Object.hasOwn(profiles, named ?? current) ? profiles[named ?? current] : undefined;
  if (found !== undefined || named === undefined) return found;
  // Both are given: the environment says all there is to say.
  if (env.LESSOR_URL && env.LESSOR_TOKEN) return undefined;
  const known = Object.keys(profiles);
  const hint = known.length === 0 ? "" : ` Profiles: ${known.join(", ")}.`;
  throw usageError(`There is no profile "${named}".${hint}`, `Create it with lessor login --profile ${named}.`);
}

/** The base of the control API at `address`: a URL without a path is where the whole service is. Throws CommandError. */
export function controlBase(address: string): string {
  const url = serviceUrl(address);
  return `${url.origin}${url.pathname === "/" ? "/control/v1" : url.pathname.replace(/\/+$/, "")}`;
}

/** The address as a URL. Throws CommandError where it is none of http or https. */
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
