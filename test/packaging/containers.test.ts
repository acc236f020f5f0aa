// packaging/Dockerfile and compose.yaml. No container engine is needed: what they name is there, the commands that build the
// image are those that package.test.ts tries, the health check is run against a real service, and the proxy's file against
// a real Caddy where there is one.

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig, secretVariables } from "../../src/config.ts";
import { sceneOfFile } from "../conformance/scene.ts";
import { found, settingNames } from "./settings.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const place = join(root, "packaging");
const read = (name: string) => readFileSync(join(place, name), "utf8");
const scene = sceneOfFile();

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** The stages of the Dockerfile, each the instructions of one FROM. Continued lines are joined, comments are gone. */
const stages = read("Dockerfile")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n\s*/g, "")
  .split(/^(?=FROM )/m)
  .map((stage) =>
    stage
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line): Instruction => ({ word: line.split(" ")[0] ?? "", rest: line.slice(line.indexOf(" ") + 1) })),
  )
  .filter((stage) => stage.length > 0);
const [build = [], last = []] = stages;
const rests = (stage: readonly Instruction[], word: string) =>
  stage.filter((one) => one.word === word).map(({ rest }) => rest);
/** The health check as Docker runs it. */
const check: string[] = JSON.parse(/CMD (\[.*\])$/.exec(rests(last, "HEALTHCHECK")[0] ?? "")?.[1] ?? "[]");

describe("the image", () => {
  it("is built in one stage and served from another, on the same system", () => {
    expect(stages.map((stage) => stage[0]?.rest)).toEqual(["node:24-bookworm-slim AS build", "node:24-bookworm-slim"]);
    const { engines }: { engines: { node: string } } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(engines.node).toBe(">=24");
  });

  it("is built as the package is: installed from the lock file, packed, installed", () => {
    expect(rests(build, "RUN")).toEqual([
      "npm ci --ignore-scripts",
      "npm pack",
      "npm install --global --prefix /opt/lessor --ignore-scripts ./lessor-*.tgz",
    ]);
  });

  it("is built from the checkout without what was made there, and without secrets", () => {
    expect(rests(build, "COPY")).toEqual([". ."]);
    const ignored = read("Dockerfile.dockerignore").split("\n");
    expect(ignored).toEqual(
      expect.arrayContaining(["**/node_modules", "**/dist", "**/data", "**/*.key", "packaging/secrets"]),
    );
    const needed = [
      "src",
      "console",
      "packaging",
      "tools",
      "examples",
      "docs",
      "bin",
      "package-lock.json",
      "tsconfig.json",
    ];
    expect(needed.filter((name) => ignored.includes(name) || !existsSync(join(root, name)))).toEqual([]);
  });

  it("takes the installed package alone from the first stage, and nothing that builds", () => {
    expect(rests(last, "COPY")).toEqual(["--from=build /opt/lessor /opt/lessor"]);
    const [prepared = ""] = rests(last, "RUN");
    expect(prepared).toContain("rm -rf /usr/local/lib/node_modules");
    expect(prepared).not.toMatch(/apt-get|npm (ci|install)|curl/);
  });

  it("is run by nobody in particular, with a number that platforms can check", () => {
    const [user] = rests(last, "USER");
    expect(user).toBe("10001");
    expect(rests(last, "RUN")[0]).toContain(`--uid ${user} `);
  });

  it("sets what the program knows, and no secret", () => {
    const names = rests(last, "ENV").flatMap((rest) => [...rest.matchAll(/(\w+)=/g)].map(([, name]) => name ?? ""));
    expect(names).toEqual(["PATH", "LESSOR_HOST", "LESSOR_DATA_DIR"]);
    expect(names.slice(1).filter((name) => !settingNames.includes(name))).toEqual([]);
  });

  it("is healthy as long as the service answers", async () => {
    const [program, ...args] = check;
    expect(program).toBe("node");
    const port = new URL(scene.client.bases.control).port;
    const asked = (env: NodeJS.ProcessEnv) => run(process.execPath, args, { env: { ...process.env, ...env } });
    await asked({ LESSOR_PORT: port });
    // Port 9 is discard: nobody listens there.
    await expect(asked({ LESSOR_PORT: "9" })).rejects.toMatchObject({ code: 1 });
  });
});

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck?: object;
  readonly depends_on?: unknown;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: {
    readonly inside: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
  };
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly configs: Readonly<Record<string, { readonly file: string }>>;
}

describe("the Compose file", () => {
  const compose: Compose = parse(read("compose.yaml"), { merge: true });
  const { "lessor-1": one, "lessor-2": two, database, proxy } = compose.services;

  it("has two servers that are the same, a database and a proxy", () => {
    expect(Object.keys(compose.services).sort()).toEqual(["database", "lessor-1", "lessor-2", "proxy"]);
    expect(one).toEqual(two);
    expect(one?.depends_on).toEqual({ database: { condition: "service_healthy" } });
    expect(database?.healthcheck).toBeDefined();
  });

  it("shows the proxy to the world and nothing else", () => {
    expect(Object.entries(compose.services).flatMap(([name, { ports }]) => (ports ? [name] : []))).toEqual(["proxy"]);
    expect(proxy?.ports).toEqual(["80:80", "443:443", "443:443/udp"]);
  });

  it("gives the servers every secret as a file that is declared, and none as a value", () => {
    for (const name of secretVariables) {
      const path = one?.environment?.[`${name}_FILE`];
      expect(path, name).toMatch(/^\/run\/secrets\//);
      const secret = path?.slice("/run/secrets/".length) ?? "";
      expect(one?.secrets, name).toContain(secret);
      expect(compose.secrets[secret]?.file, name).toBe(`secrets/${secret}`);
      expect(one?.environment?.[name]).toBeUndefined();
    }
    expect(compose.secrets["database-password"]?.file).toBe("secrets/database-password");
    expect(readFileSync(join(root, ".gitignore"), "utf8")).toContain("packaging/secrets/\n");
  });

  it("mounts files that are there, and settings that Lessor takes", () => {
    expect(Object.values(compose.configs).filter(({ file }) => !existsSync(join(place, file)))).toEqual([]);
    const config = loadConfig({ env: { LESSOR_CONFIG: join(place, "compose-lessor.yaml") }, cwd: place });
    expect(config.trustedProxies).toEqual(compose.networks.inside.ipam.config.map(({ subnet }) => subnet));
    // Ten seconds are Lessor's own bound for a stop.
    expect(Number.parseInt(one?.stop_grace_period ?? "", 10)).toBeGreaterThan(config.drainDelaySeconds + 10);
  });

  it("lets the servers write nowhere but in memory, with no privilege", () => {
    expect(one).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
  });

  it("names both servers in the proxy, with the readiness that the program has", () => {
    const file = read("Caddyfile");
    expect(file).toContain("reverse_proxy lessor-1:{args.0} lessor-2:{args.0}");
    expect(file).toContain("health_uri /readyz");
    expect([...file.matchAll(/import servers (\d+)/g)].map(([, port]) => port)).toEqual(["8080", "8081"]);
  });
});

describe.runIf(await found("caddy"))("Caddy itself", () => {
  it("takes the proxy's file", async () => {
    const args = ["validate", "--adapter", "caddyfile", "--config", join(place, "Caddyfile")];
    const { stdout, stderr } = await run("caddy", args, { env: { ...process.env, LESSOR_DOMAIN: "localhost" } });
    expect(`${stdout}${stderr}`).toContain("Valid configuration");
  });
});
