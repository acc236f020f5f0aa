// What is wrong when a connection to an endpoint fails, and what to do, from the error's code or words. Pure; used by
// endpoints.ts. Codes: Node's system errors, and those of OpenSSL's certificate verification.

import type { IncusEndpoint } from "../settings/connection.ts";

interface Trouble {
  readonly detail: string;
  readonly advice: string;
}

const silence = "is the daemon running, its API on this address (core.https_address), and no firewall between?";

const rows: readonly { readonly codes: RegExp; readonly detail: string; readonly advice: string }[] = [
  { codes: /^ENOENT$/, detail: "there is no such socket", advice: "is the daemon running? If so, correct urls" },
  {
    codes: /^EACCES$/,
    detail: "this user may not open the socket",
    advice: "run Lessor as a user in the socket's group (incus-admin, or lxd)",
  },
  { codes: /^ECONNREFUSED$/, detail: "nothing listens there", advice: silence },
  { codes: /^(EHOSTUNREACH|ENETUNREACH)$/, detail: "there is no route to it", advice: silence },
  { codes: /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, detail: "it does not answer", advice: silence },
  { codes: /^(ENOTFOUND|EAI_AGAIN)$/, detail: "its name is not known", advice: "correct urls, or the DNS" },
  {
    codes: /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/,
    detail: "its certificate was not issued by the CA in tls.ca",
    advice: "name the CA that issued it in tls.ca, or pin the certificate by tls.fingerprint in the place of tls.ca",
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    detail: "its certificate is for another name or address",
    advice: "use the name it was issued for in urls, or pin the certificate by tls.fingerprint in the place of tls.ca",
  },
  {
    codes: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    detail: "its certificate is not valid at this time",
    advice: "renew it; if it should be valid, compare the clocks",
  },
  {
    codes: /KEY_VALUES_MISMATCH/,
    detail: "tls.certificate and tls.key do not belong together",
    advice: "name the key that the certificate was made with",
  },
  {
    codes: /^ERR_OSSL_(PEM|X509|ASN1|UNSUPPORTED|.*DECODER)/,
    detail: "tls.certificate, tls.key or tls.ca is not in PEM, or damaged",
    advice: "make a key and certificate anew, and let the cluster trust it",
  },
  {
    codes: /^ERR_SSL_.*ALERT/,
    detail: "it refuses our certificate",
    advice: "the cluster may accept only certificates of its own CA (core.trust_ca_certificates): use one of those",
  },
  {
    codes: /^ERR_SSL_/,
    detail: "what answers there does not speak TLS as the API does",
    advice: "correct urls: the API is mostly at port 8443",
  },
];

function failure(error: unknown, endpoint: IncusEndpoint, words: string): Trouble {
  const shown = /fingerprint than the one that is trusted: ([0-9a-f]{64})/.exec(words)?.[1];
  if (shown !== undefined) {
    return {
      detail: `its certificate is not the one in tls.fingerprint, but has ${shown}`,
      advice:
        "ask on a member which is right (incus info, or lxc info: certificate_fingerprint); if it is this, put it into " +
        "tls.fingerprint; if not, somebody is between",
    };
  }
  const code = codeOf(error);
  const row = rows.find(({ codes }) => codes.test(code));
  if (row !== undefined) return row;
  const detail = words === "" ? code || "the connection failed" : words;
  return { detail, advice: endpoint.kind === "unix" ? "is the daemon running?" : silence };
}

/** Of several addresses of one name, the first one's. The engine's own errors have the system's as their cause. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return "";
  return "code" in error ? String(error.code) : codeOf(error.cause);
}

export const explain = { silence, failure } as const;
