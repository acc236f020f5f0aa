import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { BootTrial } from "../../../test/support/guest/boot-trial.ts";
import { envFile } from "./env-file.ts";

const trials: BootTrial[] = [];
afterEach(() => {
  for (const trial of trials.splice(0)) trial.remove();
});

const secretsUrl = "http://169.254.169.254/openstack/latest/meta_data.json";
const delivery = { secretsUrl, serialOf: () => "0123456789abcdef0123" };

it("a guest in a cloud fetches its secrets from the metadata service, by Python, into the file that it waits for", () => {
  const guest = new BootTrial({ envVars: { A: "1" } });
  trials.push(guest);
  // In place of the program, which test/openstack/secrets-fetcher.test.ts tests: it brings the file after a while.
  const path = "$LESSOR_ROOT/var/lib/lessor-secrets";
  guest.fakeProgram("python3", `cat >"$LESSOR_ROOT/program"; PATH=$both; mv "${path}.kept" "${path}"`);
  guest.write("var/lib/lessor-secrets.kept", guest.read("var/lib/lessor-secrets"));
  rmSync(join(guest.root, "var/lib/lessor-secrets"));
  const { status, calls } = guest.boot("sh", { delivery });
  expect(status).toBe(0);
  expect(calls.find((call) => call.startsWith("python3"))).toBe(
    `python3 - ${secretsUrl} /var/lib/lessor-secrets lessor_secrets='complete' 300`,
  );
  expect(guest.read("program")).toContain("urllib.request");
  expect(guest.read("home/renter/.env")).toBe(envFile({ A: "1" }));
});
