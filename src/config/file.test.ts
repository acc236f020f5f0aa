import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { ConfigError } from "../settings/error.ts";
import { parseConfigFile, readConfigFile } from "./file.ts";

const parse = (text: string) => parseConfigFile(text, "lessor.yaml");

function refusal(text: string): string {
  try {
    parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error("nothing was refused");
}

describe("a configuration file", () => {
  it("may be empty, or hold only comments or empty groups", () => {
    expect(parse("")).toEqual({});
    expect(parse("# nothing yet\n")).toEqual({});
    expect(parse("port:\nlimits:\ninterfaces:\n  direct:\n")).toEqual({ interfaces: {} });
  });

  it("may hold everything at once", () => {
    const text = `
port: 80
host: 0.0.0.0
demo: false
interfaces: { direct: { enabled: true, prefix: "", host_name: d.example.com, port: 81 } }
limits: { max_quantity: 1000, body_bytes: 2048 }
defaults: { quotas: { gpus: 0 } }
simulated: { boot_seconds: [0, 0.25], seed: 7 }
reconciler: { concurrency: 1, lease_seconds: 2.5 }
jupyter_url_template: http://{ip}/
`;
    expect(parse(text)).toMatchObject({
      port: 80,
      interfaces: { direct: { port: 81 } },
      simulated: { boot_seconds: [0, 0.25] },
    });
  });

  it.each([
    ["prot: 80", '"prot"', "Did you mean port?"],
    ["limits: { maxQuantity: 3 }", '"limits.maxQuantity"', "Did you mean limits.max_quantity?"],
    [
      "interfaces: { direct: { hostname: x } }",
      '"interfaces.direct.hostname"',
      "Did you mean interfaces.direct.host_name?",
    ],
    [
      "interfaces: { reference: { restart_reboots: true } }",
      '"interfaces.reference.restart_reboots"',
      "Known settings: enabled, prefix, host_name, port.",
    ],
    [
      "interfaces: { lambda: { restart_reboot: true } }",
      '"interfaces.lambda.restart_reboot"',
      "Did you mean interfaces.lambda.restart_reboots?",
    ],
    ["interfaces: { markteplace: {} }", '"interfaces.markteplace"', "Did you mean interfaces.marketplace?"],
    ["colour: red", '"colour"', "Known settings: port, host,"],
    ["colour:", '"colour"', "Known settings:"],
    ["__proto__: { port: 80 }", '"__proto__"', "Known settings:"],
    ["constructor: 1", '"constructor"', "Known settings:"],
  ])("with %j is refused, with a correction", (text, key, hint) => {
    expect(refusal(text)).toContain(`lessor.yaml has an unknown setting ${key}. ${hint}`);
  });

  it.each([
    ['port: "80"', "port in lessor.yaml must be an integer from 0 to 65535."],
    ["port: 65536", "port in lessor.yaml must be an integer from 0 to 65535."],
    ["port: 80.5", "port in lessor.yaml must be an integer from 0 to 65535."],
    ["demo: 1", "demo in lessor.yaml must be true or false."],
    ["demo: yes", "demo in lessor.yaml must be true or false."],
    [
      "interfaces: { lambda: { restart_reboots: 1 } }",
      "interfaces.lambda.restart_reboots in lessor.yaml must be true or false.",
    ],
    ["limits: 5", "limits in lessor.yaml must be a map of max_quantity,"],
    ["limits: { max_quantity: 0 }", "limits.max_quantity in lessor.yaml must be an integer from 1 to 1000."],
    ["limits: { max_quantity: 1001 }", "limits.max_quantity in lessor.yaml must be an integer from 1 to 1000."],
    [
      "defaults: { quotas: { gpus: -1 } }",
      "defaults.quotas.gpus in lessor.yaml must be an integer from 0 to 2147483647.",
    ],
    [
      "defaults: { spend_limit_cents: -1 }",
      "defaults.spend_limit_cents in lessor.yaml must be an integer from 0 to 1000000000000.",
    ],
    [
      "defaults: { spend_limit_cents: 10.5 }",
      "defaults.spend_limit_cents in lessor.yaml must be an integer from 0 to 1000000000000.",
    ],
    [
      "defaults: { max_lifetime_seconds: 59 }",
      "defaults.max_lifetime_seconds in lessor.yaml must be an integer from 60 to 315360000.",
    ],
    ["defaults: { file_system_gb: 0 }", "defaults.file_system_gb in lessor.yaml must be an integer from 1 to 1000000."],
    [
      "defaults: { file_system_gb: 0.5 }",
      "defaults.file_system_gb in lessor.yaml must be an integer from 1 to 1000000.",
    ],
    ["simulated: { boot_seconds: 3 }", "simulated.boot_seconds in lessor.yaml must be a list of two numbers"],
    ["simulated: { boot_seconds: [3] }", "simulated.boot_seconds in lessor.yaml must be a list of two numbers"],
    ["simulated: { boot_seconds: [1, 2, 3] }", "simulated.boot_seconds in lessor.yaml must be a list of two numbers"],
    ["simulated: { boot_seconds: [1, a] }", "simulated.boot_seconds in lessor.yaml must be a list of two numbers"],
    ["simulated: { boot_seconds: [null, 1] }", "simulated.boot_seconds in lessor.yaml must be a list of two numbers"],
    ["simulated: { boot_seconds: [-1, .inf] }", "simulated.boot_seconds in lessor.yaml must be a list of two numbers"],
    [
      "reconciler: { lease_seconds: .nan }",
      "reconciler.lease_seconds in lessor.yaml must be a number of seconds from 1 to 3600.",
    ],
    ["operator_token: 12345678901234567890123456789012", "operator_token in lessor.yaml must be a string (in quotes"],
    ["- port: 80", "lessor.yaml must be a map of port,"],
    ["just words", "lessor.yaml must be a map of port,"],
  ])("with %j is refused, saying what is allowed", (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  it.each([
    ["port: 80\nport: 81", "line 2, column 1 (DUPLICATE_KEY)"],
    ["port: [80", "(BAD_INDENT)"],
    ["a: b: hunter2secret", "line 1"],
    ["operator_token: !secret hunter2secret", "(TAG_RESOLVE_FAILED)"],
    ["operator_token: *hunter2secret", "alias"],
    ["port: 80\n---\nport: 81", "(MULTIPLE_DOCS)"],
    ['operator_token: "hunter2secret', "line 1"],
    ["\tport: 80", "line 1"],
  ])("with %j is refused as no YAML, saying where and quoting nothing", (text, where) => {
    const message = refusal(text);
    expect(message).toMatch(/^lessor\.yaml is not valid YAML: /);
    expect(message).toContain(where);
    expect(message).not.toContain("hunter2secret");
  });

  it("never gives a value away, whatever is wrong with it", () => {
    const groups = fc.constantFrom(
      "operator_token",
      "encryption_key",
      "database_url",
      "demo",
      "limits",
      "interfaces",
      "port",
      "incus",
      "trusted_proxies",
    );
    const wrong = fc.constantFrom(
      "[$]",
      "{ $: }",
      "'$",
      "!t $",
      "&a $ *b",
      "$: $: $",
      "- $",
      "[[$]]",
      "{ a: [$, 1] }",
      '"$\\q"',
      "[{ name: $ }]",
      "[{ name: n, urls: [$, [$]], tls: $ }]",
      "[{ name: n, urls: [a], images: { a: $ }, regions: [$] }]",
      "[&a { name: *a, tls: $ }]",
      "[{ name: $ }]",
      "[{ name: n, urls: [$, [$]], tls: $ }]",
      "[{ name: n, urls: [a], images: { a: $ }, regions: [$] }]",
      "[&a { name: *a, tls: $ }]",
    );
    fc.assert(
      fc.property(groups, wrong, (key, pattern) => {
        const text = `${key}: ${pattern.replaceAll("$", "hunter2secret")}`;
        try {
          parse(text);
        } catch (error) {
          // A key of a map may be named; a value never.
          const named = /unknown setting "[\w.]*hunter2secret"/;
          expect(String(error).replace(named, "")).not.toContain("hunter2secret");
        }
      }),
    );
  });

  it("cannot be made to blow up by aliases of aliases", () => {
    const bomb = [
      "a0: &a0 [x, x]",
      ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`),
    ].join("\n");
    expect(refusal(bomb)).toContain("lessor.yaml");
  });
});

describe("finding the file", () => {
  const directory = mkdtempSync(join(tmpdir(), "lessor-config-"));
  const elsewhere = join(directory, "etc");
  mkdirSync(elsewhere);
  mkdirSync(join(elsewhere, "lessor.yaml"));
  writeFileSync(join(directory, "other.yaml"), "port: 81\n");
  afterAll(() => rmSync(directory, { recursive: true }));

  it("does without one when none is named and there is no lessor.yaml", () => {
    expect(readConfigFile(undefined, directory).settings).toEqual({});
  });

  it("reads a named one, relative to the working directory, and remembers where it is", () => {
    expect(readConfigFile("other.yaml", directory)).toEqual({ name: "other.yaml", directory, settings: { port: 81 } });
    expect(readConfigFile("../other.yaml", elsewhere).directory).toBe(directory);
    expect(readConfigFile(join(directory, "other.yaml"), "/").settings).toEqual({ port: 81 });
  });

  it("reads ./lessor.yaml where it exists", () => {
    writeFileSync(join(directory, "lessor.yaml"), "port: 82\n");
    expect(readConfigFile(undefined, directory).settings).toEqual({ port: 82 });
    rmSync(join(directory, "lessor.yaml"));
  });

  it("refuses a named one that is missing", () => {
    expect(() => readConfigFile("missing.yaml", directory)).toThrow(
      "LESSOR_CONFIG must name an existing file: there is no missing.yaml.",
    );
  });

  it("refuses a lessor.yaml that is there but cannot be read, rather than starting without it", () => {
    expect(() => readConfigFile(undefined, elsewhere)).toThrow("lessor.yaml cannot be read (EISDIR).");
    const locked = join(directory, "locked.yaml");
    writeFileSync(locked, "port: 83\n");
    chmodSync(locked, 0o000);
    // Root may read anything, so there the file is simply read.
    if (process.getuid?.() === 0) expect(readConfigFile(locked, "/").settings).toEqual({ port: 83 });
    else expect(() => readConfigFile(locked, "/")).toThrow("cannot be read (EACCES)");
  });
});
