"""The version of PFL and pflc."""

from __future__ import annotations

__version__ = "0.1.0"
