// What happens inside a running domain: a guest that boots, answers on its SSH port, writes to its console and halts
// when it is asked. How guests behave is one setting for the whole world (GuestManners), and a test may move each by hand.

import { shellEnd } from "../../../src/engines/guest/disks.ts";
import type { FakeDomain } from "./domains.ts";

export interface GuestManners {
  /** From the start to the answer on the SSH port; undefined: only when the test says so (`FakeGuest.boot`). */
  bootMs: number | "until its console is read" | undefined;
  /** From the request to halt to the halt; undefined: guests ignore it. */
  haltMs: number | undefined;
  /** Whether a guest that has booted answers on its SSH port. */
  answersSsh: boolean;
  /** What a shell shows after it was left. The real one goes on with another shell. */
  shellLeft: string;
}

export function goodManners(): GuestManners {
  return { bootMs: 5, haltMs: 5, answersSsh: true, shellLeft: `logout\r\n${shellEnd}` };
}

export interface GuestHost {
  readonly manners: GuestManners;
  /** The address that the network gives to the first card of the domain. */
  address(): string | undefined;
  /** It is no system, but what proves that anything runs: it resets the machine as its first act. */
  readonly isProof: boolean;
  log(text: string): void;
  /** The guest has powered the machine off. */
  halted(): void;
  rebooted(): void;
}

export class FakeGuest {
  readonly domain: FakeDomain;
  /** What it was started with on disks named *.seed.iso, as bytes. */
  readonly seeds: readonly Buffer[];
  isUp = false;
  /** What it got from DHCP when it booted. */
  address: string | undefined;
  boots = 0;
  readonly #host: GuestHost;
  #timer: NodeJS.Timeout | undefined;
  #haltTimer: NodeJS.Timeout | undefined;

  constructor(domain: FakeDomain, seeds: readonly Buffer[], host: GuestHost) {
    this.domain = domain;
    this.seeds = seeds;
    this.#host = host;
  }

  /** Whether somebody who knocks at its SSH port is greeted. */
  get answersSsh(): boolean {
    return this.isUp && this.#host.manners.answersSsh;
  }

  /** The machine has power. */
  powerOn(): void {
    if (this.#host.isProof) {
      this.#timer = setTimeout(() => this.reboot(), 1);
      return;
    }
    this.#host.log(`boot ${++this.boots} of ${this.domain.name}\r\n`);
    const { bootMs } = this.#host.manners;
    if (typeof bootMs === "number") this.#timer = setTimeout(() => this.boot(), bootMs);
  }

  /** Its console was opened. */
  read(): void {
    if (this.#host.manners.bootMs === "until its console is read" && !this.isUp) this.boot();
  }

  /** It has booted. */
  boot(): void {
    clearTimeout(this.#timer);
    this.address = this.#host.address();
    this.isUp = true;
    this.#host.log(`${this.domain.name} login: `);
  }

  /** The power button was pressed. Remembered by the machine while its guest boots. */
  askToHalt(): void {
    const { haltMs } = this.#host.manners;
    if (haltMs === undefined || this.#haltTimer !== undefined) return;
    this.#haltTimer = setTimeout(() => this.#host.halted(), haltMs);
  }

  /** The guest reboots by itself. */
  reboot(): void {
    this.#down();
    this.#host.rebooted();
  }

  /** No power any more. */
  powerOff(): void {
    this.#down();
    clearTimeout(this.#haltTimer);
  }

  #down(): void {
    clearTimeout(this.#timer);
    this.isUp = false;
    this.address = undefined;
  }
}
