// One fake host: what it is made of, what is on it, and whether it can be reached.

import { complaint } from "./complain.ts";
import { FakeDomains } from "./domains.ts";
import { Events } from "./events.ts";
import { FakeFilters } from "./filters.ts";
import type { GuestManners } from "./guest.ts";
import { FakeHardware } from "./hardware.ts";
import { FakeNetworks } from "./network.ts";
import { FakeStorage } from "./storage.ts";

export class FakeHost {
  readonly name: string;
  readonly uri: string;
  readonly hardware = new FakeHardware();
  readonly storage = new FakeStorage();
  readonly networks = new FakeNetworks();
  readonly filters = new FakeFilters();
  readonly events: Events;
  readonly domains: FakeDomains;
  #daemon = true;
  /** What ends when the daemon does: calls without an answer. */
  readonly #pending = new Set<(error: Error) => void>();

  constructor(name: string, uri: string, manners: GuestManners) {
    this.name = name;
    this.uri = uri;
    this.events = new Events(uri);
    const { hardware, storage, networks, filters, events } = this;
    this.domains = new FakeDomains({
      hardware,
      storage,
      networks,
      filters,
      events,
      manners,
      isDaemonUp: () => this.#daemon,
    });
  }

  get isDaemonUp(): boolean {
    return this.#daemon;
  }

  /** Whether nothing from it arrives, and nothing reaches it. */
  get isCut(): boolean {
    return !this.events.arrives;
  }

  /** libvirtd is killed. What runs goes on, and whoever was connected is told. */
  stopDaemon(): void {
    this.#daemon = false;
    this.events.end("I/O error");
    const lost = `Disconnected from ${this.uri} due to I/O error`;
    for (const fail of this.#pending) fail(complaint(lost, "End of file while reading data: Input/output error"));
  }

  startDaemon(): void {
    if (!this.#daemon) this.domains.forgetReasons();
    this.#daemon = true;
  }

  restartDaemon(): void {
    this.stopDaemon();
    this.startDaemon();
  }

  /** Its network is gone: what is asked is never answered. What happens there happens all the same. */
  cut(): void {
    this.events.arrives = false;
  }

  /** Those who follow its events have waited long enough for a sign of life. */
  expireKeepalive(): void {
    this.events.end("keepalive timeout");
  }

  mend(): void {
    this.events.arrives = true;
    this.events.deliver();
  }

  /** The whole host begins anew: nothing runs, and what lived in memory is gone. */
  reboot(): void {
    this.domains.losePower();
    this.storage.reboot();
    this.stopDaemon();
    this.startDaemon();
  }

  /** Throws what virsh ends with where nothing listens at the host. */
  checkDaemon(): void {
    if (this.#daemon) return;
    const server = /^qemu\+tcp:\/\/([^/]+)\//.exec(this.uri)?.[1] ?? this.name;
    throw complaint(
      "failed to connect to the hypervisor",
      `unable to connect to server at '${server}:16509': Connection refused`,
    );
  }

  /** Waits for an answer that never comes: rejects with the signal's reason, or as a call does whose daemon ends. */
  silence(signal: AbortSignal): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    this.#pending.add(reject);
    return promise.finally(() => {
      this.#pending.delete(reject);
      signal.removeEventListener("abort", abort);
    });
  }
}
