import { describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { defaultWebhookSettings } from "./settings.ts";
import { parseTarget } from "./target.ts";

const strict = defaultWebhookSettings;
const parse = async (url: string, settings = strict) => parseTarget(url, settings);

describe("a target", () => {
  it("is an https URL, kept in its normal form", async () => {
    expect(await parse("HTTPS://Example.COM:443/a b?c=d")).toBe("https://example.com/a%20b?c=d");
    expect(await parse("https://8.8.8.8/hook")).toBe("https://8.8.8.8/hook");
    expect(await parse("https://[2606:4700::1111]:8443/")).toBe("https://[2606:4700::1111]:8443/");
  });

  it.each([
    "",
    "example.com",
    "//example.com",
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://",
    "https://user@example.com/",
    "https://user:secret@example.com/",
    "https://:secret@example.com/",
    "https://example.com/#part",
    `https://example.com/${"x".repeat(2048)}`,
    "https://example.com:0/",
  ])("is refused: %s", async (url) => {
    const { fields } = await refusal("invalid-parameters", parse(url));
    expect(Object.keys(fields)).toEqual(["url"]);
    expect(JSON.stringify(fields)).not.toContain("secret");
  });

  it("is refused with what can be delivered to here", async () => {
    const sentence = async (settings: typeof strict) => {
      const { fields } = await refusal("invalid-parameters", parse("ftp://example.com/", settings));
      return fields.url?.message;
    };
    expect(await sentence(strict)).toBe("Only https:// URLs are supported.");
    expect(await sentence({ ...strict, allowHttp: true })).toBe("Only https:// and http:// URLs are supported.");
  });

  it("has no # at its end where nothing stands behind it", async () => {
    expect(await parse("https://example.com/hook?a=b#")).toBe("https://example.com/hook?a=b");
  });

  const localNames = ["localhost", "LOCALHOST.", "hooks.localhost", "printer.local", "printer.local.", "local"];
  it.each(localNames)("is refused where its name means nothing public: %s", async (host) => {
    await refusal("invalid-parameters", parse(`https://${host}/hook`));
    expect(await parse(`https://${host}/hook`, { ...strict, allowPrivateTargets: true })).toContain(host.toLowerCase());
  });

  it("may have a name that only looks like those", async () => {
    for (const host of ["notlocalhost", "localhost.example.com", "mylocal", "local.example.com"]) {
      expect(await parse(`https://${host}/`)).toBe(`https://${host}/`);
    }
  });

  const loopbacks = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "%31%32%37.0.0.1",
    "１２７.０.０.１",
    "0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "10.0.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "[fe80::1]",
    "[fd00::1]",
  ];
  it.each(loopbacks)("is refused where it is an address that is not public, however written: %s", async (host) => {
    await refusal("invalid-parameters", parse(`https://${host}/hook`));
  });

  it.each(loopbacks)("may be one where the operator allows it: %s", async (host) => {
    await parse(`https://${host}/hook`, { ...strict, allowPrivateTargets: true, deniedNetworks: [] });
  });

  it("may be http where the operator allows it, which allows no private address", async () => {
    const settings = { ...strict, allowHttp: true };
    expect(await parse("http://example.com/", settings)).toBe("http://example.com/");
    await refusal("invalid-parameters", parse("http://127.0.0.1/", settings));
  });
});
