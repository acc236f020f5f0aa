# Takes a guest's secrets from the cloud's metadata service into the file that the boot script waits for. The service shows
# them once the machine runs, and only until the guest is up. Run by boot-script.sh, in the guest's Python, which cloud-init
# needs too. Arguments: the service's URL, the file, its last line, and for how many seconds to try.
#
# Invariant: the file is there whole or not at all, and only root can read it.

import base64, gzip, json, os, sys, time, urllib.request

url, path, end, seconds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
prefix = "lessor-secret-"
# No proxy: the address is the host's own.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def is_there():
    try:
        with open(path) as file:
            return file.read().endswith(end + "\n")
    except OSError:
        return False


def fetch():
    with opener.open(url, timeout=5) as answer:
        meta = json.load(answer).get("meta", {})
    pieces = [meta[prefix + str(at)] for at in range(sum(key.startswith(prefix) for key in meta))]
    text = gzip.decompress(base64.b64decode("".join(pieces))).decode()
    if not text.endswith(end + "\n"):
        raise ValueError("not whole yet")
    new = path + ".new"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(new, path)


deadline = time.monotonic() + seconds
while not is_there() and time.monotonic() < deadline:
    try:
        fetch()
    except Exception:
        time.sleep(1)
