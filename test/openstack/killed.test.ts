// The lab while parts of it are killed, and after the one that began it was.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, inject, it, vi } from "vitest";
import { labOf } from "./lab/lab.ts";

const lab = labOf(inject("openStackLab"));

const soon = { timeout: 120_000, interval: 200 };

afterEach(() => lab.wipe());

it("keeps its servers while Nova is killed and comes back", async () => {
  const act = (path: string, body: object) => lab.request("compute", path, { method: "POST", body });
  const { imageId: imageRef, networkId: uuid } = lab.ids;
  const server = { name: "lab-test", flavorRef: lab.names.cpuFlavor, imageRef, networks: [{ uuid }] };
  const { id } = (await act("/servers", { server })).body.server;
  const status = async () => (await lab.request("compute", `/servers/${id}`)).body.server.status;
  await expect.poll(status, soon).toBe("ACTIVE");
  await lab.kill("nova");
  await expect(lab.request("compute", "/servers")).rejects.toThrow();
  await lab.start("nova");
  await act(`/servers/${id}/action`, { "os-stop": null });
  await expect.poll(status, soon).toBe("SHUTOFF");
});

it("is removed when the process that began it is killed", async () => {
  const program = join(import.meta.dirname, "lab/by-hand.ts");
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  await vi.waitFor(() => expect(said).toContain("Ctrl-C ends it"), { timeout: 200_000, interval: 100 });
  const directory = /OS_CLIENT_CONFIG_FILE=(\S+)\/clouds\.yaml/.exec(said)?.[1] ?? "";
  expect(existsSync(directory)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  await expect.poll(() => existsSync(directory), soon).toBe(false);
});
