"""What the wheel says of where the project is: its links, and a README whose pictures show on PyPI too.

In: the owner's lines in `pyproject.toml`, and the README.  Out: metadata; without an address, the README as it is.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# A link, its words, and its target in this repository; a picture, and where it is.
LINK = re.compile(r"(\[[^]]*\])\((?!https?:|#)([^)\s]+)\)")
PICTURE = re.compile(r'(src|srcset)="(?!https?:)([^"]+)"')


class Addresses(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        if repository := self.config["repository"].rstrip("/"):
            metadata["urls"] = {
                "Source": repository,
                "Issues": f"{repository}/issues",
                "Changelog": f"{repository}/blob/HEAD/CHANGELOG.md",
            }
            text = LINK.sub(lambda m: f"{m[1]}({repository}/blob/HEAD/{m[2]})", text)
            text = PICTURE.sub(lambda m: f'{m[1]}="{repository}/raw/HEAD/{m[2]}"', text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
