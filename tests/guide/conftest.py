"""Guides are tested with commands, too."""

from tests.cli.conftest import arena

__all__ = ["arena"]
