// An entry of clouds.yaml, the file that OpenStack's own clients use, merged with secure.yaml beside it. Used by
// settings.ts.

/** An entry of clouds.yaml. SECRET: never log it. */
export interface CloudAccess {
  /** Ends in /v3, without a trailing slash. */
  readonly authUrl: string;
  readonly credential:
    | { readonly kind: "application"; readonly id: string; readonly secret: string }
    | { readonly kind: "application-name"; readonly name: string; readonly secret: string; readonly user: CloudUser }
    | {
        readonly kind: "password";
        readonly user: CloudUser;
        readonly password: string;
        readonly project: CloudProject;
      };
  readonly region: string | undefined;
  readonly interface: "public" | "internal" | "admin";
  /** The PEM file of the CA, an absolute path; undefined: the CAs of the operating system. */
  readonly ca: string | undefined;
  /** PEM files of our certificate, absolute paths. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
}

export type CloudUser = InDomain;
export type CloudProject = InDomain;

type Reference = { readonly id: string } | { readonly name: string };
type InDomain = { readonly id: string } | { readonly name: string; readonly domain: Reference };
