"""Fills the memory of the GPUs with a pattern of this validation, after it has looked for those of the ones before.

A pattern that is found was in memory since before the last tenant: then neither the tenant nor the reset has erased it,
and what a tenant leaves can be read by the next one. That is a warning. That none is found proves nothing.

Through the driver interface of the vendor's library, by ctypes: no toolkit is needed in the image.
"""

import ctypes

from findings import FAIL, WARN, Unavailable

CHUNK = 256 * 1024 * 1024
SAMPLE = 1024 * 1024

# The functions of the libraries, by what they do.
CUDA = {
    **{"init": "cuInit", "count": "cuDeviceGetCount", "allocate": "cuMemAlloc_v2", "free": "cuMemFree_v2"},
    **{"write": "cuMemcpyHtoD_v2", "read": "cuMemcpyDtoH_v2", "copy": "cuMemcpyDtoD_v2"},
}
HIP = {
    **{"init": "hipInit", "count": "hipGetDeviceCount", "allocate": "hipMalloc", "free": "hipFree"},
    **{"write": "hipMemcpyHtoD", "read": "hipMemcpyDtoH", "copy": "hipMemcpyDtoD"},
}


def check_memory(findings, library, nonce, previous, gpus):
    """Raises Unavailable if the library cannot be used."""
    driver = Driver(library)
    patterns = {one: bytes.fromhex(one) for one in previous}
    found_devices = driver.count()
    if found_devices != gpus:
        findings.add(FAIL, f"{library} finds {found_devices} of {gpus} GPUs")
        return
    for device in range(gpus):
        driver.use(device)
        check_device(findings, driver, device, bytes.fromhex(nonce), patterns)


def check_device(findings, driver, device, pattern, patterns):
    block = pattern * (SAMPLE // len(pattern))
    chunks = []
    old = 0
    wrong = 0
    try:
        while (chunk := driver.allocate(CHUNK)) is not None:
            chunks.append(chunk)
            sample = driver.read(chunk, SAMPLE)
            old += any(one in sample for one in patterns.values())
        for chunk in chunks:
            driver.fill(chunk, CHUNK, block)
        for chunk in chunks:
            wrong += driver.read(chunk + CHUNK - SAMPLE, SAMPLE) != block
    finally:
        for chunk in chunks:
            driver.free(chunk)
    if not chunks:
        findings.add(FAIL, f"GPU {device} gives no memory")
    if wrong > 0:
        findings.add(FAIL, f"GPU {device} reads other memory than was written, in {wrong} of {len(chunks)} chunks")
    if old > 0:
        findings.add(WARN, f"GPU {device} still has the pattern of an earlier validation in its memory")


class Driver:
    def __init__(self, library):
        try:
            self.library = ctypes.CDLL(library)
        except OSError as problem:
            raise Unavailable(f"{library} cannot be loaded: {problem}") from None
        self.is_cuda = library.startswith("libcuda")
        self.names = CUDA if self.is_cuda else HIP
        self.context = None
        self.must("init", ctypes.c_uint(0))

    def call(self, what, *arguments):
        return getattr(self.library, self.names[what])(*arguments)

    def must(self, what, *arguments):
        code = self.call(what, *arguments)
        if code != 0:
            raise Unavailable(f"{self.names[what]} returned {code}")

    def count(self):
        number = ctypes.c_int(0)
        self.must("count", ctypes.byref(number))
        return number.value

    def use(self, device):
        if not self.is_cuda:
            code = self.library.hipSetDevice(device)
        else:
            # Its own context, so that its memory is given back with it.
            if self.context is not None:
                self.library.cuCtxDestroy_v2(self.context)
            self.context = ctypes.c_void_p()
            code = self.library.cuCtxCreate_v2(ctypes.byref(self.context), ctypes.c_uint(0), device)
        if code != 0:
            raise Unavailable(f"GPU {device} cannot be used: {code}")

    def allocate(self, size):
        """Its address; None: there is no more memory."""
        address = ctypes.c_void_p()
        code = self.call("allocate", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value if code == 0 else None

    def free(self, address):
        self.call("free", ctypes.c_void_p(address))

    def read(self, address, size):
        buffer = ctypes.create_string_buffer(size)
        self.must("read", buffer, ctypes.c_void_p(address), ctypes.c_size_t(size))
        return buffer.raw

    def fill(self, address, size, block):
        """Writes the block once, and copies it on the device: its length and the size are powers of two."""
        self.must("write", ctypes.c_void_p(address), block, ctypes.c_size_t(len(block)))
        done = len(block)
        while done < size:
            self.must("copy", ctypes.c_void_p(address + done), ctypes.c_void_p(address), ctypes.c_size_t(done))
            done *= 2
