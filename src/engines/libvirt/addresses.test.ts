import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginBench } from "../../../test/support/fake-libvirt/bench.ts";
import { FakeLibvirt } from "../../../test/support/fake-libvirt/fake-libvirt.ts";
import { hostSettings, installation, settingsFor } from "../../../test/support/fake-libvirt/stand.ts";
import { fc } from "../../../test/support/properties.ts";
import { addressCount, freeReservation, macOf, reserveAddress } from "./addresses.ts";
import type { HostConnection } from "./host-connection.ts";
import type { Virsh } from "./virsh/virsh.ts";
import { readOne } from "./xml/read.ts";

const add = /^h1 net-update default add /;
const existing = `Requested operation is not valid: there is an existing dhcp host entry in network 'default' that matches "x"`;

/** A host whose network is described so, with the reservations that were made meanwhile. */
function describedBy(...ips: readonly string[]): HostConnection {
  const reservations: string[] = [];
  const unexpected = () => Promise.reject(new Error("BUG: not expected here"));
  const virsh: Virsh = {
    call: async ([command, , , , host = ""]) => {
      if (command === "net-dhcp-leases") return "";
      if (command === "net-dumpxml") {
        return `<network>${ips.join("")}<ip><dhcp>${reservations.join("")}</dhcp></ip></network>`;
      }
      reservations.push(host);
      return "";
    },
    bytes: unexpected,
    all: unexpected,
    follow: () => () => {},
    console: unexpected,
  };
  const settings = settingsFor(new FakeLibvirt({ hosts: [] }));
  return { virsh, settings, installation, host: hostSettings({ name: "h", uri: "qemu:///system" }) };
}

function range(start: string, end: string, more = ""): string {
  return `<ip address='10.0.0.1' netmask='255.255.0.0'><dhcp><range start='${start}' end='${end}'/>${more}</dhcp></ip>`;
}

describe("a machine's MAC", () => {
  it("is the same for ever", () => {
    expect(macOf("0197a1b2-0000-7000-8000-000000000001")).toBe("52:ad:a3:3e:11:cf");
  });

  it("is one card's, and nobody else's make", () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(macOf(id)).toMatch(/^52(:[0-9a-f]{2}){5}$/);
        const first = Number.parseInt(macOf(id).slice(0, 2), 16);
        // Not for many, and made up locally.
        expect([first & 1, first & 2]).toEqual([0, 2]);
      }),
    );
  });

  it("is another for each of many machines", () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `0197a1b2-0000-7000-8000-${`${index}`.padStart(12, "0")}`);
    expect(new Set(ids.map(macOf)).size).toBe(ids.length);
  });
});

