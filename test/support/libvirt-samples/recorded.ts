// What virsh of libvirt 9.0 (Debian 12) really printed, but for the processor's features, machine types and names,
// which are left out. `small`: a virtual machine without GPUs or an IOMMU, on qemu:///system; its host UUID was made up
// by the daemon, as its firmware has none. `twoCellsFree`: the driver for tests that libvirt brings, test:///default.

import type { HostSample } from "./host-sample.ts";

const smallCapabilities = `<capabilities>

  <host>
    <uuid>32b0b997-4460-4e87-9764-d3ff0ca7801a</uuid>
    <cpu>
      <arch>x86_64</arch>
      <model>kvm64</model>
      <vendor>AMD</vendor>
      <microcode version='16777317'/>
      <signature family='25' model='17' stepping='1'/>
      <counter name='tsc' frequency='2596146000' scaling='no'/>
      <topology sockets='1' dies='1' cores='2' threads='1'/>
      <maxphysaddr mode='emulate' bits='48'/>
      <feature name='vme'/>
      <feature name='ht'/>
      <pages unit='KiB' size='4'/>
      <pages unit='KiB' size='2048'/>
      <pages unit='KiB' size='1048576'/>
    </cpu>
    <power_management/>
    <iommu support='no'/>
    <migration_features>
      <live/>
      <uri_transports>
        <uri_transport>tcp</uri_transport>
        <uri_transport>rdma</uri_transport>
      </uri_transports>
    </migration_features>
    <topology>
      <cells num='1'>
        <cell id='0'>
          <memory unit='KiB'>19097816</memory>
          <pages unit='KiB' size='4'>4774454</pages>
          <pages unit='KiB' size='2048'>0</pages>
          <pages unit='KiB' size='1048576'>0</pages>
          <distances>
            <sibling id='0' value='10'/>
          </distances>
          <cpus num='2'>
            <cpu id='0' socket_id='0' die_id='0' core_id='0' siblings='0'/>
            <cpu id='1' socket_id='0' die_id='0' core_id='1' siblings='1'/>
          </cpus>
        </cell>
      </cells>
    </topology>
    <cache>
      <bank id='0' level='3' type='both' size='32' unit='MiB' cpus='0-1'/>
    </cache>
    <secmodel>
      <model>none</model>
      <doi>0</doi>
    </secmodel>
    <secmodel>
      <model>dac</model>
      <doi>0</doi>
      <baselabel type='kvm'>+64055:+64055</baselabel>
      <baselabel type='qemu'>+64055:+64055</baselabel>
    </secmodel>
  </host>

  <guest>
    <os_type>hvm</os_type>
    <arch name='i686'>
      <wordsize>32</wordsize>
      <emulator>/usr/bin/qemu-system-i386</emulator>
      <machine maxCpus='255'>pc-i440fx-7.2</machine>
      <domain type='qemu'/>
      <domain type='kvm'/>
    </arch>
    <features>
      <pae/>
      <acpi default='on' toggle='yes'/>
    </features>
  </guest>

  <guest>
    <os_type>hvm</os_type>
    <arch name='x86_64'>
      <wordsize>64</wordsize>
      <emulator>/usr/bin/qemu-system-x86_64</emulator>
      <machine maxCpus='255'>pc-i440fx-7.2</machine>
      <domain type='qemu'/>
      <domain type='kvm'/>
    </arch>
    <features>
      <acpi default='on' toggle='yes'/>
    </features>
  </guest>

</capabilities>

`;

const smallPool = `<pool type='dir'>
  <name>default</name>
  <uuid>e7eb9d10-e79f-4e59-b6cd-a2044d984e9a</uuid>
  <capacity unit='bytes'>12638257152</capacity>
  <allocation unit='bytes'>0</allocation>
  <available unit='bytes'>12638257152</available>
  <source>
  </source>
  <target>
    <path>/var/lib/libvirt/images</path>
    <permissions>
      <mode>0755</mode>
      <owner>0</owner>
      <group>0</group>
    </permissions>
  </target>
</pool>

`;

const smallDevices = {
  pci_0000_00_00_0: `<device>
  <name>pci_0000_00_00_0</name>
  <path>/sys/devices/pci0000:00/0000:00:00.0</path>
  <parent>computer</parent>
  <capability type='pci'>
    <class>0x060000</class>
    <domain>0</domain>
    <bus>0</bus>
    <slot>0</slot>
    <function>0</function>
    <product id='0x0d57'/>
    <vendor id='0x8086'/>
    <pci-express/>
  </capability>
</device>

`,
  pci_0000_00_03_0: `<device>
  <name>pci_0000_00_03_0</name>
  <path>/sys/devices/pci0000:00/0000:00:03.0</path>
  <parent>computer</parent>
  <driver>
    <name>virtio-pci</name>
  </driver>
  <capability type='pci'>
    <class>0x020000</class>
    <domain>0</domain>
    <bus>0</bus>
    <slot>3</slot>
    <function>0</function>
    <product id='0x1041'/>
    <vendor id='0x1af4'/>
  </capability>
</device>

`,
};

const smallFree = `Node 0:
4KiB: 3688430
2048KiB: 0
1048576KiB: 0

    0:   14753720 KiB
`;

export const small: HostSample = {
  capabilities: smallCapabilities,
  pool: smallPool,
  devices: smallDevices,
  free: smallFree,
};

/** Of `freepages --all; freecell --all`. */
export const twoCellsFree = `Node 0:
4KiB: 19
8KiB: 45
2048KiB: 97
1048576KiB: 201

Node 1:
4KiB: 19
8KiB: 45
2048KiB: 97
1048576KiB: 201

    0:       2048 KiB
    1:       4096 KiB

`;
