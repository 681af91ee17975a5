"""3x3 and 1x1 convolutions: those of convolution.cc on processors with AMX or AVX-512 BF16, those of convolution_avx2.cc
on others with AVX2, else XLA's."""

import ctypes
import functools
import os
import pathlib
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

FLAGS = ["-O3", "-march=native", "-std=c++17", "-shared", "-fPIC", "-fopenmp"]


def _source():
    """The source file of the convolutions for this processor, or None."""
    try:
        flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return None
    if "amx_bf16" in flags or "avx512_bf16" in flags:
        name = "convolution.cc"
    elif "avx2" in flags and "fma" in flags:
        name = "convolution_avx2.cc"
    else:
        return None
    return pathlib.Path(__file__).with_name(name)


@functools.cache
def _library():
    """Builds and registers the foreign functions; returns False if they are not available."""
    if jax.default_backend() != "cpu" or os.environ.get("TEWARI_CONVOLUTION") == "xla":
        return False
    source = _source()
    if source is None:
        return False
    path = pathlib.Path(tempfile.mkdtemp()) / "convolution.so"
    command = [os.environ.get("CXX", "g++"), *FLAGS, f"-I{jax.ffi.include_dir()}", str(source), "-o", str(path)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"the convolutions are XLA's: {error}")
        return False
    library = ctypes.CDLL(str(path))
    if library.request_tiles() != 0:
        return False
    for name, symbol in (("tewari_forward", "Forward"), ("tewari_weights", "Weights")):
        target = jax.ffi.pycapsule(getattr(library, symbol))
        jax.ffi.register_ffi_target(name, target, platform="cpu")
    return True


def _threads():
    return np.int64(os.environ.get("TEWARI_THREADS", len(os.sched_getaffinity(0))))


def _forward_call(x, w):
    shape = jax.ShapeDtypeStruct(x.shape[:3] + w.shape[2:], jnp.float32)
    return jax.ffi.ffi_call("tewari_forward", shape)(x, w, threads=_threads())


@jax.custom_vjp
def _own_convolution(x, w):
    return _forward_call(x, w)


def _own_forward(x, w):
    return _forward_call(x, w), (x, w)


def _own_backward(saved, gradient):
    x, w = saved
    gradient = gradient.astype(jnp.bfloat16)
    back = _forward_call(gradient, jnp.swapaxes(w[::-1], 1, 2))
    shape = jax.ShapeDtypeStruct(w.shape, jnp.float32)
    weights = jax.ffi.ffi_call("tewari_weights", shape)(x, gradient, threads=_threads())
    return back.astype(jnp.bfloat16), weights.astype(jnp.bfloat16)


_own_convolution.defvjp(_own_forward, _own_backward)


def _xla_convolution(x, w):
    side = 3 if len(w) == 9 else 1
    return jax.lax.conv_general_dilated(
        x,
        w.reshape(side, side, *w.shape[1:]),
        (1, 1),
        "SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    ).astype(jnp.float32)


def convolution(x, w):
    """The convolution of `x` [samples, rows, columns, in] with `w` [9 or 1, in, out], in float32.

    Both are rounded to bfloat16, in which activations and weights of the engine are exact.
    """
    x, w = x.astype(jnp.bfloat16), w.astype(jnp.bfloat16)
    if x.shape[3] % 32 == 0 and w.shape[2] % 32 == 0 and _library():
        return _own_convolution(x, w)
    return _xla_convolution(x.astype(jnp.float32), w.astype(jnp.float32))
