// A launch of the control interface with `like`: another instance with the settings of a first one.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";
import { openLaunchSecrets } from "../../../rental/instances/launch-secrets.ts";

let control: Control;
let mine: Awaited<ReturnType<Control["customer"]>>;
let fileSystemId: string;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  mine = await control.customer();
  await world.host({ name: "host-a", region: "north", gpus: 8, vcpus: 400, memoryGib: 4000, storageGb: 40_000 });
  await world.image({ name: "ubuntu" });
  await world.image({ name: "debian", isDefault: false });
  await world.product({ name: "cpu", gpus: 0, priceCentsPerHour: 16 });
  await world.product({ name: "gpu", gpus: 1 });
  await world.coupon({ code: "TENTH", discountBasisPoints: 1000 });
  await world.sshKey(mine.principal, "laptop");
  ({ id: fileSystemId } = await world.fileSystem(mine.principal, { name: "data" }));
});
afterAll(() => control.close());

const launch = (body: object, token = mine.token) => control.ask("POST", "/instances", { token, body });
async function launched(body: object): Promise<Record<string, unknown>> {
  const data = await control.data("POST", "/instances", { token: mine.token, body });
  return (data as Record<string, unknown>[])[0] ?? {};
}
const user = "#cloud-config\nruncmd: [true]\n";
const settings = {
  instance_type: "cpu",
  region: "north",
  name: "training",
  image: "debian",
  ssh_key_names: ["laptop"],
  file_system_mounts: [{ file_system_id: "", mount_point: "/data" }],
  env_vars: { SECRET: "squirrel" },
  user_data: user,
  command: "true",
  coupon: "TENTH",
  tags: [{ key: "team", value: "vision" }],
  max_lifetime_seconds: 3600,
};
const former = () =>
  launched({ ...settings, file_system_mounts: [{ file_system_id: fileSystemId, mount_point: "/data" }] });

async function secretsOf(id: string) {
  const { db, service } = control.world;
  const row = await db
    .selectFrom("instances")
    .select(["id", "env_vars_sealed", "user_data_id"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return openLaunchSecrets(db, service.keyRing, row);
}

it("gives its settings and its secrets, but not what is in use, nor its coupon; what the body names counts", async () => {
  const first = await former();
  const one = await launched({ like: idOf(first) });
  expect(one).toMatchObject({
    instance_type: { name: "cpu" },
    region: { name: "north" },
    image: { name: "debian" },
    ssh_key_names: ["laptop"],
    tags: [{ key: "team", value: "vision" }],
    max_lifetime_seconds: 3600,
    file_system_mounts: [],
    coupon: null,
    has_env_vars: true,
    has_user_data: true,
  });
  expect(await control.data("GET", `/instances/${idOf(one)}`, { token: mine.token })).toMatchObject({
    command: "true",
  });
  expect(one.name).not.toBe("training");
  expect(JSON.stringify(one)).not.toContain("squirrel");
  expect(await secretsOf(idOf(one))).toEqual({ envVars: { SECRET: "squirrel" }, userData: user });

  const other = await launched({ like: idOf(first), instance_type: "gpu", image: "ubuntu", env_vars: {}, tags: [] });
  expect(other).toMatchObject({ instance_type: { name: "gpu" }, image: { name: "ubuntu" }, tags: [] });
  expect(await secretsOf(idOf(other))).toEqual({ envVars: {}, userData: user });

  await control.data("POST", `/instances/${idOf(first)}/terminate`, { token: mine.token });
  await control.world.db.updateTable("file_systems").set({ attached_to: [] }).where("id", "=", fileSystemId).execute();
  expect(await launched({ like: idOf(first) })).toMatchObject({
    name: "training",
    file_system_mounts: [{ file_system_id: fileSystemId, mount_point: "/data" }],
  });
});

it("has no idle rule if the body says so, and shares the stored user data", async () => {
  await control.world.image({ name: "agent", metrics: true, isDefault: false });
  const rule = { minutes: 5, action: "terminate" };
  const first = await launched({ instance_type: "gpu", image: "agent", idle_rule: rule, user_data: user });
  expect(await launched({ like: idOf(first) })).toMatchObject({ idle_rule: rule });
  expect(await launched({ like: idOf(first), idle_rule: null })).toMatchObject({ idle_rule: null });
  const plain = await launched({ like: idOf(first), idle_rule: null, image: "ubuntu" });
  expect(plain).toMatchObject({ idle_rule: null, has_user_data: true });
  const rows = await control.world.db
    .selectFrom("instances")
    .select("user_data_id")
    .where("id", "in", [idOf(first), idOf(plain)])
    .execute();
  expect(new Set(rows.map((row) => row.user_data_id)).size).toBe(1);
  const own = await launched({ like: idOf(first), idle_rule: null, user_data: "#!/bin/sh\n" });
  expect((await secretsOf(idOf(own))).userData).toBe("#!/bin/sh\n");
});

it("is of an own instance; without it, a launch needs an instance type", async () => {
  const { id } = await control.world.launchOne((await control.customer()).principal, { instanceType: "cpu" });
  for (const like of [id, "00000000-0000-4000-8000-000000000000", "x"]) {
    const refused = await launch({ like });
    expect([refused.status, codeOf(refused)]).toEqual([404, "global/object-does-not-exist"]);
  }
  for (const body of [{}, { like: null }]) expect((await launch(body)).status).toBe(400);
  expect(fieldsOf(await launch({}))).toEqual(["instance_type"]);
});

it("is launched once for one Idempotency-Key, also when the first one has changed since", async () => {
  const first = await launched({ instance_type: "cpu", name: "before" });
  const ask = () =>
    control.ask("POST", "/instances", {
      token: mine.token,
      body: { like: idOf(first) },
      headers: { "idempotency-key": `replacement-of-${idOf(first)}` },
    });
  const one = await ask();
  expect(one.status).toBe(200);
  await control.ask("PATCH", `/instances/${idOf(first)}`, {
    token: mine.token,
    body: { tags: [{ key: "a", value: "b" }] },
  });
  expect((await ask()).body).toEqual(one.body);
});

it("names the field of what is not there any more", async () => {
  await control.world.sshKey(mine.principal, "lost");
  const first = await launched({ instance_type: "cpu", ssh_key_names: ["lost"] });
  await control.world.db.deleteFrom("ssh_keys").where("name", "=", "lost").execute();
  expect(fieldsOf(await launch({ like: idOf(first) }))).toEqual(["ssh_key_names"]);
  expect((await launch({ like: idOf(first), ssh_key_names: [] })).status).toBe(200);
});
