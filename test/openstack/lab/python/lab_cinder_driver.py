"""Volumes that are only names and sizes: what Cinder asks for is done at once. Called by cinder-volume."""
from cinder.volume import driver


class LabVolumeDriver(driver.VolumeDriver):
    VERSION = "1.0"

    def check_for_setup_error(self):
        pass

    def _update_volume_stats(self):
        self._stats = {
            "volume_backend_name": self.configuration.volume_backend_name,
            "vendor_name": "Lessor",
            "driver_version": self.VERSION,
            "storage_protocol": "fake",
            "total_capacity_gb": 100_000,
            "free_capacity_gb": 100_000,
            "multiattach": True,
        }

    def create_volume(self, volume):
        pass

    def delete_volume(self, volume):
        pass

    def extend_volume(self, volume, new_size):
        pass

    def create_snapshot(self, snapshot):
        pass

    def delete_snapshot(self, snapshot):
        pass

    def create_volume_from_snapshot(self, volume, snapshot):
        pass

    def create_cloned_volume(self, volume, src_vref):
        pass

    def copy_image_to_volume(self, context, volume, image_service, image_id, disable_sparse=False):
        pass

    def ensure_export(self, context, volume):
        pass

    def create_export(self, context, volume, connector):
        pass

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector):
        return {"driver_volume_type": "fake", "data": {"volume_id": volume.id}}

    def terminate_connection(self, volume, connector, **named):
        pass
