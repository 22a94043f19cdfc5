"""Prints as JSON what is installed in the environment of the Python that runs it.

    python inspect_environment.py PROJECT

`packages` are all distributions with their versions; `own` are the top-level modules of those that were installed from
the directory PROJECT, and `directory` is where they lie.
"""

import json
import os
import sys
from urllib.parse import unquote, urlparse

try:
    from importlib import metadata
except ImportError:
    metadata = None


def installed_from(distribution):
    """The directory a distribution was installed from; None if from an index."""
    text = distribution.read_text("direct_url.json")
    if not text:
        return None
    address = urlparse(json.loads(text).get("url", ""))
    return os.path.realpath(unquote(address.path)) if address.scheme == "file" else None


def top_level(distribution):
    """Names that `import` finds in a distribution."""
    names = set()
    for file in distribution.files or ():
        first = file.parts[0]
        if first.endswith((".dist-info", ".egg-info", ".data", ".pth")) or first in ("..", "__pycache__"):
            continue
        if len(file.parts) == 1:
            first = first.partition(".")[0] if first.endswith((".py", ".so", ".pyd")) else ""
        if first.isidentifier():
            names.add(first)
    return names


def main():
    project = os.path.realpath(sys.argv[1])
    packages, own, directory = {}, set(), ""
    for distribution in metadata.distributions() if metadata else ():
        name = distribution.metadata["Name"]
        if not name:
            continue
        origin = installed_from(distribution)
        if origin == project:
            own |= top_level(distribution)
            directory = str(distribution.locate_file(""))
        elif origin is None:
            packages[name] = distribution.version
    print(json.dumps({"packages": packages, "own": sorted(own), "directory": directory}))


if __name__ == "__main__":
    main()
