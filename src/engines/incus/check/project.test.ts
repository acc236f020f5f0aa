import { beforeEach, describe, expect, it } from "vitest";
import { beginCheckStand, type CheckStand } from "../../../../test/support/check-stand.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { checkProject } from "./project.ts";

let stand: CheckStand;
beforeEach(async () => {
  stand = await beginCheckStand();
});

const told = (config: Record<string, string>, settings: Partial<IncusSettings> = {}) => {
  stand.answer("/1.0/projects/rent", { config });
  return stand.run(checkProject, { settings: { ...settings, project: "rent" } });
};
/** A restricted project that refuses nothing that is needed. */
const open = { restricted: "true", "restricted.cluster.target": "allow", "restricted.devices.gpu": "allow" };

describe("the project", () => {
  it("that exists is told with what is its own", async () => {
    expect(await told({ "features.images": "true", "features.storage.volumes": "true" })).toEqual([
      "ok project rent: exists, with its own images and volumes",
    ]);
    expect(await told({})).toEqual(["ok project rent: exists, with everything shared with the default project"]);
  });

  it("that does not exist tells how it is made", async () => {
    stand.refuse("/1.0/projects/rent", 404, "Project not found");
    expect(await stand.run(checkProject, { settings: { project: "rent" } })).toEqual([
      "problem project rent: does not exist -> lxc project create rent -c features.images=false -c features.profiles=false",
    ]);
  });

  it("that is restricted refuses placement and GPUs unless told otherwise", async () => {
    expect(await told({ restricted: "true" })).toEqual([
      "problem project rent: does not allow choosing the member of a machine -> lxc project set rent restricted.cluster.target=allow",
      "problem project rent: does not allow machines to have any GPU -> lxc project set rent restricted.devices.gpu=allow",
    ]);
    expect(await told(open)).toEqual([expect.stringMatching(/^ok/)]);
  });

  it.each<[string, string, Partial<IncusSettings>, string]>([
    ["restricted.devices.disk", "block", {}, "does not allow machines to have file systems"],
    ["restricted.devices.nic", "block", {}, "does not allow machines to have a network"],
    ["restricted.networks.access", "other", {}, "does not allow machines to use the network lxdbr0"],
    ["restricted.storage-pools.access", "a, b", {}, "does not allow machines to use the pool local"],
    [
      "restricted.cluster.groups",
      "cpu",
      { regionOf: { kind: "groups", groups: [{ group: "gpu", region: "north" }] } },
      "does not allow machines to use members of the group gpu",
    ],
  ])("with %s=%s refuses what is needed", async (key, value, settings, detail) => {
    expect(await told({ ...open, [key]: value }, settings)).toEqual([
      expect.stringContaining(`problem project rent: ${detail} -> lxc project set rent ${key}=`),
    ]);
    // Without `restricted` none of these keys means anything.
    expect(await told({ [key]: value }, settings)).toEqual([expect.stringMatching(/^ok/)]);
  });

  it("with lists that name what is used refuses nothing", async () => {
    const lists = { "restricted.networks.access": "x, lxdbr0", "restricted.storage-pools.access": "local,y" };
    expect(await told({ ...open, ...lists })).toEqual([expect.stringMatching(/^ok/)]);
  });

  it("with limits is warned of, and with a limit of none is a problem", async () => {
    expect((await told({ "limits.memory": "64GiB", "limits.cpu": "8" }))[0]).toMatch(
      /^warning project rent: has limits \(limits.memory and limits.cpu\) that Lessor does not know/,
    );
    expect(await told({ "limits.containers": "0" })).toEqual([
      "problem project rent: allows no container (limits.containers is 0) -> lxc project set rent limits.containers=",
    ]);
  });
});
