import { describe, expect, it } from "vitest";
import { explain } from "./connection-trouble.ts";

const https = { kind: "https", url: "https://10.0.0.1:8443" } as const;
const withCode = (code: string) => Object.assign(new Error(`it said ${code}`), { code });
const told = (error: unknown) => explain.failure(error, https, error instanceof Error ? error.message : String(error));

describe("a connection that failed", () => {
  it.each([
    ["ECONNREFUSED", "nothing listens there"],
    ["EHOSTUNREACH", "there is no route to it"],
    ["UND_ERR_CONNECT_TIMEOUT", "it does not respond"],
    ["EACCES", "this user has no permission to open the socket"],
    ["ENOTFOUND", "its name cannot be resolved"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate was not issued by the CA in tls.ca"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another name or address"],
    ["CERT_HAS_EXPIRED", "its certificate is not valid at this time"],
    ["ERR_OSSL_X509_KEY_VALUES_MISMATCH", "tls.certificate and tls.key do not belong together"],
    ["ERR_OSSL_PEM_NO_START_LINE", "tls.certificate, tls.key or tls.ca is not in PEM, or damaged"],
    ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "it rejects Lessor's certificate"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "the server there does not use TLS as the API does"],
  ])("%s means: %s, with advice", (code, detail) => {
    expect(told(withCode(code))).toMatchObject({ detail, advice: expect.stringMatching(/\w/) });
  });

  it("is understood also behind the engine's own error, and of the first of several addresses", () => {
    expect(told(new Error("not connected", { cause: withCode("ECONNREFUSED") })).detail).toBe("nothing listens there");
    expect(told(new AggregateError([withCode("EHOSTUNREACH")])).detail).toBe("there is no route to it");
  });

  it("for an unknown reason is told in its own words", () => {
    expect(told(new Error("the moon is full"))).toEqual({ detail: "the moon is full", advice: explain.silence });
    expect(explain.failure(new Error(""), https, "").detail).toBe("the connection failed");
  });
});
