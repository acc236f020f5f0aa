// The settings of sign-in with OpenID Connect: what is missing, and what is wrong, without a secret in a message.

import { describe, expect, it } from "vitest";
import { resolveSignIn } from "./sign-in.ts";

const provider = { id: "acme", label: "Acme", issuer: "https://login.acme.example/", client_id: "lessor" };
const of = (one: object, secrets?: string, url = "https://cloud.acme.example/") =>
  resolveSignIn({ console_url: url, providers: [{ ...provider, ...one }] }, secrets, "lessor.yaml");

describe("sign_in", () => {
  it("has defaults, and a secret of the file or the environment, which takes precedence", () => {
    expect(resolveSignIn(undefined, "acme=x", "lessor.yaml")).toBeUndefined();
    expect(of({ client_secret: "of the file" })).toMatchObject({
      url: "https://cloud.acme.example",
      providers: [
        {
          ...{ issuer: "https://login.acme.example", clientSecret: "of the file", groups: [] },
          ...{ scopes: ["openid", "email", "profile"], linkByEmail: false, signUp: false, sessionMinutes: 60 },
          unconfirmedHours: 24,
        },
      ],
    });
    expect(of({ client_secret: "of the file" }, "other=a,acme=b=c==")?.providers[0]?.clientSecret).toBe("b=c==");
  });

  it.each([
    [{}, "", undefined, "sign_in.providers[0].client_secret in lessor.yaml is missing"],
    [{ issuer: "http://login.acme.example" }, "acme=x", undefined, "must be an https:// URL"],
    [{ issuer: "https://a.example?x" }, "acme=x", undefined, "without a query"],
    [{}, "acme=x", "cloud.acme.example", "sign_in.console_url in lessor.yaml must be"],
    [{}, "acme=x", "https://cloud.acme.example/console", "without a path"],
    [{}, "hidden", undefined, "LESSOR_SIGN_IN_SECRETS must be id=secret"],
  ])("rejects %j with secrets %s", (one, secrets, url, message) => {
    expect(() => of(one, secrets, url)).toThrow(message);
    expect(() => of(one, secrets, url)).not.toThrow("hidden");
  });

  it("takes providers on this machine without TLS, and none twice", () => {
    expect(of({ issuer: "http://127.0.0.1:9000" }, "acme=x")).toBeDefined();
    const twice = { console_url: "https://a.example", providers: [provider, provider] };
    expect(() => resolveSignIn(twice, "acme=x", "lessor.yaml")).toThrow("has acme twice");
  });
});
