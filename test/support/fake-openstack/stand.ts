// The fake cloud ready for a test, with the settings of an engine for it; everything is closed when the test is over.

import { afterTest } from "../when-over.ts";
import { FakeOpenStack } from "./fake-openstack.ts";
import { cardClass, gpuClass, gpuTrait, type HostOptions } from "./hosts.ts";
import type { FakeCredential, FakeProject, FakeUser } from "./identity.ts";
import type { FakeNetwork } from "./networks.ts";
import { openSshDoor, type SshDoor } from "./ssh-door.ts";
import type { FakeImage, FakeWorld } from "./world.ts";

export interface StandOptions {
  /** GPUs as a resource class of the host (default), or as PCI devices with a provider each. */
  readonly form?: "class" | "pci";
  /** Of the engine's user (default: admin). */
  readonly role?: "admin" | "member";
  readonly hosts?: readonly string[];
  readonly host?: HostOptions;
}

export interface FakeCloud {
  readonly fake: FakeOpenStack;
  readonly world: FakeWorld;
  /** The engine's. */
  readonly project: FakeProject;
  readonly user: FakeUser;
  readonly credential: FakeCredential;
  /** Another customer's. */
  readonly otherProject: FakeProject;
  /** "rent" and "public". */
  readonly network: FakeNetwork;
  readonly floatingNetwork: FakeNetwork;
  /** "Debian 12". */
  readonly image: FakeImage;
  readonly door: SshDoor;
}

export interface Stand extends FakeCloud {
  /** Of an engine whose hosts are visible. Images: "debian-12". */
  readonly settings: ReturnType<typeof settingsOf>;
}

/**
 * Two hosts, gpu1 and gpu2, with 8 GPUs each; a network for guests and one for floating addresses; an image. Guests answer
 * at their addresses, which are all of this computer, once they read their secrets (FakeWorld.guestAnswers).
 */
export async function beginStand(options: StandOptions = {}): Promise<Stand> {
  const { form = "class", role = "admin", hosts = ["gpu1", "gpu2"] } = options;
  const fake = await FakeOpenStack.open();
  afterTest(() => fake.close());
  const { world, identity } = fake;
  for (const name of hosts) world.hosts.add(name, { form, ...options.host });
  world.pciAliases.set("h200", cardClass);
  const [project, otherProject] = [identity.addProject("rent"), identity.addProject("other")];
  const user = identity.addUser("lessor", "secret-of-lessor", [[project, [role]]]);
  const credential = identity.addCredential(user, project, "lessor");
  const network = world.networks.addNetwork("rent", otherProject.id, "127.88", { shared: true });
  const part = { external: true };
  const floatingNetwork = world.networks.addNetwork("public", otherProject.id, "127.89", part);
  const image = world.addImage("Debian 12", otherProject);
  const door = await openSshDoor((address) => {
    const server = world.serverAt(address);
    return server !== undefined && world.guestAnswers(server) ? server : undefined;
  });
  afterTest(() => door.close());
  const cloud = { fake, world, project, user, credential, otherProject, network, floatingNetwork, image, door };
  return { ...cloud, settings: settingsOf(cloud) };
}

/** Where the engine's credentials are good, as clouds.yaml would say. */
function accessOf({ fake, credential: { id, secret } }: FakeCloud) {
  return {
    ...{ authUrl: fake.authUrl, credential: { kind: "application" as const, id, secret } },
    ...{ region: undefined, interface: "public" as const, ca: undefined, certificate: undefined },
  };
}

/** The GPUs of the fake's hosts, as settings name them. */
const gpusOfFake = {
  [gpuClass]: { model: "h200_sxm5", memoryGib: 141, trait: gpuTrait, alias: undefined },
  [cardClass]: { model: "h200_sxm5", memoryGib: 141, trait: undefined, alias: "h200" },
};

function settingsOf(cloud: FakeCloud) {
  return {
    name: "cloud",
    access: accessOf(cloud),
    regions: [
      {
        ...{ region: "north", cloudRegion: undefined, network: "rent", floatingNetwork: undefined },
        ...{ availabilityZone: undefined, aggregate: undefined, volumeType: undefined, pools: undefined },
        notifications: undefined,
      },
    ],
    gpus: gpusOfFake,
    flavors: "created" as const,
    images: { "debian-12": { kind: "name" as const, name: "Debian 12" } },
    hostPrefix: "",
    pollSeconds: 1,
    managementNetworks: [],
    gpuModels: {},
    reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
    cpuRatio: 1,
    sshProbe: { kind: "tcp" as const, port: cloud.door.port },
    stopGraceSeconds: 30,
  };
}
