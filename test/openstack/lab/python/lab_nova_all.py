"""Runs all of Nova in one process, on a bus in memory: lab_nova_all.py CONTROL HOST,HOST [ARGUMENTS OF NOVA]."""
import os
import sys

control, hosts = sys.argv.pop(1), sys.argv.pop(1).split(",")
sys.argv[0] = "nova-all"
# First of all: it changes Python's own modules for eventlet.
from nova import monkey_patch  # noqa: F401,E402
import eventlet  # noqa: E402
import nova.conf  # noqa: E402
import nova.virt  # noqa: E402
from nova import config, objects, service  # noqa: E402
from oslo_log import log  # noqa: E402

nova.virt.__path__.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "virt"))
CONF = nova.conf.CONF
config.parse_args(sys.argv)
log.setup(CONF, "nova")
objects.register_all()
started = []
for topic in ("conductor", "scheduler"):
    started.append(service.Service.create(binary="nova-" + topic, topic=topic, host=control))
    started[-1].start()
providers = CONF.compute.provider_config_location
started.append(service.WSGIService("osapi_compute", max_url_len=16384))
started[-1].start()
for host in hosts:
    # Each reads its own when it is made.
    CONF.set_override("host", host)
    CONF.set_override("provider_config_location", os.path.join(providers, host), "compute")
    started.append(service.Service.create(binary="nova-compute", topic="compute", host=host))
    started[-1].start()
while True:
    eventlet.sleep(3600)
