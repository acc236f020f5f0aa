// A customer rents a machine with everything that "More options" has, and finds it again: in the machine, in the interfaces,
// and in what the service keeps for cloud-init.

import { beforeAll, expect, it } from "vitest";
import { userDataContext } from "../../src/rental/instances/instance.ts";
import { afterFile } from "../support/when-over.ts";
import { serious } from "./support/accessibility.ts";
import { painted, sizes } from "./support/browser.ts";
import { layoutFaults } from "./support/layout.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});

const userData = "#cloud-config\npackages: [git]\n# it's ünïcode\n";

async function ask(token: string, url: string, body?: object, method = "POST"): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url, body === undefined ? { headers } : { method, headers, body: JSON.stringify(body) });
  expect(answer.status).toBeLessThan(300);
  return answer.json();
}

it("rents with user data, a mount point, a lifetime, a highest price and a password, each told as wrong until it is right", async () => {
  const token = await stand.customerToken("options");
  for (const name of ["models", "data"])
    await ask(token, `${stand.control}/file-systems`, { name, region: "us-east-1", size_gb: 10 });
  const page = await stand.signedIn("/launch", token);
  const summary = page.getByRole("complementary", { name: "Summary" });
  const rent = summary.getByRole("button", { name: "Launch instance" });

  await page.getByText("A10", { exact: false }).first().click();
  await page.getByPlaceholder("None", { exact: true }).click();
  await page.getByRole("option", { name: "models" }).click();
  await page.getByRole("option", { name: "data" }).click();
  await page.getByLabel("Name", { exact: true }).fill("with-everything");
  expect(await page.getByLabel("User data").count()).toBe(0);
  await page.getByRole("button", { name: "More options" }).click();

  await page.getByLabel("User data").fill(userData);
  await page.getByText(`${Buffer.byteLength(userData)} of 1,048,576 bytes`).waitFor();
  await page.getByLabel("Mount point of data").fill("/etc/data");
  await page.getByText("Choose a place outside of /etc").waitFor();
  await summary.getByText("Fix the mount points under More options").waitFor();
  expect(await rent.isDisabled()).toBe(true);
  await page.getByLabel("Mount point of data").fill("/data");
  await page.getByLabel("Maximum price per hour").fill("0.74");
  await summary.getByText("Fix the maximum price under More options").waitFor();
  await page.getByLabel("Maximum price per hour").fill("0.75");
  const quoted = page.waitForRequest((one) => one.url().includes("/quote?") && one.url().includes("lifetime"));
  await page.getByLabel("Maximum lifetime in hours").fill("8");
  expect(new URL((await quoted).url()).searchParams.get("max_lifetime_seconds")).toBe("28800");
  await page.getByRole("combobox", { name: "When its GPUs are not used" }).click();
  await page.getByRole("option", { name: "Notify and stop" }).click();
  await page.getByLabel("For so many minutes").fill("45");
  await summary.getByText("--idle 45m:stop").waitFor();
  // What else there is without a key, and where the password is found.
  const keyless = page.getByText(
    "Without a key, log in with a password (see More options) or through the web terminal.",
  );
  await keyless.waitFor();
  await page.getByText("The instance's page and lessor show have the password").waitFor();
  await page.getByRole("switch", { name: "Log in with a password" }).check();
  await keyless.waitFor({ state: "detached" });
  await summary.getByText("At most, for 8 h").waitFor();
  await summary.getByText("$6.00").waitFor();
  await page.getByRole("button", { name: "More options 6 set" }).waitFor();
  await summary.getByText("--fs data:/data").waitFor();
  for (const size of sizes) {
    await page.setViewportSize(size);
    await painted(page);
    expect([...(await layoutFaults(page)), ...(await serious(page))]).toEqual([]);
  }

  const request = page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/instances"));
  await rent.click();
  expect((await request).postDataJSON()).toMatchObject({ max_price_cents_per_hour: 75, user_data: userData });
  await page.getByRole("heading", { level: 1, name: "with-everything" }).waitFor();
  await page.getByText("models at /mnt/models, data at /data").waitFor();
  await page.getByText("Limited lifetime").waitFor();

  const { data } = (await ask(token, `${stand.control}/instances`)) as { data: unknown[] };
  expect(data).toMatchObject([
    {
      name: "with-everything",
      file_system_names: ["models", "data"],
      file_system_mounts: [{ mount_point: "/mnt/models" }, { mount_point: "/data" }],
      max_lifetime_seconds: 28_800,
      idle_rule: { action: "stop", minutes: 45 },
    },
  ]);
  const { runningInstances } = (await ask(token, `${stand.direct}/instance`)) as { runningInstances: object[] };
  expect(runningInstances).toMatchObject([{ name: "with-everything", password: expect.any(Number) }]);
  expect(runningInstances).not.toMatchObject([{ password: 0 }]);
  const kept = await stand.db.selectFrom("user_data").selectAll().execute();
  expect(kept.map((one) => stand.service.keyRing.openText(one.text_sealed, userDataContext(one.id)))).toEqual([
    userData,
  ]);
});

it("takes labels of hosts from operators, tells when none of those has capacity, and shows customers no such field", async () => {
  await ask(stand.operatorToken, `${stand.control}/hosts/us-east-1-a10-02`, { labels: { rack: "r12" } }, "PATCH");
  const page = await stand.signedIn("/launch", stand.operatorToken);
  const summary = page.getByRole("complementary", { name: "Summary" });
  await page.getByText("A10", { exact: false }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("on-a-rack");
  await page.getByRole("button", { name: "More options" }).click();
  await page.getByLabel("Host labels").fill("rack=r13");
  await summary.getByText(/^No hosts with these labels have the capacity\./).waitFor();
  await page.getByLabel("Host labels").fill("rack=r12");
  await summary.getByText("In us-east-1, which has capacity now").waitFor();
  await summary.getByText("--host-selector rack=r12").waitFor();
  await summary.getByRole("button", { name: "Launch instance" }).click();
  await page.getByRole("heading", { level: 1, name: "on-a-rack" }).waitFor();
  const { data } = (await ask(stand.operatorToken, `${stand.control}/instances`)) as { data: { name: string }[] };
  expect(data.filter(({ name }) => name === "on-a-rack")).toMatchObject([{ host: "us-east-1-a10-02" }]);

  const customer = await stand.signedIn("/launch");
  await customer.getByRole("button", { name: "More options" }).click();
  await customer.getByLabel("User data").waitFor();
  expect(await customer.getByLabel("Host labels").count()).toBe(0);
});
