// The settings of sign-in with OpenID Connect (lessor.yaml `sign_in`): schema, defaults and parsed form. Client secrets are in
// the file, or in LESSOR_SIGN_IN_SECRETS as `id=secret`, separated by commas or lines. Used by config.ts and file-schema.ts.
//
// Invariant: providers are reached by https, or on this machine; no message repeats a secret.

import { type Static, Type } from "typebox";
import { teamRoles } from "../rules/roles.ts";
import type { SignInProvider, SignInSettings } from "../rules/sign-in-providers.ts";
import { ConfigError } from "../settings/error.ts";
import { group, integer, onOff, text, textLike } from "../settings/schema-parts.ts";
import { settingIn } from "../settings/setting-path.ts";
import { parseConsoleUrl } from "./values.ts";

const words = (description: string) => Type.String({ minLength: 1, description });

export const SignInSchema = Type.Optional(
  group({
    console_url: words("a URL, such as https://cloud.acme.example"),
    providers: Type.Array(
      group({
        id: textLike({ pattern: "^[a-z][a-z0-9-]{0,31}$", description: "lower-case letters, digits and hyphens" }),
        label: words("a string"),
        issuer: words("a URL, such as https://login.acme.example"),
        client_id: words("a string (in quotes if it looks like a number)"),
        client_secret: text("a string (in quotes if it looks like a number)"),
        scopes: Type.Optional(Type.Array(Type.String(), { description: "a list of scopes" })),
        link_by_email: onOff(),
        sign_up: onOff(),
        groups_claim: text("a string"),
        groups: Type.Optional(
          Type.Array(
            group({
              group: words("a string"),
              account: words("the name of an account"),
              role: Type.Enum([...teamRoles], { description: `one of ${teamRoles.join(", ")}` }),
            }),
            { description: "a list of maps of group, account, role" },
          ),
        ),
        session_minutes: integer(5, 720),
        unconfirmed_hours: integer(1, 2160),
      }),
      { description: "a list of providers" },
    ),
  }),
);

/** `secrets`: of the environment, which take precedence. Throws ConfigError. */
export function resolveSignIn(
  settings: Static<typeof SignInSchema> | undefined,
  secrets: string | undefined,
  fileName: string,
): SignInSettings | undefined {
  if (settings === undefined) return undefined;
  const given = secretsIn(secrets);
  const url = parseConsoleUrl(settings.console_url, settingIn(["sign_in", "console_url"], fileName));
  const providers = settings.providers.map((one, index): SignInProvider => {
    const named = (key: string) => settingIn(["sign_in", "providers", index, key], fileName);
    const clientSecret = given.get(one.id) ?? one.client_secret;
    if (clientSecret === undefined) {
      throw new ConfigError(`${named("client_secret")} is missing: set it, or LESSOR_SIGN_IN_SECRETS.`);
    }
    return {
      ...{ id: one.id, label: one.label, issuer: urlAt(one.issuer, named("issuer"), true), clientId: one.client_id },
      clientSecret,
      scopes: [...new Set(["openid", ...(one.scopes ?? ["email", "profile"])])],
      linkByEmail: one.link_by_email ?? false,
      signUp: one.sign_up ?? false,
      groupsClaim: one.groups_claim ?? "groups",
      groups: one.groups ?? [],
      sessionMinutes: one.session_minutes ?? 60,
      unconfirmedHours: one.unconfirmed_hours ?? 24,
    };
  });
  const ids = providers.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw new ConfigError(`${settingIn(["sign_in", "providers"], fileName)} has ${twice} twice.`);
  return { url, providers };
}

function secretsIn(text: string | undefined): ReadonlyMap<string, string> {
  const entries = (text ?? "").split(/[,\n]/).filter((entry) => entry.trim() !== "");
  return new Map(
    entries.map((entry): [string, string] => {
      const [, id, secret] = /^\s*([a-z][a-z0-9-]*)=(\S+)\s*$/.exec(entry) ?? [];
      if (id !== undefined && secret !== undefined) return [id, secret];
      throw new ConfigError("LESSOR_SIGN_IN_SECRETS must be id=secret, separated by commas.");
    }),
  );
}

/** `mustBeSafe`: https, or a loopback address. */
function urlAt(given: string, name: string, mustBeSafe = false): string {
  const url = URL.canParse(given) && /^https?:\/\/[^\s?#]+$/.test(given) ? new URL(given) : undefined;
  if (url === undefined) throw new ConfigError(`${name} must be an http:// or https:// URL without a query.`);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (mustBeSafe && url.protocol !== "https:" && !isLocal) throw new ConfigError(`${name} must be an https:// URL.`);
  return given.replace(/\/+$/, "");
}
