// A fake host's network filters. What they let through is nothing to the fake: test/vm shows it on real guests.

import { readOne } from "../../../src/engines/libvirt/xml/read.ts";
import { complaint } from "./complain.ts";

interface FakeFilter {
  readonly uuid: string;
  readonly xml: string;
  /** Names of those that are part of it. */
  readonly parts: readonly string[];
}

/** One that comes with libvirt. */
const builtIn = "clean-traffic";

export class FakeFilters {
  readonly #filters = new Map<string, FakeFilter>();

  constructor() {
    this.define(`<filter name='${builtIn}' chain='root'></filter>`);
  }

  /** Those that do not come with libvirt, by name. */
  get own(): Map<string, string> {
    return new Map(
      [...this.#filters].filter(([name]) => name !== builtIn).map(([name, { xml }]) => [name, xml] as const),
    );
  }

  define(xml: string): void {
    const root = readOne(xml);
    const name = root.attribute("name") ?? "";
    const uuid = root.one("uuid")?.text ?? crypto.randomUUID();
    const sameName = this.#filters.get(name);
    if (sameName !== undefined && sameName.uuid !== uuid) {
      throw complaint(`operation failed: filter '${name}' already exists with uuid ${sameName.uuid}`);
    }
    const sameUuid = [...this.#filters].find(([, one]) => one.uuid === uuid);
    if (sameUuid !== undefined && sameUuid[0] !== name) {
      throw complaint(`operation failed: filter with same UUID but different name ('${sameUuid[0]}') already exists`);
    }
    const parts = root.all("filterref").flatMap((part) => part.attribute("filter") ?? []);
    this.#filters.set(name, { uuid, xml, parts });
  }

  /** `inUse`: the names that cards of running domains give. */
  undefine(name: string, inUse: readonly string[]): void {
    this.#get(name);
    if (inUse.includes(name)) {
      throw complaint(
        `Failed to undefine network filter ${name}`,
        "Requested operation is not valid: nwfilter is in use",
      );
    }
    this.#filters.delete(name);
  }

  xml(name: string): string {
    return `${this.#get(name).xml}\n`;
  }

  /** As `virsh --quiet nwfilter-list` prints them. */
  list(): string {
    return [...this.#filters].map(([name, { uuid }]) => ` ${uuid}   ${name}\n`).join("");
  }

  /** Throws as the start of a domain does whose card names one that is not there. */
  checkStart(name: string): void {
    if (this.#filters.has(name)) return;
    throw complaint(`internal error: referenced filter '${name}' is missing`);
  }

  #get(name: string): FakeFilter {
    const filter = this.#filters.get(name);
    if (filter !== undefined) return filter;
    throw complaint(
      `failed to get nwfilter '${name}'`,
      `Network filter not found: no nwfilter with matching name '${name}'`,
    );
  }
}
