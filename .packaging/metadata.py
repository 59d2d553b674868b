"""What the wheel says of where the project is: its links, and a README whose pictures show on PyPI too.

In: the owner's lines in `pyproject.toml`, and the README.  Out: metadata; without an address, the README as it is.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# A picture ("!") or a link, its words, and its target in this repository.
LINK = re.compile(r"(!?)(\[[^]]*\])\((?!https?:|#)([^)\s]+)\)")


class Addresses(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        if repository := self.config["repository"].rstrip("/"):
            metadata["urls"] = {
                "Source": repository,
                "Issues": f"{repository}/issues",
                "Changelog": f"{repository}/blob/HEAD/CHANGELOG.md",
            }
            folders = {"!": "raw", "": "blob"}
            text = LINK.sub(lambda m: f"{m[1]}{m[2]}({repository}/{folders[m[1]]}/HEAD/{m[3]})", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
