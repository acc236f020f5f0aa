// The settings of email: where it is not configured there is none, and no error repeats the password.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { certificatePath } from "../../test/support/fake-incus/certificates.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { loadConfig } from "../config.ts";

const password = "canary-of-the-mail-password";

async function email(yaml: string, env: Record<string, string> = {}) {
  const cwd = await temporaryDirectory();
  writeFileSync(join(cwd, "lessor.yaml"), yaml);
  writeFileSync(join(cwd, "password"), `${password}\n`);
  mkdirSync(join(cwd, "tls"));
  writeFileSync(join(cwd, "tls", "ca.pem"), readFileSync(certificatePath("ca")));
  return loadConfig({ env, cwd }).email;
}

const least = "host: mail.acme.example, from: noreply@acme.example";

describe("email", () => {
  it("is not configured without a host", async () => {
    expect(await email("port: 1")).toBeUndefined();
    expect(await email("port: 1", { LESSOR_SMTP_PASSWORD: password })).toBeUndefined();
  });

  it("needs a host and a sender, and demands STARTTLS", async () => {
    expect(await email(`email: { ${least} }`)).toEqual({
      ...{ host: "mail.acme.example", port: 587, tls: "starttls", ca: undefined, login: undefined },
      from: { name: "", address: "noreply@acme.example" },
      ...{ consoleUrl: undefined, disabledKinds: [] },
    });
    for (const host of ["127.0.0.1", "localhost", '"::1"']) {
      expect(await email(`email: { host: ${host}, from: a@acme.example }`)).toMatchObject({ tls: "none" });
    }
  });

  it("takes everything there is to say, and the password from a file", async () => {
    const yaml =
      "email: { host: mail.acme.example, port: 2525, tls: implicit, ca_file: tls/ca.pem, user: lessor, " +
      "from: Acme Cloud <noreply@acme.example>, console_url: https://cloud.acme.example/, disabled_kinds: [maintenance] }";
    expect(await email(yaml, { LESSOR_SMTP_PASSWORD_FILE: "password" })).toEqual({
      ...{ host: "mail.acme.example", port: 2525, tls: "implicit", ca: expect.stringContaining("BEGIN CERTIFICATE") },
      login: { user: "lessor", password },
      from: { name: "Acme Cloud", address: "noreply@acme.example" },
      ...{ consoleUrl: "https://cloud.acme.example", disabledKinds: ["maintenance"] },
    });
    const inFile = await email(`email: { ${least}, tls: implicit, user: lessor, password: in-the-file }`);
    expect(inFile).toMatchObject({ port: 465, login: { user: "lessor", password: "in-the-file" } });
  });

  it.each([
    ["host: mail.acme.example", "email.from in lessor.yaml is required: an email address"],
    ["from: noreply@acme.example", "email.host in lessor.yaml is required: the IP address or name"],
    ["host: a b, from: noreply@acme.example", "email.host in lessor.yaml must be an IP address or a host name"],
    ["host: mail.acme.example, from: no-address", "email.from in lessor.yaml must be an email address"],
    [
      'host: mail.acme.example, from: "A\\r\\nBcc: b@acme.example <a@acme.example>"',
      "email.from in lessor.yaml must be",
    ],
    [`${least}, tls: maybe`, "email.tls in lessor.yaml must be one of starttls, implicit, none"],
    [`${least}, ca_file: tls/none.pem`, "email.ca_file in lessor.yaml must name a readable file"],
    [`${least}, console_url: cloud.acme.example`, "email.console_url in lessor.yaml must be an http"],
    [
      `${least}, console_url: https://cloud.acme.example/console`,
      "email.console_url in lessor.yaml must be an http:// or https:// URL without a path",
    ],
    [`${least}, disabled_kinds: [news]`, "email.disabled_kinds[0] in lessor.yaml must be"],
    [`${least}, user: lessor`, "email.user in lessor.yaml needs a password in LESSOR_SMTP_PASSWORD"],
    [`${least}, password: ${password}`, "email.user in lessor.yaml needs a password"],
    [`${least}, user: lessor, password: ${password}, tls: none`, "email.tls in lessor.yaml must not be none"],
  ])("is refused as %s", async (yaml, message) => {
    const error: unknown = await email(`email: { ${yaml} }`).catch((cause: unknown) => cause);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain(password);
  });
});