describe("an address", () => {
  it("is reserved for the machine's MAC, in the running network and for when it starts anew", async () => {
    const { place, host, fake, spec } = await beginBench();
    const ip = await reserveAddress(place, spec.id, signal());
    expect(host.networks.get("default").reservations).toEqual([{ mac: macOf(spec.id), ip, name: undefined }]);
    expect(fake.seen(add)[0]?.args.slice(-2)).toEqual(["--live", "--config"]);
  });

  it("stays the machine's, however often it is asked for, and until it is given back", async () => {
    const { place, host, spec } = await beginBench();
    const ip = await reserveAddress(place, spec.id, signal());
    expect(await reserveAddress(place, spec.id, signal())).toBe(ip);
    await freeReservation(place, spec.id, signal());
    expect(host.networks.get("default").reservations).toEqual([]);
    await freeReservation(place, spec.id, signal());
  });

  it("is another for each of many that are asked for at once, until all are given", async () => {
    const { place } = await beginBench();
    const ids = Array.from({ length: 241 }, () => crypto.randomUUID());
    const some = await Promise.all(ids.slice(0, 40).map((id) => reserveAddress(place, id, signal())));
    const others: string[] = [];
    for (const id of ids.slice(40)) others.push(await reserveAddress(place, id, signal()));
    const all = [...some, ...others];
    expect(new Set(all).size).toBe(241);
    const numbers = all.map((ip) => Number(/^127\.66\.1\.(\d+)$/.exec(ip)?.[1]));
    expect([Math.min(...numbers), Math.max(...numbers)]).toEqual([10, 250]);

    const error = await failure(reserveAddress(place, crypto.randomUUID(), signal()));
    expect(error).toMatchObject({ kind: "refused", code: "no-free-address" });
    await freeReservation(place, ids[0] ?? "", signal());
    expect(await reserveAddress(place, crypto.randomUUID(), signal())).toBe(all[0]);
  });

  it("is one for two that ask for the same machine at once", async () => {
    const { place, host, spec } = await beginBench();
    const asked = [1, 2, 3].map(() => reserveAddress(place, spec.id, signal()));
    expect(new Set(await Promise.all(asked)).size).toBe(1);
    expect(host.networks.get("default").reservations).toHaveLength(1);
  });

  it("that somebody else took in this moment is left to him", async () => {
    const { place, fake, host } = await beginBench();
    fake.faults.add(add, { fail: existing }, 3);
    // Of one random id in forty two of the four tries begin at the same address.
    const id = "00000000-0000-4000-8000-000000000001";
    const ip = await reserveAddress(place, id, signal());
    expect(host.networks.get("default").reservations).toEqual([{ mac: macOf(id), ip, name: undefined }]);
    const tried = fake.seen(add).map(({ args }) => args[4]);
    expect(new Set(tried).size).toBe(4);
  });

  it("that the network never gives is to be tried again later", async () => {
    const { place, fake, spec } = await beginBench();
    fake.faults.add(add, { fail: existing }, 1000);
    expect(await failure(reserveAddress(place, spec.id, signal()))).toMatchObject({ kind: "unavailable" });
  });

  it("whose reservation fails for another reason fails with that", async () => {
    const { place, fake, spec } = await beginBench();
    fake.faults.add(add, { fail: "internal error: dnsmasq is gone" });
    expect(await failure(reserveAddress(place, spec.id, signal()))).toMatchObject({
      complaint: "internal error: dnsmasq is gone",
    });
  });

  it("is found again when the answer to the reservation was lost", async () => {
    const { place, fake, host, spec } = await beginBench();
    fake.faults.add(add, { fail: "End of file while reading data", isDone: true });
    await failure(reserveAddress(place, spec.id, signal()));
    const ip = await reserveAddress(place, spec.id, signal());
    expect(host.networks.get("default").reservations).toEqual([{ mac: macOf(spec.id), ip, name: undefined }]);
  });
});

describe("an address that is leased to another guest", () => {
  const bootedAt = (host: { networks: { get(name: string): { leases: object[] } } }, last: number) =>
    host.networks.get("default").leases.push({ mac: macOf(crypto.randomUUID()), ip: `127.66.1.${last}` });

  it("is not given, also when the machine that had it is gone", async () => {
    const { place, host } = await beginBench();
    for (let last = 10; last <= 250; last++) if (last !== 77) bootedAt(host, last);
    expect(await reserveAddress(place, crypto.randomUUID(), signal())).toBe("127.66.1.77");
  });

  it("is to be waited for where there is no other", async () => {
    const { place, host, spec } = await beginBench();
    for (let last = 10; last <= 250; last++) bootedAt(host, last);
    expect(await failure(reserveAddress(place, spec.id, signal()))).toMatchObject({ kind: "unavailable" });
    host.networks.get("default").leases.splice(100, 1);
    expect(await reserveAddress(place, spec.id, signal())).toBe("127.66.1.110");
  });

  it("is its own guest's as before", async () => {
    const { place, host, spec } = await beginBench();
    const ip = "127.66.1.33";
    for (let last = 10; last <= 250; last++) if (last !== 33) bootedAt(host, last);
    host.networks.get("default").leases.push({ mac: macOf(spec.id), ip });
    expect(await reserveAddress(place, spec.id, signal())).toBe(ip);
  });
});

