import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { refusalOf } from "../../../../test/support/setting-rules.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { settingIn } from "../../../settings/setting-path.ts";
import { readCloud } from "./clouds-file.ts";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  for (const name of ["ca.pem", "client.pem", "client.key"]) writeFileSync(join(directory, name), "");
});

const write = (name: string, content: unknown) =>
  writeFileSync(join(directory, name), typeof content === "string" ? content : stringify(content));
const read = (file = "clouds.yaml") =>
  readCloud(join(directory, file), "rent", (...path) => settingIn(["openstack", 0, ...path], "lessor.yaml"));

const application = {
  auth_type: "v3applicationcredential",
  auth: {
    auth_url: "https://cloud.example.com:5000/v3",
    application_credential_id: "abc",
    application_credential_secret: "hunter2",
  },
};
const password = {
  auth: {
    auth_url: "http://10.0.0.1:5000",
    username: "lessor",
    user_domain_name: "Default",
    password: "hunter2",
    project_name: "rent",
    project_domain_id: "default",
  },
};

/** The entry in clouds.yaml and, if given, in secure.yaml. */
function entry(cloud: object, secure?: object) {
  write("clouds.yaml", { clouds: { rent: cloud, other: { auth: {} } } });
  if (secure !== undefined) write("secure.yaml", { clouds: { rent: secure } });
  return read();
}

describe("an entry of clouds.yaml", () => {
  it("with an application credential needs its id, its secret and the address of Keystone", () => {
    expect(entry(application)).toEqual({
      authUrl: "https://cloud.example.com:5000/v3",
      credential: { kind: "application", id: "abc", secret: "hunter2" },
      region: undefined,
      interface: "public",
      ca: undefined,
      certificate: undefined,
    });
    expect(entry({ auth: application.auth }).credential.kind).toBe("application");
  });

  it("may name an application credential by its user", () => {
    const { application_credential_id: _, ...auth } = application.auth;
    const named = { ...auth, application_credential_name: "lessor", user_id: "u1" };
    expect(entry({ ...application, auth: named }).credential).toEqual({
      kind: "application-name",
      name: "lessor",
      secret: "hunter2",
      user: { id: "u1" },
    });
  });

  it("may have a password, where no type of authentication is named too", () => {
    const credential = {
      kind: "password",
      user: { name: "lessor", domain: { name: "Default" } },
      password: "hunter2",
      project: { name: "rent", domain: { id: "default" } },
    };
    for (const auth_type of [undefined, "password", "v3password"]) {
      expect(entry({ ...password, auth_type }).credential).toEqual(credential);
    }
  });

  it("may say everything else, with paths that begin at its file", () => {
    const rest = { region_name: "RegionOne", interface: "internal", verify: true, identity_api_version: 3 };
    const files = { cacert: "ca.pem", cert: "client.pem", key: join(directory, "client.key") };
    expect(entry({ ...application, ...rest, ...files })).toMatchObject({
      region: "RegionOne",
      interface: "internal",
      ca: join(directory, "ca.pem"),
      certificate: { cert: join(directory, "client.pem"), key: join(directory, "client.key") },
    });
    expect(entry({ ...application, interface: "adminURL" }).interface).toBe("admin");
  });

  it.each([
    ["http://10.0.0.1:5000", "http://10.0.0.1:5000/v3"],
    ["https://cloud.example.com/identity/", "https://cloud.example.com/identity/v3"],
    ["https://cloud.example.com/identity/v3/", "https://cloud.example.com/identity/v3"],
  ])("gets the version of the API where its address has none: %s", (auth_url, authUrl) => {
    expect(entry({ ...password, auth: { ...password.auth, auth_url } }).authUrl).toBe(authUrl);
  });

  it("takes from secure.yaml what that has, key by key", () => {
    const { password: _, ...auth } = password.auth;
    const secure = { auth: { password: "better", auth_url: "https://cloud.example.com/v3" } };
    expect(entry({ ...password, auth }, secure)).toMatchObject({
      authUrl: "https://cloud.example.com/v3",
      credential: { user: { name: "lessor" }, password: "better" },
    });
  });
});

describe("an entry that cannot be used", () => {
  const auth = (base: { auth: object }, change: object) => ({ ...base, auth: { ...base.auth, ...change } });
  it.each<[object, string]>([
    [{ auth: {} }, "auth.auth_url must be the URL of Keystone's version 3"],
    [auth(application, { auth_url: "https://hunter2/v2.0" }), "auth.auth_url must be the URL of Keystone's version 3"],
    [auth(application, { auth_url: "https://me:hunter2@x/v3" }), "auth.auth_url must be the URL"],
    [auth(application, { auth_url: "ftp://hunter2/v3" }), "auth.auth_url must be the URL"],
    [auth(application, { application_credential_secret: null }), "auth.application_credential_secret is required"],
    [auth(application, { application_credential_id: null }), "auth.application_credential_id is required"],
    [auth(application, { application_credential_secret: 4711 }), "secret must be text, in quotes"],
    [auth(password, { password: null }), "auth.password is required"],
    [auth(password, { username: null }), "auth.username or user_id is required"],
    [auth(password, { user_domain_name: null }), "auth.user_domain_name or user_domain_id is required with username"],
    [auth(password, { project_name: null }), "auth.project_name or project_id is required"],
    [auth(password, { project_domain_id: null }), "auth.project_domain_name or project_domain_id is required"],
    [{ ...application, auth_type: "v3oidcpassword" }, "auth_type must be v3applicationcredential, v3password"],
    [{ ...application, interface: "hunter2" }, "interface must be public, internal or admin"],
    [{ ...application, verify: false }, "name the file of the CA in cacert instead"],
    [{ ...application, insecure: true }, "name the file of the CA in cacert instead"],
    [{ ...application, cert: "client.pem" }, "cert must be set together with key"],
    [
      { ...application, cacert: "hunter2.pem" },
      "cacert in the entry of clouds_file must name a readable file (ENOENT)",
    ],
  ])("is refused by the name of its key, and no value is repeated: %j", (cloud, message) => {
    const said = refusalOf(() => entry(cloud));
    expect(said).toContain(message);
    expect(said).not.toMatch(/hunter2|4711|v2\.0|oidc/);
  });
});

describe("a file of clouds that cannot be used", () => {
  it.each<[string, () => unknown, string]>([
    ["none", () => {}, "openstack[0].clouds_file in lessor.yaml must name a readable file (ENOENT)."],
    ["no YAML", () => write("clouds.yaml", "clouds: { rent: hunter2"), "clouds_file in lessor.yaml is not valid YAML"],
    ["no clouds", () => write("clouds.yaml", "hunter2: {}"), 'clouds_file in lessor.yaml must have a map "clouds".'],
    [
      "another entry only",
      () => write("clouds.yaml", { clouds: { hunter2: application } }),
      "openstack[0].cloud in lessor.yaml must be the name of an entry in clouds_file.",
    ],
    [
      "a secure.yaml without clouds",
      () => {
        write("clouds.yaml", { clouds: { rent: application } });
        write("secure.yaml", "hunter2");
      },
      'secure.yaml must have a map "clouds".',
    ],
  ])("is refused: %s", (_, prepare, message) => {
    prepare();
    const said = refusalOf(() => read());
    expect(said).toContain(message);
    expect(said).not.toMatch(/hunter2/);
  });
});
