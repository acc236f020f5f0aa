// The commands that the console shows for an order do what its button would: run in a shell, by the real program and by curl,
// each rents the machine with everything that was chosen.

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { curlCommand, emptyOrder, launchBody, lessorCommand } from "../../console/src/launch/order.ts";
import { controlClient } from "../../src/cli/connection/control-client.ts";
import { userDataContext } from "../../src/rental/instances/instance.ts";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";

const whenOver = afterFile();
const root = resolve(import.meta.dirname, "../..");
let server: RunningServer;
beforeAll(async () => {
  server = await startDemoService(whenOver);
});

it.each(["lessor", "curl"] as const)("%s rents exactly what was put together", async (program) => {
  const token = await server.customerToken(program);
  const client = controlClient(server.control, token);
  const fileSystem = async (name: string) => {
    const body = { name, region: "us-east-1", size_gb: 10 };
    return (await client.ask((api) => api.POST("/file-systems", { body }))).data.id;
  };
  const order = {
    ...emptyOrder,
    region: "us-east-1",
    name: "it's mine",
    command: "echo '$HOME'\n",
    userData: `#!/bin/sh\necho "it's" \\ $HOME %s ${program}`,
    lifetime: "1.5",
    maxPrice: "0.80",
    password: true,
    coupon: "WELCOME10",
    fileSystems: [
      { id: await fileSystem("models"), name: "models", mountPoint: "" },
      { id: await fileSystem("data"), name: "data", mountPoint: "/data" },
    ],
  };
  const body = launchBody(order, "gpu_1x_a10");
  const names = new Map(order.fileSystems.map(({ id, name }) => [id, name]));
  const command = program === "lessor" ? lessorCommand(body, names) : curlCommand(server.control, body);
  const env = {
    PATH: `${resolve(root, "bin")}:${process.env.PATH}`,
    HOME: await temporaryDirectory(),
    LESSOR_URL: server.url,
    LESSOR_TOKEN: token,
  };
  await promisify(execFile)("sh", ["-c", command], { env });

  const { data } = await client.ask((api) => api.GET("/instances", { params: { query: {} } }));
  expect(data).toMatchObject([
    {
      name: order.name,
      region: { name: "us-east-1" },
      coupon: { code: "WELCOME10" },
      max_lifetime_seconds: 5400,
      file_system_names: ["models", "data"],
      file_system_mounts: [{ mount_point: "/mnt/models" }, { mount_point: "/data" }],
    },
  ]);
  const kept = await server.db
    .selectFrom("instances as i")
    .innerJoin("user_data as u", "u.id", "i.user_data_id")
    .select(["u.id", "u.text_sealed", "i.password_sealed"])
    .where("i.id", "=", data[0]?.id ?? "")
    .execute();
  expect(kept.map((one) => server.service.keyRing.openText(one.text_sealed, userDataContext(one.id)))).toEqual([
    order.userData,
  ]);
  expect(kept[0]?.password_sealed).not.toBeNull();
});
