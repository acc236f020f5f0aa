import ipaddr from "ipaddr.js";
import { expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { outside } from "./outside.ts";

it.each<[4 | 6, readonly string[], readonly string[]]>([
  [4, [], ["0.0.0.0/0"]],
  [4, ["2001:db8::/32"], ["0.0.0.0/0"]],
  [4, ["0.0.0.0/0"], []],
  [4, ["128.0.0.0/1"], ["0.0.0.0/1"]],
  [4, ["192.0.0.0/2", "0.0.0.0/2"], ["64.0.0.0/2", "128.0.0.0/2"]],
  [4, ["0.0.0.0/2", "0.0.0.0/3", "10.0.0.0/8"], ["64.0.0.0/2", "128.0.0.0/1"]],
  [6, ["c000::/2", "10.0.0.0/8"], ["::/1", "8000::/2"]],
])("outside of %s, %j is %j", (version, networks, left) => {
  expect(outside(version, networks)).toEqual(left);
});

it("has each address that no network has, and no other", () => {
  const address = fc.tuple(fc.nat(255), fc.nat(3), fc.nat(3), fc.nat(255)).map((bytes) => bytes.join("."));
  const network = fc.tuple(address, fc.nat(32)).map(([first, length]) => `${first}/${length}`);
  const isIn = (one: string, networks: readonly string[]) =>
    networks.some((cidr) => ipaddr.parse(one).match(ipaddr.parseCIDR(cidr)));
  fc.assert(
    fc.property(fc.array(network, { maxLength: 5 }), address, (networks, one) => {
      expect(isIn(one, outside(4, networks))).toBe(!isIn(one, networks));
    }),
  );
});
