"""The languages summc knows by name, as ISO 639-1 codes."""

from __future__ import annotations

import difflib

from summc.errors import SettingError

#: Name a user may type -> code. Any other two- or three-letter code is taken as it is: such a language
#: is split, and works unstemmed and without a list of stop words.
CODES = {
    "afrikaans": "af", "arabic": "ar", "armenian": "hy", "basque": "eu", "bengali": "bn", "breton": "br",
    "bulgarian": "bg", "catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs", "danish": "da",
    "dutch": "nl", "english": "en", "esperanto": "eo", "estonian": "et", "finnish": "fi", "french": "fr",
    "galician": "gl", "german": "de", "greek": "el", "gujarati": "gu", "hausa": "ha", "hebrew": "he",
    "hindi": "hi", "hungarian": "hu", "indonesian": "id", "irish": "ga", "italian": "it", "japanese": "ja",
    "korean": "ko", "kurdish": "ku", "latin": "la", "latvian": "lv", "lithuanian": "lt", "malay": "ms",
    "marathi": "mr", "norwegian": "no", "persian": "fa", "polish": "pl", "portuguese": "pt",
    "romanian": "ro", "russian": "ru", "serbian": "sr", "slovak": "sk", "slovenian": "sl", "somali": "so",
    "spanish": "es", "swahili": "sw", "swedish": "sv", "tagalog": "tl", "thai": "th", "turkish": "tr",
    "ukrainian": "uk", "urdu": "ur", "vietnamese": "vi", "yoruba": "yo", "zulu": "zu",
}  # fmt: skip

#: The languages that have a Snowball stemmer in NLTK, by code.
SNOWBALL = {
    CODES[name]: name
    for name in (
        "arabic", "danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian",
        "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish",
    )
}  # fmt: skip


def language_code(name: str, place: str = "--language") -> str:
    """Return the code of a language given by name (``English``) or code (``en``, ``en-GB``)."""
    folded = name.strip().lower()
    if folded in CODES:
        return CODES[folded]
    code = folded.replace("_", "-").split("-")[0]
    if code.isascii() and code.isalpha() and len(code) in (2, 3):
        return code
    nearest = difflib.get_close_matches(folded, CODES, n=1)
    remedy = f"perhaps {nearest[0]}?" if nearest else "give a name such as english, or a code such as en"
    raise SettingError(place, f'unknown language "{name}"', remedy)
