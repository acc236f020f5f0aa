import { describe, expect, it } from "vitest";
import { ConfigError } from "../settings/error.ts";
import { parseConfigFile } from "./file.ts";
import { resolveTrustedProxies } from "./trusted-proxies.ts";

const resolve = (...texts: string[]) => resolveTrustedProxies(texts, "lessor.yaml");

describe("trusted_proxies", () => {
  it("are none unless there are some", () => {
    expect(resolveTrustedProxies(undefined, "lessor.yaml")).toEqual([]);
  });

  it.each(["10.0.0.7", "10.0.0.0/8", "0.0.0.0/0", "192.0.2.1/32", "2001:db8::1", "2001:db8::/32", "::1", "::/0"])(
    "may be %s",
    (text) => {
      expect(resolve(text)).toEqual([text]);
    },
  );

  it.each([
    "",
    "10.1",
    "010.0.0.1",
    "0x0a000001",
    "10.0.0.256",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0.0.0/ 8",
    "2001:db8::/129",
    "fe80::1%eth0",
    "::ffff:10.0.0.7",
    "proxy.example.com",
    "loopback",
    "*",
  ])("may not be %j, and the message says where it stands without repeating it", (text) => {
    expect(() => resolve("10.0.0.7", text)).toThrow(ConfigError);
    expect(() => resolve("10.0.0.7", text)).toThrow(/^trusted_proxies\[1\] in lessor\.yaml must be an IP address/);
  });

  it("are a list in the file", () => {
    expect(parseConfigFile('trusted_proxies: ["10.0.0.0/8"]', "lessor.yaml")).toEqual({
      trusted_proxies: ["10.0.0.0/8"],
    });
    expect(() => parseConfigFile("trusted_proxies: 10.0.0.7", "lessor.yaml")).toThrow(
      "trusted_proxies in lessor.yaml must be a list of IP addresses and networks, each in quotes.",
    );
  });
});
