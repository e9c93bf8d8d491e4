"""From bytes to source text: UTF-8 with or without byte order mark, any line ending."""

from __future__ import annotations

import errno
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path
from typing import BinaryIO

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, InputRejected, Label
from pfl.base.source import SourceFile, Span

STANDARD_INPUT = "-"

LARGEST_FILE = 1 << 26
"""Bytes that are read of a file; what has more, such as a device that never ends, is refused."""


def read_source(path: str) -> SourceFile:
    """The text of a file, or of standard input where the path is `-`. Raises `InputRejected`."""
    try:
        return open_source(path)
    except OSError as error:
        raise InputRejected([_unreadable(path, error)]) from error


def open_source(path: str) -> SourceFile:
    """Like `read_source`, but raises OSError where there is nothing to read: an import has a place to blame."""
    if path == STANDARD_INPUT:
        if sys.stdin is None:  # started with it closed
            raise OSError(errno.EBADF, "standard input is closed")
        return decode_source(read_bytes(sys.stdin.buffer), "<stdin>")
    try:
        with Path(path).open("rb") as stream:
            data = read_bytes(stream)
    except ValueError as error:
        raise OSError(errno.EINVAL, "not a possible file name") from error
    return decode_source(data, path)


def read_bytes(stream: BinaryIO) -> bytes:
    """All that a stream holds; raises OSError where that is more than `LARGEST_FILE` bytes."""
    data = stream.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise OSError(errno.EFBIG, f"it has more than {LARGEST_FILE:,} bytes")
    return data


def decode_source(data: bytes, name: str) -> SourceFile:
    """The text that bytes stand for, without byte order mark. Raises `InputRejected` unless they are UTF-8."""
    text = data.removeprefix(BOM_UTF8)
    try:
        return SourceFile(name=name, text=text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputRejected([_not_utf8(name, data, text, error.start)]) from error


def _not_utf8(name: str, data: bytes, text: bytes, start: int) -> Diagnostic:
    """`start` is where decoding `text` fails; the offset that is told counts from the start of `data`."""
    shown = SourceFile(name=name, text=text.decode("utf-8", errors="replace"))
    character = len(text[:start].decode("utf-8"))
    place = Span(shown, character, character + 1)
    offset = start + len(data) - len(text)
    is_utf16 = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in data[:64]
    return Diagnostic(
        code=codes.NOT_UTF8,
        message=f"byte 0x{text[start]:02x} at offset {offset}, line {place.line}, is not UTF-8",
        labels=(Label(place),),
        help="the file seems to be UTF-16: save it as UTF-8" if is_utf16 else "save the file as UTF-8",
    )


def _unreadable(path: str, error: OSError) -> Diagnostic:
    match error:
        case FileNotFoundError():
            return Diagnostic(code=codes.FILE_NOT_FOUND, message=f"there is no file `{path}`", file=path)
        case IsADirectoryError():
            return Diagnostic(
                code=codes.IS_A_DIRECTORY, message=f"`{path}` is a folder", file=path, help="name the files in it"
            )
        case _:
            reason = (error.strerror or str(error)).lower()
            return Diagnostic(code=codes.FILE_NOT_READABLE, message=f"cannot read `{path}`: {reason}", file=path)
