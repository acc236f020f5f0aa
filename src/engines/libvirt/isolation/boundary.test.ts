import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { failure, signal } from "../../../../test/support/engine-calls.ts";
import { beginBench } from "../../../../test/support/fake-libvirt/bench.ts";
import { readXml } from "../xml/read.ts";
import { addressesAt, boundaryOf, readBoundary } from "./boundary.ts";

const networks = readXml(`
<network><name>rent</name>
  <ip address='203.0.113.1' netmask='255.255.255.192'><dhcp/></ip>
  <ip family='ipv6' address='2001:db8::1' prefix='64'/>
</network>
<network><name>other</name><ip address='192.168.122.1' prefix='24'/></network>`);
const settings = { network: "rent", managementNetworks: ["10.0.0.0/24", "2001:db8:1::/48"] };

it("a machine must not reach its host's addresses in all networks, nor its own network, nor what is link-local", () => {
  expect(boundaryOf(networks, ["192.0.2.5", "203.0.113.1"], settings)).toEqual({
    gateways: ["203.0.113.1"],
    host: ["203.0.113.1/32", "192.168.122.1/32", "192.0.2.5/32"],
    closed: ["203.0.113.1/26", "169.254.0.0/16", "127.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32"],
    management: ["10.0.0.0/24"],
  });
});

it("the address at which a host is reached is the host's own", async () => {
  expect(await addressesAt("qemu+tcp://10.215.0.1/system")).toEqual(["10.215.0.1"]);
  expect(await addressesAt("qemu+ssh://root@192.0.2.7:2222/system?no_tty=1")).toEqual(["192.0.2.7"]);
  expect(await addressesAt("qemu+ssh://root@gpu-1.invalid/system")).toEqual([]);
});

it("this machine's addresses are all of its own", async () => {
  const expected = Object.values(networkInterfaces()).flatMap((all = []) => all.filter((one) => !one.internal));
  expect(await addressesAt("qemu:///system")).toEqual(
    expected.filter(({ family }) => family === "IPv4").map(({ address }) => address),
  );
});

it("is read from the host: the networks that libvirt has there, and the settings", async () => {
  const { place, host } = await beginBench({ managementNetworks: ["10.0.0.0/24"] });
  host.networks.add("other", "127.99.1");
  expect(await readBoundary(place, signal())).toMatchObject({
    gateways: ["127.66.1.1"],
    host: ["127.99.1.1/32", "127.66.1.1/32", "127.66.1.2/32"],
    management: ["10.0.0.0/24"],
  });
  host.networks.remove("default");
  expect(`${await failure(readBoundary(place, signal()))}`).toContain("no network with matching name 'default'");
});
