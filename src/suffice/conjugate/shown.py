"""How a conjugate model prints: its name and its parameters, long arrays cut short."""

from __future__ import annotations

import numpy as np

from suffice.conjugate.arguments import FloatArray

__all__ = ["shown"]

_ENTRIES = 8


def shown(model: object, **parameters: FloatArray) -> str:
    """Return Name(parameter=value, …), valid Python where the arrays are small."""
    return f"{type(model).__name__}({', '.join(f'{name}={_value(array)}' for name, array in parameters.items())})"


def _value(array: FloatArray) -> str:
    if array.size <= _ENTRIES:
        return repr(array.tolist())
    return f"<array {'×'.join(map(str, array.shape))}, {np.min(array):.6g} … {np.max(array):.6g}>"
