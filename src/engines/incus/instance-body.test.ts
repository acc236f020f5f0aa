import { describe, expect, it } from "vitest";
import { signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec, settingsFor } from "../../../test/support/fake-incus/stand.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import { fc } from "../../../test/support/properties.ts";
import type { MachineSpec } from "../engine.ts";
import { userDataFor } from "../guest/user-data.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { instanceBody } from "./instance-body.ts";
import { instanceName } from "./labels.ts";
import type { IncusSettings } from "./settings/settings.ts";

interface Body {
  readonly name: string;
  readonly type: string;
  readonly source: object;
  readonly profiles: readonly string[];
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function bodyOf(spec: MachineSpec, part: Partial<IncusSettings> = {}, layout: Partial<Cluster["layout"]> = {}): Body {
  const settings = settingsFor({ endpoints: [{ kind: "unix", path: "/nowhere" }], ...part });
  const cluster = openCluster(settings, "installation-1");
  Object.assign(cluster.layout, { networkType: "bridge", ipv6: false, ...layout });
  return instanceBody(cluster, spec) as Body;
}

describe("what the cluster is told to make", () => {
  it("has the size that was ordered, and the guest's user-data", () => {
    const spec = machineSpec({ vcpus: 12, memoryGib: 120, storageGb: 900 });
    const { name, config, devices } = bodyOf(spec, { pool: "fast" });
    expect(name).toBe(instanceName(spec.id));
    expect(config).toMatchObject({
      "limits.cpu": "12",
      "limits.memory": "120GiB",
      "cloud-init.user-data": userDataFor(spec.guest, "file"),
      "cluster.evacuate": "stop",
    });
    expect(devices.root).toEqual({ type: "disk", path: "/", pool: "fast", size: "900GB" });
  });

  it.each(["container", "virtual-machine"] as const)("is a %s where the settings say so", (kind) => {
    expect(bodyOf(machineSpec(), { kind }).type).toBe(kind);
  });

  it("has each GPU by its PCI address", () => {
    const { devices } = bodyOf(machineSpec({ gpuAddresses: ["0000:41:00.0", "0000:c1:00.0"] }));
    expect(devices.gpu0).toEqual({ type: "gpu", gputype: "physical", pci: "0000:41:00.0" });
    expect(devices.gpu1).toEqual({ type: "gpu", gputype: "physical", pci: "0000:c1:00.0" });
    expect(Object.keys(devices)).toEqual(["root", "eth0", "gpu0", "gpu1"]);
  });

  it("has no GPU where none was ordered", () => {
    expect(Object.keys(bodyOf(machineSpec()).devices)).toEqual(["root", "eth0"]);
  });

  it("is never privileged, nested or given raw configuration", () => {
    expect(Object.keys(bodyOf(machineSpec()).config).filter((key) => /^(security|raw)\./.test(key))).toEqual([]);
  });
});

describe("the network card", () => {
  const isolated = {
    type: "nic",
    name: "eth0",
    network: "lxdbr0",
    "security.port_isolation": "true",
    "security.mac_filtering": "true",
    "security.ipv4_filtering": "true",
  };

  it("on a bridge reaches no other machine of the host, and can use no other address", () => {
    expect(bodyOf(machineSpec()).devices.eth0).toEqual(isolated);
  });

  it("filters IPv6 where the network has it, and only there: without it the cluster would refuse the key", () => {
    expect(bodyOf(machineSpec(), {}, { ipv6: true }).devices.eth0).toEqual({
      ...isolated,
      "security.ipv6_filtering": "true",
    });
  });

  it.each(["ovn", "macvlan", "sriov", "physical"])(
    "on a network of type %s has none of the keys of a bridge",
    (networkType) => {
      const { devices } = bodyOf(machineSpec(), {}, { networkType });
      expect(devices.eth0).toEqual({ type: "nic", name: "eth0", network: "lxdbr0" });
    },
  );

  it("is the profile's where the settings name one, and nothing else is taken from profiles", () => {
    const { profiles, devices } = bodyOf(machineSpec(), { nic: { kind: "profile", profile: "renters" } });
    expect(profiles).toEqual(["renters"]);
    expect(devices).not.toHaveProperty("eth0");
    expect(bodyOf(machineSpec()).profiles).toEqual([]);
  });

  it.each([
    ["none", false],
    ["fd42::1/64", true],
    [undefined, false],
  ])("filters as the cluster's network with the IPv6 address %s needs it", async (address, filters) => {
    const { fake, engine } = await beginStand();
    fake.world.network.config = address === undefined ? {} : { "ipv6.address": address };
    const spec = machineSpec();
    await engine.create(spec, signal());
    const eth0 = fake.world.instances.get(instanceName(spec.id))?.devices.eth0;
    expect(eth0).toMatchObject({ "security.port_isolation": "true" });
    expect(eth0?.["security.ipv6_filtering"]).toBe(filters ? "true" : undefined);
  });

  it("filters IPv6 too where the network's settings are not shown, and its bridge has an IPv6 address", async () => {
    const { fake, engine } = await beginStand();
    fake.world.network.config = {};
    const addresses = [{ family: "inet6", address: "fd42::1", netmask: "64", scope: "global" }];
    const answer = JSON.stringify({ type: "sync", metadata: { addresses } });
    fake.faults.add("GET", /^\/1\.0\/networks\/lxdbr0\/state$/, { answer }, Number.POSITIVE_INFINITY);
    const spec = machineSpec();
    await engine.create(spec, signal());
    const eth0 = fake.world.instances.get(instanceName(spec.id))?.devices.eth0;
    expect(eth0).toMatchObject({ "security.port_isolation": "true", "security.ipv6_filtering": "true" });
  });
});

describe("the image", () => {
  const images: IncusSettings["images"] = {
    aliased: { kind: "alias", alias: "debian/12/renters" },
    exact: { kind: "fingerprint", fingerprint: "ab".repeat(32) },
    remote: { kind: "server", alias: "debian/12", server: "https://images.example.com", protocol: "simplestreams" },
  };

  it.each([
    ["aliased", { type: "image", alias: "debian/12/renters" }],
    ["exact", { type: "image", fingerprint: "ab".repeat(32) }],
    [
      "remote",
      {
        type: "image",
        alias: "debian/12",
        server: "https://images.example.com",
        protocol: "simplestreams",
        mode: "pull",
      },
    ],
    ["unlisted", { type: "image", alias: "unlisted" }],
    ["constructor", { type: "image", alias: "constructor" }],
  ])("%s is taken from where the settings say, or by its own name", (image, source) => {
    expect(bodyOf(machineSpec({ image }), { images }).source).toEqual(source);
  });
});

describe("a secret", () => {
  // Long enough and odd enough to stand in nothing by chance.
  const secret = fc.string({ minLength: 6, maxLength: 40, unit: "grapheme" }).map((text) => `%s3cr3t:${text}`);
  const oneLine = secret.map((text) => text.replace(/[\n\r\0]/g, "_"));
  const specs = fc
    .record({
      envVars: fc.dictionary(fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,10}$/), secret, { minKeys: 1, maxKeys: 4 }),
      password: fc.option(oneLine, { nil: undefined }),
      jupyterToken: fc.option(oneLine, { nil: undefined }),
      command: fc.option(fc.string(), { nil: undefined }),
      userData: fc.option(fc.string(), { nil: undefined }),
    })
    .map((guest) => machineSpec({ guest: guestSpec(guest) }));

