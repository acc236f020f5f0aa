"""The hypervisor of the lab's hosts, as Nova's own fake, and besides:

- eight H200 as PCI devices on the hosts in LESSOR_LAB_PCI_HOSTS;
- servers outlive the process, as guests outlive nova-compute: they are in a file of Nova's state_path;
- metadata of a server asks for bad luck: lab-spawn-seconds=5, lab-fail=spawn.
"""
import json
import os
import time

import nova.conf
from nova import exception
from nova.virt import fake
from oslo_serialization import jsonutils

CONF = nova.conf.CONF


class LabDriver(fake.FakeDriver):
    vcpus, memory_mb, local_gb = 256, 2 * 1024 * 1024, 20000

    def init_host(self, host):
        super().init_host(host)
        self._file = os.path.join(CONF.state_path, "servers-%s.json" % host)
        if os.path.exists(self._file):
            with open(self._file) as file:
                kept = json.load(file)
            self.instances = {uuid: fake.FakeInstance(name, state, uuid) for uuid, name, state in kept}

    def _keep(self):
        kept = [[one.uuid, one.name, one.state] for one in self.instances.values()]
        with open(self._file + ".new", "w") as file:
            json.dump(kept, file)
        os.rename(self._file + ".new", self._file)

    def get_available_resource(self, nodename):
        # Every ten seconds, after what else may have happened: migrations.
        self._keep()
        status = super().get_available_resource(nodename)
        if status and nodename in os.environ.get("LESSOR_LAB_PCI_HOSTS", "").split(","):
            status["pci_passthrough_devices"] = jsonutils.dumps([self._h200(0x10 + n) for n in range(8)])
        return status

    def _h200(self, bus):
        return {
            "address": "0000:%02x:00.0" % bus,
            "dev_id": "pci_0000_%02x_00_0" % bus,
            "vendor_id": "10de",
            "product_id": "2335",
            "label": "label_10de_2335",
            "status": "available",
            "dev_type": "type-PCI",
            "parent_addr": None,
            "numa_node": 0,
        }

    def spawn(self, context, instance, *args, **named):
        time.sleep(float(instance.metadata.get("lab-spawn-seconds", 0)))
        if instance.metadata.get("lab-fail") == "spawn":
            raise exception.InstanceDeployFailure("lab: spawn told to fail")
        super().spawn(context, instance, *args, **named)
        self._keep()

    def destroy(self, context, instance, *args, **named):
        super().destroy(context, instance, *args, **named)
        self._keep()

    def power_off(self, instance, *args, **named):
        super().power_off(instance, *args, **named)
        self._keep()

    def power_on(self, context, instance, *args, **named):
        super().power_on(context, instance, *args, **named)
        self._keep()

    def finish_revert_migration(self, context, instance, *args, **named):
        super().finish_revert_migration(context, instance, *args, **named)
        self._keep()

    def get_host_uptime(self):
        return "12:00:00 up 1 day, 1 user, load average: 0.00, 0.00, 0.00"

    def get_console_output(self, context, instance):
        return "lab console of %s\nlogin: " % instance.uuid
