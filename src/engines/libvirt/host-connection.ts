// One host as everything in this engine is given it: its settings, those of the engine, and the way to speak with it.

import type { LibvirtHostSettings } from "./settings/host.ts";
import type { LibvirtSettings } from "./settings/settings.ts";
import type { Virsh } from "./virsh/virsh.ts";

export interface HostConnection {
  readonly host: LibvirtHostSettings;
  readonly settings: LibvirtSettings;
  /** Marks what is ours. */
  readonly installation: string;
  readonly virsh: Virsh;
}
