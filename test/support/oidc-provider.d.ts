// What real-provider.ts uses of oidc-provider, which comes without types.

declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  interface Settings {
    readonly clients: readonly object[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly conformIdTokenClaims: boolean;
    readonly cookies: { readonly keys: readonly string[] };
    readonly issueRefreshToken?: () => boolean;
    readonly rotateRefreshToken?: boolean;
    readonly expiresWithSession?: () => boolean;
    readonly findAccount: (
      context: unknown,
      sub: string,
    ) => { readonly accountId: string; readonly claims: () => Promise<Readonly<Record<string, unknown>>> } | undefined;
  }

  // biome-ignore lint/style/noDefaultExport: the package has it.
  export default class Provider {
    constructor(issuer: string, settings: Settings);
    callback(): RequestListener;
  }
}
