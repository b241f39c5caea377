"""Read the logs of programs: each line is a unit, without its time, level and process.

Lines that differ only in numbers count once: the last one, which gives the state at the end. What a reader
wants are the errors, or else the warnings, the start and the end. The other lines are routine.
"""

from __future__ import annotations

import regex

from summc.documents.raw import LINE, ROUTINE, Block

_ERRORS = r"ERR(?:OR)?!?|SEVERE|FATAL|CRIT(?:ICAL)?|ALERT|EMERG|PANIC"
_LEVELS = rf"(?:TRACE|DEBUG|FINE|CONFIG|INFO|NOTICE|WARN(?:ING)?|VERBOSE|SILLY|HTTP|{_ERRORS})"
_DAY = r"""\d{4}[-/.]\d\d[-/.]\d\d | \d\d[-/.]\d\d[-/.](?:\d{4}|\d\d) | \d\d?/\p{L}{3}/\d{4}
    | \p{L}{3}\s+\d{1,2} | \d\d[-.]\d\d | \d{8}"""
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,:]\d+)?"
#: A date and a time near the start of a line, or the time in the format of HDFS, glog or Linux.
_STAMP = regex.compile(
    rf"""(?x)\W*+(?:\S{{1,60}}\s+){{0,3}}? (?:\p{{Ll}}+=)?[\["<]?(?:{_DAY})[T\s:,-]\s*+{_CLOCK}
    (?:\s?(?:Z|UTC|[+-]\d\d:?\d\d)\b)?(?:\s\d{{4}}\b)?[\])|,"]*+
    | \d{{6}}\s\d{{6}}(?=\s\d+\s\p{{Lu}}{{4}}) | [IWEF]\d{{4}}\s{_CLOCK}\s+\d+\s\S+\]
    | \[\s*+\d+\.\d{{3,}}\]"""
)
#: A level, perhaps after a time or the number of the line: "12:03:04 INFO", "[ERROR]", "12 verbose".
_LEVEL = regex.compile(
    rf"""(?xi)(?:\d+\s+|npm\s+|[\[(]?{_CLOCK}[\])]?\s*+)?[\[(<]?
    \b{_LEVELS}(?![\w(])[\])>]?:?(?=\s|$|\|)"""
)
#: What stands between the time and the text: levels, processes, threads, hosts and the module that logs.
_ORIGIN = regex.compile(
    rf"""(?x)(?: \s++ | [-|:]++\s | \[[^\[\]]*+(?:\[[^\[\]]*+\][^\[\]]*+)*+\]:?(?=\s|$) | \(\S*?\):?\s
    | \d++(?=(?:\s+\d+)?\s+(?:[VDIWEF]\s|(?i:{_LEVELS})\b)) | [VDIWEF](?=\s)
    | (?:level=\W?)?(?i:{_LEVELS})(?=[\s:|"])"? | msg= | \w+(?:\.\w+)+(?=\s\[)
    | [\w$]+(?:[./$-][\w$@-]+)+(?:\[\d+\]|\(\d+\))?(?::|\s-)(?=\s)
    | (?:[\w.-]+\s)?[\w./()-]+\[\d+\]:(?=\s) )*+"""
)
_AT_ERROR_LEVEL = regex.compile(rf"(?i:\b(?:{_ERRORS})(?!\w))|^[EF]\d{{4}}\s|\s[EF](?=\s)")
_WARNED = regex.compile(r"(?i)\bwarn(?:ing)?\b")
_ERROR = regex.compile(
    r"""(?x)(?i:\b(?:errors?|fail(?:s|ed|ure|ures|ing)?|fatal|panic(?:ked)?|abort(?:ed|ing)?|denied|refused
    |cannot|crash(?:ed)?|killed|timed\ out|timeout|unable\ to|segmentation\ fault|out\ of\ memory)\b)
    | (?:Exception|Error)\b"""
)
_NO_ERROR = regex.compile(
    r"(?i)\b(?:0|no|without)\s+(?:errors?|failures?)\b|\b(?:errors?|fail(?:ed|ures?))\W{1,3}0\b"
)
#: The line of a stack trace that says what went wrong.
_CAUSE = regex.compile(r"(?:Caused by:\s)?[\w.$]*(?:Error|Exception)\b(?::|$)")
#: The rest of a stack trace, lines of data that a program printed, and lines without a word.
_NO_TEXT = regex.compile(
    r"""(?x)(?:\w+\s+)?at\s[^()]+\(.*\)$ | File\s".*",\sline | \.{3}\s\d+\smore | Traceback\b
    | .*[,{\[(]$ | ['\]})] | (?!.*\p{L}{2})"""
)
_NUMBER = regex.compile(r"(?<!\S)[^\s\d]*+\d\S*+")
_WORD = regex.compile(r"(?<!\S)[(\"']?\p{L}[\p{L}'-]*[.,;:!?)\"']*(?!\S)")
#: A path, a host, or a class with its packages. It has many words but says little.
_PATH = regex.compile(r"(?:[./$:\\]{1,3}+[^\W\d]\w*+){3}")
#: The share of the lines that begin as those of a log do, and the fewest lines of a log.
_SHARE, _FEWEST = 0.6, 5
_SAMPLE = 500
#: How many lines are the end of a log.
_END = 10


def log_lines(text: str, *, is_talk: bool) -> list[Block]:
    """Return the lines of a log, each once, or [] if the text is not a log.

    A text that may be a chat, too, is a log only if most lines state a level.
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    sample = [line for line in lines[:_SAMPLE] if not line[0].isspace()]  # stack traces are indented
    heads = list(map(_head, sample))
    if is_talk:
        heads = [head for head in heads if regex.search(rf"(?i)\b{_LEVELS}(?!\w)", head)]
    is_log = len(lines) >= _FEWEST and sum(map(bool, heads)) >= _SHARE * max(len(sample), 1)
    return _blocks(lines) if is_log else []


def _head(line: str) -> str:
    """Return what stands before the text of a line: time, level and origin; "" if it has no time or level."""
    head = _STAMP.match(line) or _LEVEL.match(line)
    origin = _ORIGIN.match(line, head.end()) if head else None
    is_chat = origin is not None and line.startswith(("<", "*"), origin.end()) and _STAMP.match(line)
    return line[: origin.end()] if origin and not is_chat else ""


def _blocks(lines: list[str]) -> list[Block]:
    texts: dict[str, str] = {}
    errors: set[str] = set()
    warnings: set[str] = set()
    for line in lines:
        head = _head(line)
        text = " ".join(line[len(head) :].split())
        text = text.split('"')[1] if head.endswith("msg=") and text.startswith('"') else text
        is_error = _AT_ERROR_LEVEL.search(head) or (_ERROR.search(text) and not _NO_ERROR.search(text))
        is_apart = not head and not _CAUSE.match(text)
        if is_apart or _NO_TEXT.match(text) or (not is_error and _PATH.search(text)):
            continue
        key = _NUMBER.sub("0", text)
        texts.pop(key, "")  # the line moves to the end
        texts[key] = text
        errors.update([key] if is_error else [])
        warnings.update([key] if _WARNED.search(head) else [])
    readable = [key for key, text in texts.items() if 2 * len(_WORD.findall(text)) >= len(text.split())]
    wanted = {*(errors or [*warnings, *readable[:1], *readable[-_END:]]), *list(texts)[-1:]}
    return [Block(text, LINE if key in wanted else ROUTINE) for key, text in texts.items()]
