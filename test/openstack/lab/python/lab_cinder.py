"""Runs all of Cinder in one process, on a bus in memory: lab_cinder.py BACKEND [ARGUMENTS OF CINDER]."""
import sys

backend = sys.argv.pop(1)
sys.argv[0] = "cinder-all"
# First of all: it changes Python's own modules for eventlet.
from cinder.cmd import volume  # noqa: F401,E402
import eventlet  # noqa: E402
from cinder import coordination, objects, rpc, service, version  # noqa: E402
from cinder.common import config, constants  # noqa: E402
from oslo_config import cfg  # noqa: E402
from oslo_log import log  # noqa: E402

CONF = cfg.CONF
objects.register_all()
CONF(sys.argv[1:], project="cinder", version=version.version_string())
config.set_middleware_defaults()
log.setup(CONF, "cinder")
coordination.COORDINATOR.start()
rpc.init(CONF)
# Both report to the row of the one that is made last, which is the one whose state counts.
scheduler = service.Service.create(binary=constants.SCHEDULER_BINARY, host="control")
volumes = service.Service.create(
    binary=constants.VOLUME_BINARY, host="control@" + backend, service_name=backend, coordination=True
)
started = [scheduler, volumes, service.WSGIService("osapi_volume")]
for one in started:
    one.start()
while True:
    eventlet.sleep(3600)
