"""Runs one service of Nova: lab_nova.py api|conductor|scheduler|compute [ARGUMENTS OF NOVA]."""
import importlib
import os
import sys

service = sys.argv.pop(1)
sys.argv[0] = "nova-" + service
# First of all: it changes Python's own modules for eventlet.
module = importlib.import_module("nova.cmd." + {"api": "api_os_compute"}.get(service, service))
if service == "compute":
    # Nova looks for drivers in this package only.
    import nova.virt

    nova.virt.__path__.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "virt"))
module.main()
