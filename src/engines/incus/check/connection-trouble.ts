// Explains a failed connection to an endpoint, and what to do, by the error's code or message. Pure; used by
// endpoints.ts. Codes: Node's system errors, and those of OpenSSL's certificate verification.

import type { IncusEndpoint } from "../settings/connection.ts";

interface Trouble {
  readonly detail: string;
  readonly advice: string;
}

const silence = "check that the daemon runs, that core.https_address has this address, and that no firewall blocks it";

const rows: readonly { readonly codes: RegExp; readonly detail: string; readonly advice: string }[] = [
  { codes: /^ENOENT$/, detail: "the socket does not exist", advice: "start the daemon, or correct urls" },
  {
    codes: /^EACCES$/,
    detail: "this user has no permission to open the socket",
    advice: "run Lessor as a user in the socket's group (incus-admin, or lxd)",
  },
  { codes: /^ECONNREFUSED$/, detail: "nothing listens there", advice: silence },
  { codes: /^(EHOSTUNREACH|ENETUNREACH)$/, detail: "there is no route to it", advice: silence },
  { codes: /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, detail: "it does not respond", advice: silence },
  { codes: /^(ENOTFOUND|EAI_AGAIN)$/, detail: "its name cannot be resolved", advice: "correct urls or the DNS" },
  {
    codes: /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/,
    detail: "its certificate was not issued by the CA in tls.ca",
    advice: "name the CA that issued it in tls.ca, or pin the certificate by tls.fingerprint instead of tls.ca",
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    detail: "its certificate is for another name or address",
    advice: "use the name it was issued for in urls, or pin the certificate by tls.fingerprint instead of tls.ca",
  },
  {
    codes: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    detail: "its certificate is not valid at this time",
    advice: "renew it; if it should be valid, compare the clocks",
  },
  {
    codes: /KEY_VALUES_MISMATCH/,
    detail: "tls.certificate and tls.key do not belong together",
    advice: "set tls.key to the key of this certificate",
  },
  {
    codes: /^ERR_OSSL_(PEM|X509|ASN1|UNSUPPORTED|.*DECODER)/,
    detail: "tls.certificate, tls.key or tls.ca is not in PEM, or damaged",
    advice: "create a new key and certificate, and add it to the cluster's trust store",
  },
  {
    codes: /^ERR_SSL_.*ALERT/,
    detail: "it rejects Lessor's certificate",
    advice: "the cluster may accept only certificates of its own CA (core.trust_ca_certificates): use one of those",
  },
  {
    codes: /^ERR_SSL_/,
    detail: "the server there does not use TLS as the API does",
    advice: "correct urls: the API usually listens on port 8443",
  },
];

function failure(error: unknown, endpoint: IncusEndpoint, words: string): Trouble {
  const shown = /fingerprint than the one that is trusted: ([0-9a-f]{64})/.exec(words)?.[1];
  if (shown !== undefined) {
    return {
      detail: `its certificate is not the one in tls.fingerprint, but has ${shown}`,
      advice:
        "compare it on a member (incus info, or lxc info: certificate_fingerprint); if it matches, put it into " +
        "tls.fingerprint; if not, the connection is intercepted",
    };
  }
  const code = codeOf(error);
  const row = rows.find(({ codes }) => codes.test(code));
  if (row !== undefined) return row;
  const detail = words === "" ? code || "the connection failed" : words;
  return { detail, advice: endpoint.kind === "unix" ? "check that the daemon runs" : silence };
}

/** For several addresses of one name, the code of the first. The engine's own errors have the system error as their cause. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return "";
  return "code" in error ? String(error.code) : codeOf(error.cause);
}

export const explain = { silence, failure } as const;
