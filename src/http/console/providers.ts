// The OpenID Connect providers that are configured, by id; what calls them is loaded when it is first needed. Used by
// session-routes.ts, and by composition.ts for the confirmations of the reconciler.

import type { Confirmations } from "../../rental/people/confirmations.ts";
import type { SignInSettings } from "../../rules/sign-in-providers.ts";
import type { ProviderClient } from "./provider-client.ts";

export function createProviders(settings: SignInSettings | undefined) {
  const clients = new Map<string, Promise<ProviderClient>>();
  const known = new Map(settings?.providers.map((one) => [one.id, one]));
  return {
    listed: [...known.values()].map(({ id, label }) => ({ id, label })),
    async of(id: string): Promise<ProviderClient | undefined> {
      const provider = known.get(id);
      if (provider === undefined || settings === undefined) return undefined;
      const client =
        clients.get(id) ??
        import("./provider-client.ts").then(({ createProviderClient }) => createProviderClient(provider, settings.url));
      clients.set(id, client);
      return client;
    },
  };
}

export type Providers = ReturnType<typeof createProviders>;

/** Undefined: no provider is configured. */
export function createConfirmations(settings: SignInSettings | undefined): Confirmations | undefined {
  if (settings === undefined || settings.providers.length === 0) return undefined;
  const clients = createProviders(settings);
  return {
    providers: settings.providers,
    async refresh({ id }, refreshToken, subject) {
      const client = await clients.of(id);
      return client?.refresh(refreshToken, subject) ?? { status: "unknown", problem: "not configured" };
    },
  };
}
