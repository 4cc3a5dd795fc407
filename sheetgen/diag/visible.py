"""Author text with control characters as escapes, safe for terminals."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Final

_SAFE: Final = ("Zs", "Cn", "Co")  # categories that terminals show, though not `isprintable`
JOINERS: Final = "\u200c\u200d"  # format characters that scripts and emoji need; harmless
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_DROPPED: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]"
)
"""Control characters except tab and line breaks, and characters that change the text direction."""

_START: Final = re.compile(r":///*|(?<=[\w+.-]{2}):[/\\]+")
_ANOTHER: Final = re.compile(r"(?<![^\s`'\"()\[\]{}<>,|])[A-Za-z][\w+.:-]*(:///*)")
"""The start of an address, also with a slash too few, and that of one behind another; in a
password, `://` starts none."""

_USER: Final = re.compile(r"(?<![^\s@*])([^\s@*]+)@")
_USER_START: Final = re.compile(r"(?<!\w)[\w%.+-]{1,200}:(?!//)(?=.)")
_NAMED: Final = re.compile(
    r"""(?i)((?:(?:passw(?:or)?[dt]|pass[_-]?(?:phrase|code)|[_-]pass\b|pwd|kennwort|contraseña
    |senha|wachtwoord|hasło|пароль|密码|パスワード|mot[ ]de[ ]passe|secre[t]|credentials?|signature
    |\bsig(?==)|\bpsk|[_-]psk|[_-]pw\b|\b_auth\b|cookie|session[_-]?id
    |(?:access|account|api|private|encryption|signing|master|shared|subscription|licen[cs]e)
    [ _-]?key(?:[_-]id)?
    |(?:access|auth|api|refresh|id|session|security|private|deploy|job|bot|persona[l])
    [ _-]?token)["']?
    \s*(?:=>|->|:=|[=:：]|(?<=\w)>)\s*
    |\bpassw(?:or)?d\s+(?=["'])|(?<!\S)(?:-u|--user)\s+[^\s:]{1,200}:
    |\boracle(?:\+\w+)?://[^\s/:@]+/
    |(?<![\w-])--[\w-]{0,60}(?:passw(?:or)?d|secre[t]|token|api-key)\s+
    |\bauthorization["']?\s*[:=]\s*(?:["']?\w+[ \t]+(?=[^\s"'=]))?))
    (?![*=\s])(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.|'')*'|(?:[^\s;,&"'`]|[;,&"'`](?=\w)(?!.\w*=)
    |(?<=\S)[ \t]+(?=[^\s;,&"'`#*])(?![\w.-]+["']?\s*[=:]))+)""",
    re.VERBOSE,
)
"""User information without an address, and a value that its name calls confidential; a blank in it
ends it only before a comment or another name."""

_KNOWN: Final = re.compile(
    r"\b(?:A[KS]IA[0-9A-Z]{12,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[abprs]-[\w-]{10,}"
    r"|sk[-_][\w-]{20,}|[rp]k_(?:live|test)_\w{16,}|AIza[\w-]{30,}|(?:npm|hf)_\w{30,}|key-[0-9a-z]{32}"
    r"|(?:whsec|shp\w\w|dop_v1|GOCSPX|xapp|sq0\w{3}|pypi|AGE-SECRE[T]-KEY)[_-](?=\S*\d)[\w-]{16,}"
    r"|ya29\.[\w-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*)"
    r"|(?<=PRIVATE KEY-----).*|(?<=\bBearer )(?=\S*\d)\S{8,}"
)
"""Keys and tokens that are known by their form, wherever they are."""

_HOOK: Final = re.compile(r"""(?i)(://[^\s`'"]{0,200}?hooks?[^\s/`'"]{0,80}/)[^\s`'"]+""")
"""The address of a webhook, whose path is its key."""

_VALUE: Final = re.compile(
    r"""((?:[:=](?!//)|(?i:\bpassw(?:or)?d(?:[ ]is)?|\bby)[ ])[ ]?["'`]?|(?<!/)/)"""
    r"([\w+/~-]{16,}={0,2})"
)
_LONG: Final = re.compile(r"[A-Za-z0-9]{8,}")
_MIXED: Final = re.compile(r"(?<=\d)(?=[A-Za-z])|(?<=[A-Za-z])(?=\d)")
_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""A value, or a part of an address, that no word looks like: digits between letters, again and
again; in base64, capitals too. Hosts, buckets and folders of a store have such names."""

_HINTS: Final = re.compile(
    "(?i)[:=：>]|--|passw|by "
)  # characters without which nothing else is masked
_SECRET_PART: Final = re.compile(r"\?|%3F|[#;](?=[\w.&%-]{0,80}=)")
"""What a query begins with, or a fragment or parameters that have values."""

_IN_QUERY: Final = re.compile(r"[?&][\w.%-]{1,80}=")
_END_OF_ADDRESS: Final = re.compile(r"[:;,.)]?\s*$|[:;,)]\s")  # where nothing quotes it; or blank
_CLOSING: Final = re.compile(r"[`'\"](?!\w)")  # a quote that is not inside a word
_PORT: Final = re.compile(r"(\[[0-9a-fA-F:]*\]|[^:]*)(:\d*)?$")
_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")  # colons of a port or disk precede no password
_HOST: Final = re.compile(r"[\w.-]+(:\d+)?/")
_TOKEN: Final = re.compile(r"(?:[^\s`'\"]|[`'\"](?=\w))*")


class EscapedText(str):
    """Escaped text, with our own colours and breaks; `+` and f-strings turn it into a `str`."""

    __slots__ = ()


def visible(text: str, keep: str = "") -> str:
    r"""Return `text` with controls as escapes such as `\x1b`, but for the characters in `keep`."""
    if text.isprintable():
        return text
    return "".join(c if c in keep or is_safe(c) else _escape(c) for c in text)


def visible_json(text: str) -> str:
    """Return JSON with these characters as JSON escapes; they occur only in strings."""
    if text.isascii() and "\x7f" not in text:
        return text
    parts = []
    for c in text:
        units = b"" if c in "\n\t" or is_safe(c) else c.encode("utf-16-be", "surrogatepass")
        pairs = (f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
        parts.append("".join(pairs) or c)
    return "".join(parts)


def is_safe(character: str) -> bool:
    """Whether a terminal shows this character and does nothing else."""
    if character.isprintable() or character in JOINERS:
        return True
    return unicodedata.category(character) in _SAFE


def _escape(character: str) -> str:
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:  # a byte of a file name that is not UTF-8
        return f"\\x{point - 0xDC00:02x}"
    if character in _SHORT:
        return _SHORT[character]
    if point <= 0xFF:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def strip_controls(text: str) -> str:
    """Return `text` without control characters; one that separates words becomes a space."""
    return _DROPPED.sub(lambda found: " " if found[0].isspace() else "", text)


def controls_in(text: str) -> str:
    r"""Return the control characters of `text` for a message, such as "`\x1b`, `\x07`"."""
    return ", ".join(f"`{visible(one)}`" for one in dict.fromkeys(_DROPPED.findall(text)))


def has_controls(text: str) -> bool:
    """Whether `text` has a character that `strip_controls` removes."""
    return not text.isprintable() and _DROPPED.search(text) is not None


def mask_secrets(text: str, filler: str = "") -> str:
    """Return a text whose addresses have no credentials: `scheme://***@host/path?***`.

    User information ends at the last `@` before the next address, since a password may hold any
    character: blanks, quotes, slashes, `@`. Too much is masked rather than too little. A `filler`
    for each character keeps columns.
    """
    text = _KNOWN.sub(lambda found: _mask(found[0], filler), text)
    if not _HINTS.search(text):
        return text
    text = "\n".join(_mask_line(line, filler) for line in text.split("\n"))
    text = _HOOK.sub(lambda found: found[1] + _mask(found[0][len(found[1]) :], filler), text)
    text = _USER.sub(lambda found: f"{_mask_user(found[1], filler)}@", text)
    text = _NAMED.sub(lambda found: found[1] + _mask(found[0][len(found[1]) :], filler), text)
    address = "http://" in text or "https://" in text

    def mask_value(found: re.Match[str]) -> str:
        if found[1] == "/" and not address:
            return found[0]
        coded = found[1] != "/" and found[2][0] != "/" and any(map(str.isdigit, found[2]))
        if coded and len(_CAPITAL.findall(found[2])) > 3:
            return found[1] + _mask(found[2], filler)
        parts = found[2].split("/")
        return found[1] + "/".join(_mask(p, filler) if _is_random(p) else p for p in parts)

    return _VALUE.sub(mask_value, text)


def _is_random(part: str) -> bool:
    """Whether no word looks like this."""
    pieces = ((len(_MIXED.findall(piece)), piece) for piece in _LONG.findall(part))
    return len(part) >= 16 and any(
        mixed > 2 or (mixed == 2 and piece != piece.lower() and piece != piece.upper())
        for mixed, piece in pieces
    )


def _mask_user(words: str, filler: str) -> str:
    """Return what is before an `@`, its name and password masked."""
    if (start := _USER_START.search(words)) is None:
        return words
    return words[: start.start()] + _mask(words[start.start() :], filler)


def _mask_line(line: str, filler: str) -> str:
    if (first := _START.search(line)) is None:
        return line
    starts = [first.span(), *(one.span(1) for one in _ANOTHER.finditer(line, first.end()))]
    masked = [line[: first.start()]]
    for (start, end), (next_, _) in pairwise([*starts, (len(line), 0)]):
        masked += [line[start:end], _mask_address(line[end:next_], line[start:end], filler)]
    return "".join(masked)


def _mask_address(line: str, start: str, filler: str) -> str:
    """Return what follows `://` on a line without user information, keys and the query."""
    at = line.rfind("@")
    before = line[: max(at, 0)]
    host = before.partition("/")[0]
    named = "." in host or not _HOST.match(line, at + 1)  # or a key with slashes is before a host
    if at >= 0 and (":" in before or host == before or not named):
        rest = _mask_query(line[at + 1 :], filler)
        if _IN_QUERY.search(before):  # what follows may be the rest of a value
            rest = _mask_query(f"?{line[at + 1 :]}", filler)[1:]
        return f"{_mask(before, filler)}@{rest}"
    token = _TOKEN.match(line)
    assert token is not None
    host = token[0] if start.endswith("///") else re.split("[/?#]", token[0])[0]
    if ":" in host and not (_DRIVE if start.endswith("///") else _PORT).match(host):
        return _mask(token[0], filler) + _mask_query(line[token.end() :], filler)
    return _mask_query(line, filler)


def _mask_query(text: str, filler: str) -> str:
    """Return a text whose first query is masked, up to a quote that closes it or its end."""
    if (mark := _SECRET_PART.search(text)) is None or re.search(r"\s", text[: mark.start()]):
        return text
    address, query = text[: mark.end()], text[mark.end() :]
    end = max((found.start() for found in _CLOSING.finditer(query)), default=-1)
    if filler or end < 0:
        found = _END_OF_ADDRESS.search(query)
        end = len(query) if filler or found is None else found.start()
    return f"{address}{_mask(query[:end], filler)}{query[end:]}"


def _mask(text: str, filler: str) -> str:
    return filler * len(text) if filler else "***"
