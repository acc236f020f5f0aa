// Sign-in with OpenID Connect: the settings of providers, and what groups mean. Used by the settings, http/console and
// rental/people.

import type { TeamRole } from "./roles.ts";

export interface SignInProvider {
  /** In addresses and records. */
  readonly id: string;
  /** On the sign-in page. */
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** SECRET. */
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** A person with the same address that the provider has verified is that person. Off. */
  readonly linkByEmail: boolean;
  /** Whether a person that is not known gets a team of their own. Off: must be known, or in a group. */
  readonly signUp: boolean;
  /** The claim that has the names of groups. */
  readonly groupsClaim: string;
  /** The first entry of an account whose group the person is in decides the role there. */
  readonly groups: readonly GroupMapping[];
  /** The longest session, in minutes: a person that was disabled at the provider loses access after it. */
  readonly sessionMinutes: number;
  /** How long a person has access, in hours, since the provider confirmed it: it gives no refresh tokens, or does not respond. */
  readonly unconfirmedHours: number;
}

export interface GroupMapping {
  readonly group: string;
  /** The name of the account. */
  readonly account: string;
  readonly role: TeamRole;
}

export interface SignInSettings {
  /** Of the console, without a slash at the end: where providers send browsers back to. */
  readonly url: string;
  readonly providers: readonly SignInProvider[];
}

/** Sign-ins that begin from one client address within an hour: those of an office, and no flood of rows. */
export const attemptsPerClient = 600;
/** How long a sign-in at a provider may take, in minutes. */
export const attemptMinutes = 10;
/** The difference of clocks that is tolerated, in seconds. */
export const clockToleranceSeconds = 30;

/** Seconds between two confirmations, so that one fits into each bound. */
export const confirmSeconds = ({ sessionMinutes, unconfirmedHours }: SignInProvider): number =>
  Math.min(sessionMinutes * 60, unconfirmedHours * 3600) / 2;

/** Where a provider sends the browser back to: one address per provider, so that responses cannot be mixed up. */
export const callbackPath = (provider: string) => `/console/sign-in/${provider}/callback`;

/** The role by account that these groups give; undefined: none. For each account that is mapped. */
export function rolesOf(
  { groups: mappings }: Pick<SignInProvider, "groups">,
  groups: ReadonlySet<string>,
): ReadonlyMap<string, TeamRole | undefined> {
  const roles = new Map<string, TeamRole | undefined>();
  for (const { account, group, role } of mappings) {
    roles.set(account, roles.get(account) ?? (groups.has(group) ? role : undefined));
  }
  return roles;
}

/** The address after a sign-in: a path of the console, and "/" for anything that could lead elsewhere. */
export function ownPath(wanted: string | undefined): string {
  // No "//", nor "." that resolves to one: it begins the name of a host.
  const isPath = wanted !== undefined && /^(?=\/)(\/[\w\-~%][\w\-~%.]*)*\/?(\?[\w\-./~%?=&]*)?$/.test(wanted);
  return isPath ? wanted : "/";
}
