import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../settings/error.ts";
import { settingIn } from "../../../settings/setting-path.ts";
import { resolveImage } from "./image.ts";

type Setting = Parameters<typeof resolveImage>[0];

const resolve = (setting: Setting) =>
  resolveImage(setting, "debian-12", (...path) => settingIn(["incus", 0, ...path], "lessor.yaml"));
const fingerprint = "aB".repeat(32);
const server = "https://images.example.com";

describe("an image of the catalogue on a cluster", () => {
  it.each<[string, Setting, object]>([
    ["an alias of its own", { alias: "debian/12" }, { kind: "alias", alias: "debian/12" }],
    ["a fingerprint of its own", { fingerprint }, { kind: "fingerprint", fingerprint: "ab".repeat(32) }],
    [
      "an alias of an image server, which speaks simplestreams unless told otherwise",
      { alias: "debian/12", server },
      { kind: "server", alias: "debian/12", server, protocol: "simplestreams" },
    ],
    [
      "an alias of another cluster",
      { alias: "debian/12", server: `${server}:8443/`, protocol: "incus" },
      { kind: "server", alias: "debian/12", server: `${server}:8443/`, protocol: "incus" },
    ],
    [
      "an alias of a server under a path",
      { alias: "24.04", server: `${server}/releases`, protocol: "simplestreams" },
      { kind: "server", alias: "24.04", server: `${server}/releases`, protocol: "simplestreams" },
    ],
  ])("is %s", (_, setting, source) => {
    expect(resolve(setting)).toEqual(source);
  });

  it.each<[Setting, string]>([
    [{}, "incus[0].images.debian-12 in lessor.yaml must have either alias or fingerprint."],
    [{ server }, "incus[0].images.debian-12 in lessor.yaml must have either alias or fingerprint."],
    [{ alias: "hunter2", fingerprint }, "images.debian-12 in lessor.yaml must have either alias or fingerprint."],
    [{ alias: "hunter2", protocol: "lxd" }, "images.debian-12.protocol in lessor.yaml must not be set without server."],
    [{ fingerprint, server }, "images.debian-12.server in lessor.yaml must not be set with fingerprint"],
    [
      { alias: "x", server: "https://me:hunter2@example.com" },
      "debian-12.server in lessor.yaml must be an https:// URL",
    ],
    [{ alias: "x", server: "https://example.com/?token=hunter2" }, "server in lessor.yaml must be an https:// URL"],
    [{ alias: "x", server: "https://hunter2:99999" }, "server in lessor.yaml must be an https:// URL"],
    [{ alias: "x", server: "https://" }, "server in lessor.yaml must be an https:// URL"],
  ])("is refused as %j, and nothing of it is repeated", (setting, message) => {
    expect(() => resolve(setting)).toThrow(ConfigError);
    expect(() => resolve(setting)).toThrow(message);
    expect(() => resolve(setting)).not.toThrow(/hunter2|images\.example/);
  });
});
