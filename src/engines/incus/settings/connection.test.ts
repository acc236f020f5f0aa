import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigError } from "../../../settings/error.ts";
import { settingIn } from "../../../settings/setting-path.ts";
import { type IncusEndpoint, resolveEndpoints, resolveTls } from "./connection.ts";

const called = (...path: readonly (string | number)[]) => settingIn(["incus", 0, ...path], "lessor.yaml");
const endpoint = (url: string) => resolveEndpoints([url], called)[0];

describe("the addresses of a cluster", () => {
  it.each([
    ["https://10.0.0.1:8443", "https://10.0.0.1:8443"],
    ["https://10.0.0.1:8443/", "https://10.0.0.1:8443"],
    ["HTTPS://North.Example.com:9443", "https://north.example.com:9443"],
    ["https://[fd00::1]:9443", "https://[fd00::1]:9443"],
    ["https://north.example.com", "https://north.example.com:8443"],
    ["https://[fd00::1]", "https://[fd00::1]:8443"],
    ["https://north.example.com:443", "https://north.example.com:443"],
  ])("%s is the server %s", (text, url) => {
    expect(endpoint(text)).toEqual({ kind: "https", url });
  });

  it("may be Unix sockets, and keep their order", () => {
    expect(resolveEndpoints(["unix:///var/lib/incus/unix.socket", "https://b"], called)).toEqual([
      { kind: "unix", path: "/var/lib/incus/unix.socket" },
      { kind: "https", url: "https://b:8443" },
    ]);
    expect(endpoint(`unix:///${"a".repeat(106)}`)).toMatchObject({ kind: "unix" });
  });

  it.each([
    "",
    "hunter2.example.com:8443",
    "http://hunter2:8443",
    "https://",
    "https://:8443",
    "https://hunter2:99999",
    "https://hunter2:84a3",
    "https://me:hunter2@10.0.0.1",
    "https://hunter2@10.0.0.1",
    "https://10.0.0.1/hunter2",
    "https://10.0.0.1:8443/1.0?hunter2",
    "https://10.0.0.1#hunter2",
    "https://10.0.0.1 hunter2",
    " https://hunter2",
    "unix://hunter2",
    "unix:/run/hunter2",
    "unix:///",
    "unix://",
    `unix:///hunter2${"a".repeat(100)}`,
  ])("are refused like %j, by position and without repeating it", (text) => {
    const attempt = () => resolveEndpoints(["https://a", text], called);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow("incus[0].urls[1] in lessor.yaml must be https://host:port with nothing after it");
    expect(attempt).not.toThrow(/hunter2/);
  });
});

describe("TLS to a cluster", () => {
  const directory = mkdtempSync(join(tmpdir(), "lessor-config-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  for (const name of ["client.crt", "client.key", "ca.crt"]) writeFileSync(join(directory, name), "hunter2 in PEM");
  mkdirSync(join(directory, "hunter2-directory"));
  const https: IncusEndpoint[] = [
    { kind: "unix", path: "/run/x" },
    { kind: "https", url: "https://a:8443" },
  ];
  const sockets: IncusEndpoint[] = [{ kind: "unix", path: "/run/x" }];
  const files = { certificate: "client.crt", key: join(directory, "client.key") };
  const fingerprint = Array(32).fill("aB").join(":");

  it("has files relative to the settings' file, and the server's fingerprint however it was written", () => {
    const paths = { certificate: join(directory, "client.crt"), key: join(directory, "client.key") };
    const trust = { kind: "fingerprint", sha256: "ab".repeat(32) };
    expect(resolveTls({ ...files, fingerprint }, https, called, directory)).toEqual({ ...paths, trust });
    expect(resolveTls({ ...files, fingerprint: "AB".repeat(32) }, https, called, directory)?.trust).toEqual(trust);
  });

  it("may trust a CA instead", () => {
    const trust = { kind: "ca", path: join(directory, "ca.crt") };
    expect(resolveTls({ ...files, ca: "ca.crt" }, https, called, directory)?.trust).toEqual(trust);
  });

  it("is not there for Unix sockets, and refused where it is set for nothing", () => {
    expect(resolveTls(undefined, sockets, called, directory)).toBeUndefined();
    expect(() => resolveTls({ ...files, fingerprint }, sockets, called, directory)).toThrow(
      new ConfigError("incus[0].tls in lessor.yaml must not be set: all urls are Unix sockets, which do not use TLS."),
    );
  });

  it("is required as soon as one address is a server's", () => {
    expect(() => resolveTls(undefined, https, called, directory)).toThrow(
      "incus[0].tls in lessor.yaml is required for https:// urls: certificate, key, and fingerprint or ca.",
    );
  });

  it.each([{}, { fingerprint, ca: "ca.crt" }])(
    "wants to know in one way whom to trust, not in none or two",
    (trust) => {
      expect(() => resolveTls({ ...files, ...trust }, https, called, directory)).toThrow(
        "incus[0].tls in lessor.yaml must have either fingerprint (of the server's certificate) or ca",
      );
    },
  );

  it.each([
    ["certificate", "hunter2.crt", "ENOENT"],
    ["key", "hunter2-directory", "not a file"],
    ["key", "client.key/hunter2", "ENOTDIR"],
    ["ca", "hunter2.crt", "ENOENT"],
  ])("refuses a %s that is %s, at start and without repeating the path", (key, path, why) => {
    const attempt = () => resolveTls({ ...files, ca: "ca.crt", [key]: path }, https, called, directory);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(`incus[0].tls.${key} in lessor.yaml must name a readable file (${why}).`);
    expect(attempt).not.toThrow(/hunter2/);
  });

  it("refuses a key that only others may read", () => {
    const locked = join(directory, "locked.key");
    writeFileSync(locked, "hunter2 in PEM");
    chmodSync(locked, 0o000);
    const attempt = () => resolveTls({ ...files, key: locked, fingerprint }, https, called, directory);
    // Root may read anything, so there it is simply taken.
    if (process.getuid?.() === 0) expect(attempt()?.key).toBe(locked);
    else expect(attempt).toThrow("incus[0].tls.key in lessor.yaml must name a readable file (EACCES).");
  });
});
