// The programs of the documents that are no command lines: what docs/how-to/customers/use-sdks.md and docs/how-to/customers/verify-webhooks.md show in
// JavaScript and Python runs against a real service. Those in Python where there is a Python.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it } from "vitest";
import { found } from "../packaging/settings.ts";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const hasPython = await found("python3");

/** The first block of `kind` on a page of docs/. Throws where there is none. */
function block(page: string, kind: string): string {
  const text = new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(
    readFileSync(join(root, "docs", page), "utf8"),
  )?.[1];
  if (text === undefined) throw new Error(`${page} has no block of ${kind}`);
  return text;
}

describe("docs/how-to/customers/use-sdks.md", () => {
  const whenOver = afterFile();
  let service: RunningServer;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    service = await startDemoService(whenOver);
    env = { PATH: process.env.PATH, TOKEN: await service.customerToken("reader") };
  });
  /** The program, for this service. */
  const here = (text: string) => text.replaceAll("http://127.0.0.1:8081/api/v1", service.lambda);

  it("launches with lambda-cloud-node-api", async () => {
    const folder = await temporaryDirectory();
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const key = 'await client.addSSHKey({ name: "laptop" });\n';
    const shown = here(block("how-to/customers/use-sdks.md", "js")).replace(
      "const { instance_ids }",
      `${key}const { instance_ids }`,
    );
    expect(shown).toContain(key);
    writeFileSync(join(folder, "program.mjs"), `${shown}\nconsole.log(instance_ids.length);\n`);
    expect((await run(process.execPath, [join(folder, "program.mjs")], { env })).stdout).toBe("1\n");
  });

  it.runIf(hasPython)("asks with Python alone, and is told of regions", async () => {
    const { stdout } = await run("python3", ["-c", here(block("how-to/customers/use-sdks.md", "python"))], { env });
    expect(stdout).toContain("'us-east-1'");
  });
});

describe.runIf(hasPython)("the check of a webhook's signature in docs/how-to/customers/verify-webhooks.md", () => {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const body = '{"id": "evt_1", "type": "instance.active", "data": {"name": "Jäger"}}';

  /** What Python says of this delivery. */
  async function verified(delivery: { at: Date; body: string; signature?: string }): Promise<string> {
    const signature = delivery.signature ?? new Webhook(secret).sign("evt_1", delivery.at, body);
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(delivery.at.getTime() / 1000)),
      "webhook-signature": signature,
    };
    const asked =
      'import json, sys\ngiven = json.load(sys.stdin)\nprint(verified(given["secret"], given["headers"], given["body"].encode()))\n';
    const folder = await temporaryDirectory();
    writeFileSync(join(folder, "check.py"), `${block("how-to/customers/verify-webhooks.md", "python")}\n${asked}`);
    writeFileSync(join(folder, "given.json"), JSON.stringify({ secret, headers, body: delivery.body }));
    const { stdout } = await run("sh", ["-c", "python3 check.py < given.json"], { cwd: folder });
    return stdout.trim();
  }

  it("takes what was signed as every library signs it", async () => {
    expect(await verified({ at: new Date(), body })).toBe("True");
  });

  it("takes one of several signatures, as there are while a secret is exchanged", async () => {
    const at = new Date();
    const former = new Webhook(`whsec_${randomBytes(32).toString("base64")}`).sign("evt_1", at, body);
    const signature = `${former} ${new Webhook(secret).sign("evt_1", at, body)}`;
    expect(await verified({ at, body, signature })).toBe("True");
  });

  it("refuses a body that was changed, another secret, and what is old", async () => {
    const at = new Date();
    expect(await verified({ at, body: body.replace("active", "stopped") })).toBe("False");
    const other = new Webhook(`whsec_${randomBytes(32).toString("base64")}`).sign("evt_1", at, body);
    expect(await verified({ at, body, signature: other })).toBe("False");
    expect(await verified({ at: new Date(Date.now() - 301_000), body })).toBe("False");
  });
});
