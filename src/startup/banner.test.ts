import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { catalogText, endText, launchText, placesText, tokensText } from "./banner.ts";

const root = resolve(import.meta.dirname, "../..");
const control = "http://127.0.0.1:8080/control/v1";

describe("a service without the demo", () => {
  it("with engines of its own, tells how to check them first, and then to bring in a catalogue without simulated hosts", () => {
    expect(catalogText(control, true)).toBe(
      [
        "",
        "Check your hosts:",
        "",
        "  bin/lessor engine check",
        "",
        "Apply a catalog:",
        "",
        `  LESSOR_URL=${control} LESSOR_TOKEN=$OPERATOR_TOKEN bin/lessor apply -f examples/cluster-catalog.yaml`,
      ].join("\n"),
    );
  });

  it("without, tells how to bring in simulated hosts, and speaks of no check", () => {
    const text = catalogText(control, false);
    expect(text).toContain("bin/lessor apply -f examples/demo-catalog.yaml");
    expect(text).not.toMatch(/engine check|cluster|fit to serve/);
  });

  it("names programs and files that are there", () => {
    for (const hasEngines of [true, false]) {
      const named = catalogText(control, hasEngines).match(/(?:bin|examples)\/[\w.-]+/g) ?? [];
      expect(named.length).toBeGreaterThan(1);
      expect(named.filter((name) => !existsSync(resolve(root, name)))).toEqual([]);
    }
  });

  it("leaves the URL to the command where the control interface is switched off", () => {
    expect(catalogText(undefined, true)).toContain("\n  LESSOR_TOKEN=$OPERATOR_TOKEN bin/lessor apply");
  });

  it("is said for a package as it is typed there", () => {
    const text = catalogText(control, true, { command: "lessor", examples: "/usr/lib/node_modules/lessor/examples" });
    expect(text).toContain("\n  lessor engine check\n");
    expect(text).toContain(" lessor apply -f /usr/lib/node_modules/lessor/examples/cluster-catalog.yaml");
  });
});

describe("the places", () => {
  it("are the console's, and each interface's address and documents, with the host name that it answers to", () => {
    const listeners = [
      {
        name: "main",
        port: 0,
        mounts: [
          { interface: "marketplace", prefix: "/api/v1", hostName: undefined },
          { interface: "control", prefix: "/control/v1", hostName: "operator.example.com" },
        ],
      },
    ] as const;
    const lines = placesText(listeners, new Map([["main", "http://127.0.0.1:8080"]])).split("\n");
    expect(lines).toContain("Lessor is ready.");
    expect(lines.slice(3)).toEqual([
      "  Console (browser)         http://127.0.0.1:8080/   (host name operator.example.com)",
      "  Marketplace (variant M)   http://127.0.0.1:8080/api/v1",
      "                            http://127.0.0.1:8080/api/v1/docs",
      "  Control                   http://127.0.0.1:8080/control/v1",
      "                            http://127.0.0.1:8080/control/v1/docs   (host name operator.example.com)",
    ]);
  });

  it("have no console where the control interface is switched off, for it is nothing without", () => {
    const mounts = [{ interface: "direct", prefix: "/api/v1", hostName: undefined }] as const;
    expect(placesText([{ name: "main", port: 0, mounts }], new Map())).not.toContain("Console");
  });
});

describe("the tokens", () => {
  it("are shown where there are any, and it is said that they are shown once", () => {
    const text = tokensText({ operator: "lessor_operator", customer: "lessor_customer" });
    expect(text).toContain("won't be shown again");
    expect(text).toMatch(/^ {2}Customer token {2}lessor_customer\n {2}Operator token {2}lessor_operator$/m);
    expect(tokensText({ operator: "lessor_operator", customer: undefined })).not.toContain("Customer");
  });

  it("are not spoken of where there are none", () => {
    expect(tokensText({ operator: undefined, customer: undefined })).toBe("");
  });
});

describe("the line that launches a machine", () => {
  it("has the customer's token, or a place for it where that was shown before", () => {
    expect(launchText("http://127.0.0.1:8080/api/v1", "lessor_x")).toContain("Bearer lessor_x");
    expect(launchText("http://127.0.0.1:8080/api/v1", undefined)).toContain("Bearer $TOKEN");
  });

  it("is left out where the marketplace is switched off", () => {
    expect(launchText(undefined, "lessor_x")).toBe("");
  });
});

it("the end says how to stop it all, and where the data is, unless it is elsewhere", () => {
  expect(endText("/var/lib/lessor")).toBe("\n  Data  /var/lib/lessor\n\nCtrl-C stops everything.");
  expect(endText(undefined)).toBe("\nCtrl-C stops everything.");
});
