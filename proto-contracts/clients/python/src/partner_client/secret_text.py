"""Refuses keys and secrets that were copied or read with something around them."""

import re


def require_visible(name: str, text: str) -> None:
    """
    Raises a ValueError unless a key or secret consists of visible ASCII characters, as every one of the service does. The message
    names the first other character, never the text: a line break from a file, a space, a byte order mark.
    """
    if not text:
        raise ValueError(f"{name} is empty")
    found = re.search("[^!-~]", text)
    if found is None:
        return
    place = f"U+{ord(found.group()):04X} at position {found.start() + 1} of {len(text)}"
    raise ValueError(
        f"{name} has white space or another character that does not belong to it: {place}; trim it, as a file often ends with a "
        "line break"
    )
