import { describe, expect, it } from "vitest";
import { only, worldOfFile } from "../../test/support/world.ts";
import { createFileSystem } from "../rental/file-systems/file-systems.ts";
import { jupyterTokenContext } from "../rental/instances/instance.ts";
import { KeyRing } from "../secrets/key-ring.ts";
import { machineSpec } from "./guest-spec.ts";
import { claim } from "./lease-store.ts";
import { withDefaults } from "./settings.ts";

const world = worldOfFile();
const settings = withDefaults({ concurrency: 1, leaseSeconds: 15, bootDeadlineSeconds: 600 });

async function launched() {
  const principal = await world.account();
  await world.host({ gpus: 2 });
  await world.image();
  const product = await world.product();
  const key = await world.sshKey(principal);
  const volume = await world.tx((tx) => createFileSystem(tx, principal, { name: "data", region: "north", sizeGb: 10 }));
  const envVars = { TOKEN: "s3cret ü '\"$", EMPTY: "" };
  const instance = await world.launchOne(principal, {
    instanceType: product.name,
    envVars,
    sshKeyNames: [key.name],
    fileSystemMounts: [{ fileSystemId: volume.id, mountPoint: "/srv/models" }],
    command: "touch /done",
    userData: "#cloud-config\n# s3cret ü\n",
  });
  const job = only(await claim(world.db, ["simulated"], 1, settings));
  return { instance, job, envVars, volume, key };
}

describe("what an engine is told of an instance", () => {
  it("is everything the launch ordered, with the secrets opened", async () => {
    const { instance, job, envVars, volume, key } = await launched();
    expect(await machineSpec(world.db, world.service.keyRing, job)).toMatchObject({
      id: instance.id,
      host: instance.host,
      generation: 1,
      vcpus: 8,
      memoryGib: 64,
      storageGb: 500,
      gpuAddresses: instance.gpuAddresses,
      image: instance.image.name,
      guest: {
        hostname: instance.hostname,
        loginUser: "ubuntu",
        sshKeys: [key.publicKey],
        password: undefined,
        jupyterToken: undefined,
        command: "touch /done",
        userData: "#cloud-config\n# s3cret ü\n",
        envVars,
        fileSystems: [{ id: volume.id, name: "data", sizeGb: 10, mountPoint: "/srv/models" }],
      },
    });
  });

  it("has a password where the instance has one, and little else where nothing was ordered", async () => {
    const principal = await world.account();
    await world.host({ gpus: 1 });
    await world.image();
    const product = await world.product();
    await world.launchOne(principal, { instanceType: product.name, passwordWithoutKeys: true });
    const job = only(await claim(world.db, ["simulated"], 1, settings));
    const { guest } = await machineSpec(world.db, world.service.keyRing, job);
    expect(guest.password).toMatch(/^\d{15}$/);
    expect(guest).toMatchObject({ sshKeys: [], command: undefined, userData: undefined, envVars: {}, fileSystems: [] });
  });

  it("has the instance's own Jupyter token where the image provides Jupyter", async () => {
    const principal = await world.account();
    await world.host({ gpus: 1 });
    await world.image({ jupyter: true });
    const instance = await world.launchOne(principal, { instanceType: (await world.product()).name });
    const job = only(await claim(world.db, ["simulated"], 1, settings));
    const { guest } = await machineSpec(world.db, world.service.keyRing, job);
    const own = world.service.keyRing.openText(instance.jupyterTokenSealed ?? "", jupyterTokenContext(instance.id));
    expect(guest.jupyterToken).toBe(own);
  });

  it("cannot be made with another key, and the error says nothing secret", async () => {
    const { job } = await launched();
    const error = await machineSpec(world.db, new KeyRing([Buffer.alloc(32, 9)]), job).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: "CannotOpen", reason: "unknown-key" });
    expect(String(error)).not.toContain("s3cret");
  });
});
