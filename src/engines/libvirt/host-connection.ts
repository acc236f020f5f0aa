// One host as the files of this engine use it: its settings, the engine's settings, and its virsh connection.

import type { LibvirtHostSettings } from "./settings/host.ts";
import type { LibvirtSettings } from "./settings/settings.ts";
import type { Virsh } from "./virsh/virsh.ts";

export interface HostConnection {
  readonly host: LibvirtHostSettings;
  readonly settings: LibvirtSettings;
  /** The ownership label. */
  readonly installation: string;
  readonly virsh: Virsh;
}
