import { describe, expect, it } from "vitest";
import { faultsIn, lines } from "../../../../test/support/check-stand.ts";
import { beginCloudCheckStand } from "../../../../test/support/cloud-check-stand.ts";
import { checkCertificates, checkClock, checkEncryption, checkServices } from "./access.ts";

describe("a service", () => {
  it("that is too old is a problem", async () => {
    const stand = await beginCloudCheckStand();
    stand.stand.world.newest.compute = 53;
    expect(faultsIn(await stand.run(checkServices))).toEqual([
      expect.stringMatching(/^problem compute service: .*offers version 2\.53.*needs 2\.74.* -> upgrade the service/),
    ]);
  });

  it("that does not respond is a problem, and the others are asked", async () => {
    const stand = await beginCloudCheckStand();
    await stand.stand.fake.stop("network");
    const told = await stand.run(checkServices);
    expect(faultsIn(told)).toEqual([expect.stringMatching(/^problem network service: .*does not respond/)]);
    expect(told).toContainEqual(expect.stringMatching(/^ok image service/));
  });

  it("that the credentials may not use says which role to give", async () => {
    const stand = await beginCloudCheckStand();
    stand.refuse("placement", /resource_classes/, 403);
    stand.refuse("image", /images/, 403);
    expect(faultsIn(await stand.run(checkServices))).toEqual([
      expect.stringMatching(/^problem image service: .* -> give the credentials a role in the project/),
      expect.stringMatching(/^problem placement service: .* -> .*or set pools for the region/),
    ]);
  });

  it("Placement is not needed where Nova chooses the host", async () => {
    const stand = await beginCloudCheckStand({ role: "member" });
    const pools = [{ gpu: undefined, count: 0, vcpus: 8, memoryGib: 8, storageGb: 8 }];
    expect(faultsIn(await stand.run(checkServices, { region: { pools } }))).toEqual([]);
  });

  it("whose clock is wrong is told", async () => {
    const stand = await beginCloudCheckStand();
    stand.stand.fake.identity.clockAheadMs = 600_000;
    expect(faultsIn(await stand.run(checkServices))).toEqual([
      expect.stringMatching(/^warning compute service: its clock is \d+ s ahead of this machine's -> .*NTP/),
    ]);
    const now = new Date(1_000_000);
    expect(await lines(checkClock("x", new Date(0), now))).toEqual([expect.stringMatching(/1000 s behind/)]);
    expect(await lines(checkClock("x", undefined, now))).toEqual([]);
  });
});

describe("an endpoint without TLS", () => {
  it("is a warning, also behind a Keystone with TLS, but not on this machine", async () => {
    const keystone = "https://cloud.example.com:5000/v3";
    expect(await lines(checkEncryption("compute service", keystone, "http://10.0.0.1:8774/v2.1"))).toEqual([
      expect.stringMatching(/^warning compute service: .*is not encrypted, although Keystone has https/),
    ]);
    expect(await lines(checkEncryption("x", keystone, keystone))).toEqual([]);
    expect(await lines(checkEncryption("x", "http://127.0.0.1:5000/v3", "http://127.0.0.1:5000/v3"))).toEqual([]);
  });
});

describe("a certificate", () => {
  it("that expires soon is a warning, and one that has expired a problem", async () => {
    const now = new Date("2026-01-01T00:00:00Z");
    const which = "The certificate of the server";
    const of = (days: number) => ({ which, expires: new Date(now.getTime() + days * 86_400_000) });
    expect(await lines(checkCertificates([of(-1), of(1000)], now))).toEqual([
      expect.stringMatching(/^problem certificate: The certificate of the server expired at .* -> renew it$/),
    ]);
    expect((await lines(checkCertificates([of(12)], now)))[0]).toMatch(/^warning certificate: .*expires at/);
  });
});
