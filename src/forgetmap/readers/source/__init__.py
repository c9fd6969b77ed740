"""What every reader needs of files: sniffing, JSON, zips, folders; all limits against torn or hostile input are here."""

from forgetmap.readers.source.documents import (
    decode_any,
    decode_json,
    decode_tolerant,
    lines,
    load_json,
    parse_json,
    records,
)
from forgetmap.readers.source.folders import log_files, split_files
from forgetmap.readers.source.options import ReadOptions
from forgetmap.readers.source.sniffing import HEAD_BYTES, Sniffed, forget_sniffed, sniff
from forgetmap.readers.source.streams import UTF8_BOM, ZIP, open_binary
from forgetmap.readers.source.zips import MEMBER_RATIO, RATIO_FLOOR, SafeZip

__all__ = [
    "HEAD_BYTES",
    "MEMBER_RATIO",
    "RATIO_FLOOR",
    "UTF8_BOM",
    "ZIP",
    "ReadOptions",
    "SafeZip",
    "Sniffed",
    "decode_any",
    "decode_json",
    "decode_tolerant",
    "forget_sniffed",
    "lines",
    "load_json",
    "log_files",
    "open_binary",
    "parse_json",
    "records",
    "sniff",
    "split_files",
]
