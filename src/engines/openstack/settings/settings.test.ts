import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Check } from "typebox/schema";
import { beforeEach, describe, expect, it } from "vitest";
import { refusalOf } from "../../../../test/support/setting-rules.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { parseYaml } from "../../../settings/yaml.ts";
import { NotificationsSchema } from "./notifications.ts";
import { OpenStackCloudSchema, OpenStackSchema } from "./schema.ts";
import { type OpenStackSettings, resolveOpenStack } from "./settings.ts";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  const auth = "auth_url: http://k/v3, application_credential_id: i, application_credential_secret: s";
  writeFileSync(join(directory, "clouds.yaml"), `clouds: { lessor: { region_name: One, auth: { ${auth} } } }`);
});

function clouds(text: string): readonly OpenStackSettings[] {
  const parsed = parseYaml(text, "lessor.yaml");
  const settings =
    typeof parsed === "object" && parsed !== null && "openstack" in parsed ? parsed.openstack : undefined;
  if (!Check(OpenStackSchema, settings)) throw new Error("the settings do not pass the schema");
  return resolveOpenStack(settings, { name: "lessor.yaml", directory });
}

const gpus = "gpus: { CUSTOM_GPU_H200: { model: h200_sxm5, memory_gib: 141 } }";
const pool = "{ gpu: CUSTOM_GPU_H200, count: 8, vcpus: 64, memory_gib: 512, storage_gb: 2000 }";
const plain = "{ vcpus: 64, memory_gib: 512, storage_gb: 2000 }";

/** One cloud with these regions and further lines. */
function cloud(regions: string, ...lines: string[]): OpenStackSettings {
  const [one] = clouds(
    ["openstack:\n  - name: cloud", "cloud: lessor", `regions: ${regions}`, ...lines].join("\n    "),
  );
  if (one === undefined) throw new Error("there is no cloud");
  return one;
}

