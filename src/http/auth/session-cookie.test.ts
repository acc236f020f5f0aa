import { describe, expect, it } from "vitest";
import { newSessionSecret } from "../../secrets/session-secret.ts";
import { givenCookie, sessionSecretIn, takenCookie } from "./session-cookie.ts";

const { secret } = newSessionSecret();
const { secret: other } = newSessionSecret();
const http = { secure: false };
const https = { secure: true };

describe("the cookie that a browser is given", () => {
  it("is for this host only, out of reach of scripts, of other sites and of http", () => {
    const words = givenCookie(secret, 43_200.9, https).split("; ");
    expect(words).toEqual([
      `__Host-lessor_console=${secret}`,
      "Max-Age=43200",
      "Path=/",
      "HttpOnly",
      "SameSite=Strict",
      "Secure",
    ]);
  });

  it("can be kept by a browser that came by http, and is as far out of reach as it can be there", () => {
    const words = givenCookie(secret, 60, http).split("; ");
    expect(words).toEqual([`lessor_console=${secret}`, "Max-Age=60", "Path=/", "HttpOnly", "SameSite=Strict"]);
  });

  it("is taken away under the same name and path, and a life below nothing is nothing", () => {
    expect(takenCookie(https)).toMatch(/^__Host-lessor_console=; Max-Age=0; Path=\/; .*Secure$/);
    expect(takenCookie(http)).toMatch(/^lessor_console=; Max-Age=0; Path=\//);
    expect(givenCookie(secret, -5, http)).toContain("Max-Age=0;");
  });
});

describe("the secret in a Cookie header", () => {
  it("is found among others, under the name that its protocol has", () => {
    expect(sessionSecretIn(`a=b; lessor_console=${secret}; c=d`, http)).toBe(secret);
    expect(sessionSecretIn(`a=b;__Host-lessor_console=${secret}`, https)).toBe(secret);
    expect(sessionSecretIn(`lessor_console=${secret}`, https)).toBeUndefined();
    expect(sessionSecretIn(`__Host-lessor_console=${secret}`, http)).toBeUndefined();
  });

  it("is none where there are two, of which somebody else may have set one", () => {
    expect(sessionSecretIn(`lessor_console=${other}; lessor_console=${secret}`, http)).toBeUndefined();
  });

  it.each([
    undefined,
    "",
    "lessor_console",
    "lessor_console=",
    "lessor_console=short",
    `xlessor_console=${"a".repeat(43)}`,
  ])("is none in %j", (header) => {
    expect(sessionSecretIn(header, http)).toBeUndefined();
  });
});
