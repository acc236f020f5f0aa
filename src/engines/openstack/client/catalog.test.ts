import { describe, expect, it } from "vitest";
import { Unsuitable } from "./api-error.ts";
import { addressOf, type ServiceType } from "./catalog.ts";

const endpoint = (url: string, region = "One", kind = "public") => ({ interface: kind, region, url });

function address(service: ServiceType, type: string, endpoints: object[], region?: string, ours?: string): string {
  // As Keystone answers them.
  const catalog = [{ type, endpoints: endpoints as { interface: string; region: string; url: string }[] }];
  const token = { value: "t", project: { id: "p1", name: "rent", roles: [] }, catalog };
  return addressOf({ service, region }, token, { region: ours, interface: "public" });
}

describe("the address of a service", () => {
  it.each<[ServiceType, string, string, string]>([
    ["compute", "compute", "http://h/compute/v2.1", "http://h/compute/v2.1"],
    ["compute", "compute", "http://h:8774/v2.1/p1/", "http://h:8774/v2.1/p1"],
    ["compute", "compute", "https://h:8774", "https://h:8774/v2.1"],
    ["network", "network", "http://h:9696/", "http://h:9696/v2.0"],
    ["network", "network", "http://h/networking/v2.0", "http://h/networking/v2.0"],
    ["image", "image", "http://h/image", "http://h/image/v2"],
    ["image", "image", "http://h:9292/v2/", "http://h:9292/v2"],
    ["placement", "placement", "http://h/placement/", "http://h/placement"],
    ["volume", "block-storage", "http://h/volume/v3", "http://h/volume/v3/p1"],
    ["volume", "volumev3", "http://h:8776/v3/p1", "http://h:8776/v3/p1"],
    ["volume", "volumev3", "http://h:8776", "http://h:8776/v3/p1"],
  ])("has the version of the API: %s of the type %s at %s", (service, type, url, base) => {
    expect(address(service, type, [endpoint(url)])).toBe(base);
  });

  it("is of the place's region, else of clouds.yaml's, else of the only one", () => {
    const both = [endpoint("http://one/"), endpoint("http://two/", "Two"), endpoint("http://a", "Two", "admin")];
    expect(address("placement", "placement", both, "Two", "One")).toBe("http://two");
    expect(address("placement", "placement", both, undefined, "One")).toBe("http://one");
    expect(address("placement", "placement", both.slice(0, 1))).toBe("http://one");
  });

  it.each<[string, () => unknown]>([
    [
      "The catalog of the cloud has no network service (type network).",
      () => address("network", "compute", [endpoint("http://h")]),
    ],
    [
      "The catalog of the cloud has no volume service (type block-storage or volumev3).",
      () => address("volume", "volumev2", [endpoint("http://h")]),
    ],
    [
      "The cloud has several regions (One, Two): name one.",
      () => address("image", "image", [endpoint("http://h"), endpoint("http://h", "Two")]),
    ],
    [
      "The catalog of the cloud has no image service (type image) in region Three, only in One.",
      () => address("image", "image", [endpoint("http://h")], "Three"),
    ],
    [
      "The catalog of the cloud has no public endpoint of the image service (type image) in region One, only internal.",
      () => address("image", "image", [endpoint("http://h", "One", "internal")]),
    ],
    ...["ftp://h/", "javascript:x", "http://me:secret@h/", "http://h/?a=b", "h:8774", "file:///etc/x", "http://"].map(
      (url): [string, () => unknown] => [
        "The address of the image service (type image) in the catalog of the cloud is not an http:// or https:// URL.",
        () => address("image", "image", [endpoint(url)]),
      ],
    ),
  ])("is missing, and it is said what of it: %s", (message, attempt) => {
    expect(attempt).toThrow(Unsuitable);
    expect(attempt).toThrow(message);
  });
});