  const secretsOf = ({ guest }: MachineSpec) =>
    [...Object.values(guest.envVars), guest.password, guest.jupyterToken].filter((one) => one !== undefined);

  it("is found by this test where there is one", () => {
    const hidden = Buffer.from(`inner '${Buffer.from("a = '%s3cr3t:abcdef'").toString("base64")}'`).toString("base64");
    expect(leaks(`text ${hidden} text`, ["%s3cr3t:abcdef"])).toEqual(["%s3cr3t:abcdef"]);
    // What does stand in it, in a part of its own and deep in the boot script.
    const shown = guestSpec({ command: "echo 'shown command'", sshKeys: ["ssh-ed25519 AAAA shown@laptop"] });
    const body = JSON.stringify(bodyOf(machineSpec({ guest: shown })));
    expect(leaks(body, ["shown command", "shown@laptop", "absent"])).toEqual(["shown command", "shown@laptop"]);
    expect(leaks(JSON.stringify({ a: 'x"%s3cr3t:"\n' }), ['%s3cr3t:"\n'])).toEqual(['%s3cr3t:"\n']);
  });

  it("of the guest stands nowhere in it: no value of .env, no password, no token, in no encoding that is used", () => {
    fc.assert(
      fc.property(specs, (spec) => {
        expect(leaks(JSON.stringify(bodyOf(spec)), secretsOf(spec))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("is not in anything that the cluster is told or keeps, save the one file in the guest", async () => {
    const { fake, engine } = await beginStand();
    await fc.assert(
      fc.asyncProperty(specs, async (spec) => {
        fake.requests.length = 0;
        await engine.create(spec, signal());
        await engine.start(spec, signal());
        const { config, devices, body } = fake.world.instances.get(instanceName(spec.id)) ?? {};
        const told = fake.requests
          .filter(({ path }) => !path.endsWith("/files"))
          .map((request) => `${request.path} ${JSON.stringify([request.query, request.headers])} ${request.body}`);
        const kept = [JSON.stringify([config, devices]), body ?? "", ...told].join("\n");
        expect(leaks(kept, secretsOf(spec))).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

/** Those of the secrets that stand in the text: as they are, as JSON has them, or in Base64 at any depth. */
function leaks(text: string, secrets: readonly string[]): string[] {
  const layers = [text];
  for (const layer of layers) {
    for (const [token] of layer.replace(/\\r\\n|\\n|\r?\n/g, "").matchAll(/[A-Za-z0-9+/]{8,}={0,2}/g)) {
      // Where a part begins in a run of such letters is not known.
      for (const offset of [0, 1, 2, 3]) layers.push(Buffer.from(token.slice(offset), "base64").toString("latin1"));
      if (layers.length > 20_000) throw new Error("BUG: too much to look through");
    }
    for (const [token] of layer.matchAll(/[A-Za-z0-9+/]{8,}={0,2}/g)) {
      layers.push(Buffer.from(token, "base64").toString("latin1"));
    }
  }
  const everything = layers.join("\n");
  return secrets.filter((secret) =>
    [secret, JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString("latin1")].some((form) =>
      everything.includes(form),
    ),
  );
}