describe("a cloud", () => {
  it("whose file of clouds is missing is told the name of that which is read by default", () => {
    rmSync(join(directory, "clouds.yaml"));
    expect(refusalOf(() => cloud("{ north: { network: rent } }"))).toBe(
      "openstack[0].clouds_file in lessor.yaml (by default clouds.yaml beside it) must name a readable file (ENOENT).",
    );
    expect(refusalOf(() => cloud("{ north: { network: rent } }", "clouds_file: none.yaml"))).toBe(
      "openstack[0].clouds_file in lessor.yaml must name a readable file (ENOENT).",
    );
  });

  it("needs a name, an entry of clouds.yaml beside lessor.yaml, and a region with a network; the rest has defaults", () => {
    expect(cloud("{ north: { network: rent } }")).toEqual({
      name: "cloud",
      access: {
        authUrl: "http://k/v3",
        credential: { kind: "application", id: "i", secret: "s" },
        region: "One",
        interface: "public",
        ca: undefined,
        certificate: undefined,
      },
      regions: [
        {
          region: "north",
          cloudRegion: undefined,
          network: "rent",
          floatingNetwork: undefined,
          availabilityZone: undefined,
          aggregate: undefined,
          volumeType: undefined,
          notifications: undefined,
          pools: undefined,
        },
      ],
      gpus: {},
      flavors: "created",
      images: {},
      hostPrefix: "",
      pollSeconds: 10,
      managementNetworks: [],
      gpuModels: {},
      reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
      cpuRatio: 1,
      sshProbe: { kind: "tcp", port: 22 },
      stopGraceSeconds: 30,
    });
  });

  it("has pools where its hosts are not visible, and then finds flavors unless it is told to create them", () => {
    const settings = cloud(`{ a: { network: n, pools: [${pool}, ${plain}] }, b: { network: n } }`, gpus);
    expect(settings).toMatchObject({
      flavors: "mapped",
      regions: [
        {
          pools: [
            { gpu: "CUSTOM_GPU_H200", count: 8, vcpus: 64, memoryGib: 512, storageGb: 2000 },
            { gpu: undefined, count: 0 },
          ],
        },
        { pools: undefined },
      ],
    });
    expect(cloud(`{ a: { network: n, pools: [${plain}] } }`, "flavors: created").flavors).toBe("created");
  });

  it("has no GPU and no image that it does not name, whatever its name is", () => {
    const { images, gpus } = cloud("{ a: { network: n } }");
    expect([images.constructor, gpus.toString]).toEqual([undefined, undefined]);
  });

  it("has regions of the same cloud region where they share no host", () => {
    const zones = "{ a: { network: n, availability_zone: x }, b: { network: n, availability_zone: y } }";
    const aggregates = "{ a: { network: n, aggregate: x }, b: { network: n, aggregate: y } }";
    for (const regions of [zones, aggregates, "{ a: { network: n }, b: { network: n, cloud_region: Two } }"]) {
      expect(cloud(regions).regions).toHaveLength(2);
    }
  });

  const shared = "regions.b in lessor.yaml must differ from the regions before it";
  it.each<[string, string[], string]>([
    ["{}", [], "openstack[0].regions in lessor.yaml must have at least one region"],
    [
      `{ a: { network: n, aggregate: hunter2, pools: [${plain}] } }`,
      [],
      "openstack[0].regions.a.aggregate in lessor.yaml must not be set with pools",
    ],
    [`{ a: { network: n, pools: [${pool}] } }`, [], "regions.a.pools[0].gpu in lessor.yaml must be a key of gpus"],
    [`{ a: { network: n, pools: [${pool}, ${pool}] } }`, [gpus], "pools[1] in lessor.yaml must have another gpu"],
    [`{ a: { network: n, pools: [${plain}, ${plain}] } }`, [], "pools[1] in lessor.yaml must have another gpu"],
    [
      `{ a: { network: n, pools: [${pool.replace("count: 8, ", "")}] } }`,
      [gpus],
      "regions.a.pools[0] in lessor.yaml must have both gpu and count",
    ],
    [
      `{ a: { network: n, pools: [${plain.replace("{", "{ count: 8,")}] } }`,
      [],
      "regions.a.pools[0] in lessor.yaml must have both gpu and count",
    ],
    ["{ a: { network: n }, b: { network: n } }", [], shared],
    ["{ a: { network: n }, b: { network: n, cloud_region: One } }", [], shared],
    ["{ a: { network: n }, b: { network: n, availability_zone: hunter2 } }", [], shared],
    ["{ a: { network: n, aggregate: x }, b: { network: n, availability_zone: hunter2 } }", [], shared],
    ["{ a: { network: n } }", ["images: { x: {} }"], "images.x in lessor.yaml must have either id or name"],
    [
      "{ a: { network: n } }",
      ["images: { x: { name: hunter2, id: 01234567-89ab-cdef-0123-456789abcdef } }"],
      "images.x in lessor.yaml must have either id or name",
    ],
    ["{ a: { network: n } }", ["ssh_probe: { command: [hunter2] }"], "ssh_probe.command in lessor.yaml must contain"],
  ])("is refused by the name of the setting, and no value is repeated: %s %j", (regions, lines, message) => {
    const said = refusalOf(() => cloud(regions, ...lines));
    expect(said).toContain(message);
    expect(said).not.toMatch(/hunter2/);
  });
});

describe("docs/reference/settings-openstack.md", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../../../docs/reference/settings-openstack.md"), "utf8");
  const keys = Object.keys(OpenStackCloudSchema.properties);

  it("has an example of everything that works", () => {
    const example = /```yaml\n(openstack:\n[\s\S]*?)```/.exec(page)?.[1] ?? "";
    for (const name of ["rabbit-password", "rabbit-ca.pem"]) writeFileSync(join(directory, name), "secret");
    expect(clouds(example)).toMatchObject([{ name: "cloud", regions: [{ region: "north" }, { region: "west" }] }]);
    expect(keys.filter((key) => !new RegExp(`^ {2}(  |- )${key}:`, "m").test(example))).toEqual([]);
  });

  it("says what each setting means", () => {
    const keys = [OpenStackCloudSchema, NotificationsSchema].flatMap(({ properties }) => Object.keys(properties));
    const rows = page.split("\n").filter((line) => line.startsWith("| `"));
    const told = rows.map((row) => row.split("|")[1] ?? "").join(" ");
    expect(keys.filter((key) => !told.includes(`\`${key}`))).toEqual([]);
  });
});
