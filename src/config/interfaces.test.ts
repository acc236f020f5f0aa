import { describe, expect, it } from "vitest";
import { ConfigError } from "../settings/error.ts";
import type { FileSettings } from "./file-schema.ts";
import { type Listener, resolveListeners } from "./interfaces.ts";

const ports = { main: { port: 8080, name: "LESSOR_PORT" }, reference: { port: 8081, name: "LESSOR_REFERENCE_PORT" } };

function listeners(settings: FileSettings["interfaces"], main = 8080, reference = 8081): Listener[] {
  return resolveListeners(settings, "lessor.yaml", {
    main: { ...ports.main, port: main },
    reference: { ...ports.reference, port: reference },
  });
}

/** "port host/prefix interface" of every mount, as one compares at a glance. */
function places(settings: FileSettings["interfaces"], main?: number, reference?: number): string[] {
  return listeners(settings, main, reference).flatMap((listener) =>
    listener.mounts.map(
      (mount) => `${listener.name}:${listener.port} ${mount.hostName ?? "*"}${mount.prefix} ${mount.interface}`,
    ),
  );
}

const mainDefaults = [
  "main:8080 */api/vm_marketplace marketplace",
  "main:8080 */api/v1 direct",
  "main:8080 */reference reference",
  "main:8080 */control/v1 control",
];

const referenceDefaults = ["reference:8081 * reference", "reference:8081 */api/v1 lambda"];
const noneOnReferencePort = { reference: { enabled: false }, lambda: { enabled: false } };

describe("interfaces that nobody moved", () => {
  it("are where the decisions put them", () => {
    expect(places(undefined)).toEqual([...mainDefaults, ...referenceDefaults]);
    expect(places({})).toEqual(places(undefined));
  });

  it("follow the ports of the environment", () => {
    expect(listeners({}, 80, 81).map(({ name, port }) => [name, port])).toEqual([
      ["main", 80],
      ["reference", 81],
    ]);
  });
});

describe("an interface that is switched off", () => {
  it("is nowhere", () => {
    expect(places({ direct: { enabled: false } }).join()).not.toContain("direct");
  });

  it("takes the port with it that only it used", () => {
    expect(listeners(noneOnReferencePort).map((listener) => listener.name)).toEqual(["main"]);
    expect(places({ reference: { enabled: false } }).at(-1)).toBe("reference:8081 */api/v1 lambda");
    expect(places({ lambda: { enabled: false } }).at(-1)).toBe("reference:8081 * reference");
  });

  it("stays off however it is moved", () => {
    expect(places({ direct: { enabled: false, port: 9000, prefix: "/d" } }).join()).not.toContain("direct");
  });

  it("leaves the main port open even when it was the last one there, for the console and the documentation", () => {
    const off = { enabled: false };
    expect(listeners({ marketplace: off, direct: off, reference: off, lambda: off, control: off })).toEqual([
      { name: "main", port: 8080, mounts: [] },
    ]);
  });
});

describe("an interface that is moved", () => {
  it("is at its new prefix only", () => {
    expect(places({ direct: { prefix: "/massed/v1/" } })).toContain("main:8080 */massed/v1 direct");
    expect(places({ direct: { prefix: "/massed/v1" } })).not.toContain("main:8080 */api/v1 direct");
  });

  it("answers to its own host name only", () => {
    expect(places({ direct: { host_name: "D.example.com" } })).toContain("main:8080 d.example.com/api/v1 direct");
  });

  it("has a port of its own", () => {
    expect(places({ control: { port: 9000 } })).toContain("control:9000 */control/v1 control");
  });

  it("shares a port with another that asks for the same", () => {
    const both = { control: { port: 9000 }, direct: { port: 9000 } };
    expect(listeners(both).map(({ name, mounts }) => [name, mounts.length])).toEqual([
      ["main", 2],
      ["reference", 2],
      ["direct", 2],
    ]);
  });

  it("gets its own free port for port 0, whoever else asks for one", () => {
    const free = listeners({ control: { port: 0 }, direct: { port: 0 }, reference: { port: 0 } }, 0, 0);
    expect(free.map(({ name, port, mounts }) => [name, port, mounts.length])).toEqual([
      ["main", 0, 1],
      ["reference", 0, 1],
      ["direct", 0, 1],
      ["reference-own", 0, 1],
      ["control", 0, 1],
    ]);
  });

  it("is only there, also the reference interface, which has two places by default", () => {
    expect(places({ reference: { port: 8080, prefix: "/reference" } })).toEqual([
      ...mainDefaults,
      "reference:8081 */api/v1 lambda",
    ]);
    expect(places({ reference: { prefix: "/r" } })).toEqual([
      ...mainDefaults.filter((place) => !place.endsWith(" reference")),
      "reference:8081 */r reference",
      "reference:8081 */api/v1 lambda",
    ]);
  });

  it("may have the prefix of another when the host name tells them apart", () => {
    expect(
      places({ direct: { prefix: "", host_name: "d.test" }, control: { prefix: "", host_name: "c.test" } }),
    ).toEqual(expect.arrayContaining(["main:8080 d.test direct", "main:8080 c.test control"]));
  });
});

describe("places that collide", () => {
  it.each<FileSettings["interfaces"]>([
    { direct: { prefix: "/same" }, control: { prefix: "/same" } },
    { direct: { prefix: "/control/v1" } },
    { direct: { prefix: "/same", host_name: "A.test" }, control: { prefix: "/same/", host_name: "a.test" } },
    { direct: { port: 8081, prefix: "" } },
  ])("are refused, naming both interfaces: %j", (settings) => {
    expect(() => listeners(settings)).toThrow(ConfigError);
    expect(() => listeners(settings)).toThrow(/interfaces\.\w+ and interfaces\.\w+ are at the same prefix/);
  });

  it("include the main port being the reference port", () => {
    expect(() => listeners({}, 8081)).toThrow(
      /LESSOR_PORT and LESSOR_REFERENCE_PORT must be different ports \(both are 8081\)/,
    );
  });

  it("do not include that when nothing is on the reference port", () => {
    expect(() => listeners(noneOnReferencePort, 8081)).not.toThrow();
    expect(() => listeners({ reference: { port: 9000 }, lambda: { port: 9000 } }, 8081)).not.toThrow();
  });

  it("follow the advice of their own message", () => {
    const moved = { reference: { port: 8081, prefix: "/reference" }, lambda: { port: 8081, prefix: "/lambda" } };
    const there = ["main:8081 */reference reference", "main:8081 */lambda lambda"];
    expect(places(moved, 8081, 8081)).toEqual(expect.arrayContaining(there));
  });

  it("do not include two free ports", () => {
    expect(() => listeners({}, 0, 0)).not.toThrow();
  });
});

it("names the setting when a prefix or a host name is malformed", () => {
  expect(() => listeners({ direct: { prefix: "api" } })).toThrow(/^interfaces\.direct\.prefix in lessor\.yaml must/);
  expect(() => listeners({ direct: { host_name: "a:80" } })).toThrow(
    /^interfaces\.direct\.host_name in lessor\.yaml must/,
  );
});
