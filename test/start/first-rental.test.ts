// The README's first minute as a reader lives it: `npm start`, the line it prints, an active instance, Ctrl-C. The one whole
// program of npm test; everything else about starting and stopping is in the *.program.test.ts of this folder.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterTest } from "../support/when-over.ts";

const checkout = resolve(import.meta.dirname, "../..");

it("npm start serves, the printed line rents a machine, and Ctrl-C ends everything", async () => {
  const directory = await temporaryDirectory(0o711);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(LESSOR_|DATABASE_URL|npm_)/i.test(name));
  const settings = { LESSOR_PORT: "0", LESSOR_REFERENCE_PORT: "0", LESSOR_DATA_DIR: directory };
  const service = spawn("npm", ["start"], { cwd: checkout, env: { ...Object.fromEntries(inherited), ...settings } });
  const exited = once(service, "exit");
  afterTest(async () => {
    service.kill("SIGINT");
    await exited;
  });
  let output = "";
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  await expect.poll(() => output).toContain("Ctrl-C stops everything.");

  const printed = /curl -s -X POST (\S+) \\\n\s+-H "Authorization: ([^"]+)" \\\n\s+-d '([^']+)'/.exec(output);
  const [, url = "", authorization = "", body = ""] = printed ?? expect.fail(output);
  const headers = { authorization };
  const launched = await fetch(url, { method: "POST", headers, body });
  expect(launched.status).toBe(200);
  const { data } = (await launched.json()) as { data: { uuid: string } }; // as the document says
  const instance = url.replace("/instance-operations/launch", `/instances/${data.uuid}`);
  const read = async () => await (await fetch(instance, { headers })).json();
  await expect.poll(read).toMatchObject({ data: { id: data.uuid, status: "active" } });

  const database = readFileSync(join(directory, "postgres/data/postmaster.pid"), "utf8").split("\n")[0];
  service.kill("SIGINT");
  expect(await exited).toEqual([0, null]);
  expect(existsSync(`/proc/${database}`)).toBe(false);
});
