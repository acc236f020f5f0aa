"""Serves Keystone or Placement: lab_wsgi.py keystone|placement ADDRESS PORT.

waitress keeps connections alive as their clients expect; uWSGI's own HTTP server drops them."""
import importlib
import sys

import waitress

name, address, port = sys.argv[1:4]
# Keystone would read our arguments.
sys.argv[1:] = []
module, function = {
    "keystone": ("keystone.server.wsgi", "initialize_public_application"),
    "placement": ("placement.wsgi", "init_application"),
}[name]
application = getattr(importlib.import_module(module), function)()
waitress.serve(application, host=address, port=int(port), threads=8, connection_limit=500, channel_timeout=600)