describe("a reservation that libvirt was killed in the middle of", () => {
  const half = /^h1 net-update default delete ip-dhcp-host \S+ \S+ --config$/;

  it("does not stand in the way of the next one", async () => {
    const { place, fake, spec } = await beginBench();
    fake.faults.add(add, { fail: existing });
    await reserveAddress(place, spec.id, signal());
    expect(fake.seen(half)).toHaveLength(1);
  });

  it("is forgotten with the machine", async () => {
    const { place, fake, spec } = await beginBench();
    await freeReservation(place, spec.id, signal());
    expect(fake.seen(half)).toHaveLength(1);
  });

  it("is not taken for what another one has just taken", async () => {
    const { place, fake, host, spec } = await beginBench();
    // All but one are taken, so this is the one that both want; and then another is given back.
    const ids = Array.from({ length: 240 }, () => crypto.randomUUID());
    for (const id of ids) await reserveAddress(place, id, signal());
    const rival = reserveAddress(place, crypto.randomUUID(), signal());
    const own = failure(reserveAddress(place, spec.id, signal()));
    await rival;
    expect(await own).toMatchObject({ code: "no-free-address" });
    expect(fake.seen(half)).toEqual([]);
    expect(host.networks.get("default").reservations).toHaveLength(241);
  });
});

describe("the addresses of a network", () => {
  it("are those of all its ranges, and none besides", async () => {
    const place = describedBy(range("10.0.0.254", "10.0.1.1"), range("10.9.0.5", "10.9.0.5"));
    const given = new Set<string>();
    for (let count = 0; count < 5; count++) given.add(await reserveAddress(place, crypto.randomUUID(), signal()));
    expect([...given].sort()).toEqual(["10.0.0.254", "10.0.0.255", "10.0.1.0", "10.0.1.1", "10.9.0.5"]);
    expect(await failure(reserveAddress(place, crypto.randomUUID(), signal()))).toMatchObject({ kind: "refused" });
  });

  it("do not hold the network's own, nor those that an operator gave to a name or another card", async () => {
    const hosts = "<host name='printer' ip='10.0.0.2'/><host mac='AA:BB:CC:00:00:01' ip='10.0.0.3'/><host mac='x'/>";
    const place = describedBy(range("10.0.0.1", "10.0.0.4", hosts));
    expect(await reserveAddress(place, crypto.randomUUID(), signal())).toBe("10.0.0.4");
    expect(await failure(reserveAddress(place, crypto.randomUUID(), signal()))).toMatchObject({ kind: "refused" });
  });

  it.each([
    ["IPv6 only", "<ip family='ipv6' address='fd00::1'><dhcp><range start='fd00::2' end='fd00::9'/></dhcp></ip>"],
    ["without a range", "<ip address='10.0.0.1' netmask='255.255.255.0'/>"],
    ["with one that ends before it begins", range("10.0.0.9", "10.0.0.2")],
    ["with none at all", ""],
  ])("are none where it is %s", async (_what, ip) => {
    const error = await failure(reserveAddress(describedBy(ip), crypto.randomUUID(), signal()));
    expect(error).toMatchObject({ kind: "refused", code: "no-free-address" });
    expect(addressCount(readOne(`<network>${ip}</network>`))).toBe(0);
  });

  it("find a reservation again whose MAC is written in capitals", async () => {
    const { id } = { id: crypto.randomUUID() };
    const host = `<host mac='${macOf(id).toUpperCase()}' ip='10.0.0.77'/>`;
    expect(await reserveAddress(describedBy(range("10.0.0.2", "10.0.0.9", host)), id, signal())).toBe("10.0.0.77");
  });

  it("may be very many", async () => {
    const place = describedBy(range("10.0.0.2", "10.255.255.254"));
    expect(await reserveAddress(place, crypto.randomUUID(), signal())).toMatch(/^10\.\d+\.\d+\.\d+$/);
    expect(addressCount(readOne(`<network>${range("0.0.0.0", "255.255.255.255")}</network>`))).toBe(2 ** 32);
  });
});
