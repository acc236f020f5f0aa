import { describe, expect, it } from "vitest";
import { machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { fc } from "../../../test/support/properties.ts";
import { accountIn, domainName, fileSystemVolume, labelIn, labelOf, machineIdIn, volumes } from "./labels.ts";
import { element, xmlText } from "./xml/element.ts";
import { readOne } from "./xml/read.ts";

const mark = { installation: "installation-1", engine: "lab", address: "10.0.0.7" };
const spec = machineSpec({ generation: 7 });

function domain(...metadata: Parameters<typeof element>[2][]) {
  return readOne(xmlText(element("domain", {}, element("metadata", {}, ...metadata))));
}

describe("the mark of a domain", () => {
  it("comes back as it was written", () => {
    expect(labelIn(domain(labelOf(spec, mark)))).toEqual({ ...mark, instance: spec.id });
  });

  it("tells people whose it is, and of which generation", () => {
    const marked = domain(labelOf(spec, mark));
    expect(accountIn(marked)).toBe(spec.accountId);
    expect(marked.one("metadata", "lessor:machine")?.attribute("generation")).toBe("7");
  });

  it("is found beside what others have put there", () => {
    const other = element("libosinfo:libosinfo", {
      "xmlns:libosinfo": "http://libosinfo.org/xmlns/libvirt/domain/1.0",
    });
    expect(labelIn(domain(other, labelOf(spec, mark)))?.instance).toBe(spec.id);
  });

  it("is none where it is missing, of another namespace, or not whole", () => {
    expect(labelIn(readOne("<domain/>"))).toBeUndefined();
    expect(labelIn(domain())).toBeUndefined();
    const { attributes } = labelOf(spec, mark);
    for (const name of ["xmlns:lessor", "installation", "engine", "instance", "address"]) {
      const part = element("lessor:machine", { ...attributes, [name]: undefined });
      expect([name, labelIn(domain(part))]).toEqual([name, undefined]);
    }
    expect(labelIn(domain(element("lessor:machine", { ...attributes, "xmlns:lessor": "urn:other" })))).toBeUndefined();
  });
});

describe("a name", () => {
  it("tells the machine that it is of", () => {
    fc.assert(fc.property(fc.uuid(), (id) => machineIdIn(domainName(id)) === id));
  });

  it.each([
    "web",
    "lessor-",
    "lessor-web",
    `lessor-${spec.id}-copy`,
    `old-lessor-${spec.id}`,
    `lessor-${spec.id.slice(1)}`,
    `lessor-${spec.id}\nx`,
    `LESSOR-${spec.id}`,
    "lessor-proof-0123456789ab",
  ])("of somebody else's domain, like %j, is of none of ours", (name) => {
    expect(machineIdIn(name)).toBeUndefined();
  });

  it("of a volume belongs to one machine only, or to one file system", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 5 }), (ids) => {
        const names = ids.flatMap((id) => [...Object.values(volumes).map((name) => name(id)), fileSystemVolume(id)]);
        expect(new Set(names).size).toBe(names.length);
        for (const id of ids) {
          // What remove deletes by its beginning.
          const mine = names.filter((name) => name.startsWith(`${domainName(id)}.`));
          expect(mine).toEqual(Object.values(volumes).map((name) => name(id)));
        }
      }),
    );
  });
});
