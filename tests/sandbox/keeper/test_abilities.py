"""The files of control groups, in both versions."""

from __future__ import annotations

from arena.sandbox.keeper.cgroup import ABILITIES, FILES, V1_CONTROLLER


def test_every_ability_has_files_in_one_version_at_least() -> None:
    assert {ability for ability, _ in FILES} == set(ABILITIES)
    assert all(FILES.values())


def test_what_v1_can_do_names_its_controller() -> None:
    assert {ability for ability, version in FILES if version == "v1"} == set(V1_CONTROLLER)


def test_both_versions_have_the_same_names() -> None:
    for ability in V1_CONTROLLER:
        only_v1 = {"both_peak"} if ability == "memory" else set()  # v2 counts swap by itself
        assert set(FILES[ability, "v1"]) - only_v1 == set(FILES[ability, "v2"])
