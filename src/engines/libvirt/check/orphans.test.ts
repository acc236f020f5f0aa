import { hostname } from "node:os";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { lines } from "../../../../test/support/check-stand.ts";
import { machineSpec } from "../../../../test/support/fake-libvirt/stand.ts";
import { beginLibvirtCheckStand, type LibvirtCheckStand } from "../../../../test/support/libvirt-check-stand.ts";
import { checkerMark, probeInstallation } from "../../check/test-instance-label.ts";
import { LibvirtEngine } from "../engine.ts";
import { domainName, volumes } from "../labels.ts";
import { checkLeftovers, removeLeftovers } from "./orphans.ts";

let stand: LibvirtCheckStand;
beforeEach(async () => {
  stand = await beginLibvirtCheckStand();
});

const soon = () => AbortSignal.timeout(10_000);
/** No process has it. */
const deadPid = 2 ** 30;

function engineOf(installation: string): LibvirtEngine {
  const engine = new LibvirtEngine(stand.settings, installation, { connect: stand.connect });
  onTestFinished(() => engine.close());
  return engine;
}

/** A machine on h1; returns the name of its domain. */
async function made(installation: string, accountId = "ann"): Promise<string> {
  const spec = machineSpec({ accountId, guest: { ...machineSpec().guest, fileSystems: [] } });
  await engineOf(installation).create(spec, soon());
  return domainName(spec.id);
}

const domains = () =>
  stand
    .host("h1")
    .domains.all()
    .map(({ name }) => name);

function stranger(name: string): Promise<string> {
  const xml = `<domain type='kvm'><name>${name}</name><uuid>${crypto.randomUUID()}</uuid><os><type>hvm</type></os></domain>`;
  return stand.place().virsh.call(["define", "/dev/stdin"], { input: xml, signal: soon() });
}

describe("what is on a host", () => {
  it("is nothing to speak of where it is a service's, or an operator's own", async () => {
    expect(await stand.run(checkLeftovers)).toEqual(["ok leftovers on h1: nothing"]);
    await made("installation-1");
    await stranger("mine");
    expect(await stand.run(checkLeftovers)).toEqual(["ok leftovers on h1: 1 machine of Lessor, and no orphans"]);
  });

  it("is counted, and not touched, where it has our names and nobody owns it", async () => {
    await stranger(domainName(crypto.randomUUID()));
    const disk = volumes.disk(crypto.randomUUID());
    stand.host("h1").storage.addVolume("default", disk, { format: "qcow2", capacity: 1000 });
    stand.host("h1").filters.define(`<filter name='${domainName(crypto.randomUUID())}'/>`);
    expect(await stand.run(checkLeftovers)).toEqual([
      expect.stringMatching(
        /^warning leftovers on h1: 1 domain named lessor-… without Lessor's label, 1 network filter of machines that do not exist and 1 disk of machines that do not exist -> /,
      ),
    ]);
    expect(domains()).toHaveLength(1);
    expect(stand.host("h1").storage.names("default")).toContain(disk);
  });

  it("of two installations at once is a warning: both rent out all of it", async () => {
    await made("installation-1");
    await made("installation-2");
    expect((await stand.run(checkLeftovers))[0]).toMatch(/^warning leftovers on h1: machines of 2 installations/);
  });
});

describe("probe machines of checks that were killed", () => {
  it("are removed, and nothing of a service's or a running check's", async () => {
    const dead = await made(probeInstallation, `${hostname()}:${deadPid}:${Date.now() + 60_000}`);
    const running = await made(probeInstallation, checkerMark(Date.now() + 60_000));
    const rented = await made("installation-1", "scribbled");
    expect(await lines(removeLeftovers(stand.subject(), engineOf(probeInstallation), soon()))).toEqual([
      `ok leftovers: removed the test instance ${dead} of an earlier check from h1`,
    ]);
    expect(domains().sort()).toEqual([running, rented].sort());
  });

  it("are told where they cannot be removed", async () => {
    const name = await made(probeInstallation, "scribbled");
    stand.refuse(`undefine ${name} .*`, "internal error: it does not go");
    expect(await lines(removeLeftovers(stand.subject(), engineOf(probeInstallation), soon()))).toEqual([
      expect.stringMatching(
        `^problem leftovers: the test instance ${name} .* could not be removed from h1: .*does not go`,
      ),
    ]);
  });
});
