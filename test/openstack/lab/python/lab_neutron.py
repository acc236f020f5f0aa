"""Binds every port of Neutron on every host, so that none needs an agent. Called by Neutron as the ML2 driver
`lessor_lab`, which configuration/write.ts registers."""
from neutron_lib.api.definitions import portbindings
from neutron_lib.plugins.ml2 import api


class LabMechanismDriver(api.MechanismDriver):
    def initialize(self):
        pass

    def bind_port(self, context):
        for segment in context.segments_to_bind:
            context.set_binding(
                segment[api.ID], portbindings.VIF_TYPE_BRIDGE, {portbindings.CAP_PORT_FILTER: True}, "ACTIVE"
            )
            return
