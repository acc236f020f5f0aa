// What every lab stands on, whatever it brings up: a directory, a bridge on the machine, and for each member a network
// namespace. All names follow from the number of a slot, so that labs of several checkouts stand side by side on one
// machine, and so that a later run can find and remove what a killed one left.
//
// Invariant: nothing of a lab is outside its directory, its namespaces, its bridge and the processes in them.

/** Images built earlier, for all labs and checkouts. */
export const imageCache = "/var/cache/lessor-lab";

export interface MemberGrounds {
  readonly name: string;
  readonly namespace: string;
  /** On the lab's bridge, and so reached from the machine itself. */
  readonly address: string;
  /** Our end of its cable; the other end is eth0 in the namespace. */
  readonly veth: string;
  /** Where its guests are, if the machine is to reach them through it. */
  readonly guestSubnet?: string;
}

export interface Grounds {
  readonly slot: number;
  readonly directory: string;
  readonly bridge: string;
  /** The machine's own address on the bridge, and the members' gateway. */
  readonly gateway: string;
  /** Where the members are. */
  readonly subnet: string;
  readonly members: readonly MemberGrounds[];
}

/** All labs of one kind. */
export interface Kind<L extends Grounds> {
  /** One directory for each slot, called by the prefix and its number. */
  readonly directory: string;
  readonly prefix: string;
  /** Slots from 0 to 99. */
  layoutOf(slot: number): L;
}
