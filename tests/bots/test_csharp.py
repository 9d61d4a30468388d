"""C#: which sources make one program."""

from __future__ import annotations

from pathlib import Path

from arena.bots.machines import csharp_libraries_copied, csharp_program, csharp_references
from tests.bots.samples import write

MAIN = "class P { static void Main(string[] args) { } }"
PROJECT = "<Project><ItemGroup>{}</ItemGroup></Project>"


def along(folder: Path, main: str) -> list[str]:
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.cs"))
    return csharp_program(folder, main, [name for name in names if name != main])


def test_without_a_project_all_sources_are_one_program(here: Path) -> None:
    files = {"Bot/Start.cs": MAIN, "Map/Map.cs": "", "Move.cs": "", "tests/Try.cs": "",
             "obj/Debug/x.cs": "", "Properties/AssemblyInfo.cs": ""}  # fmt: skip
    write(here, files)
    assert along(here, "Bot/Start.cs") == ["Map/Map.cs", "Move.cs"]


def test_two_programs_keep_to_their_folders(here: Path) -> None:
    write(here, {"One/Start.cs": MAIN, "One/a/A.cs": "", "Two/Start.cs": MAIN, "Two/B.cs": ""})
    assert along(here, "One/Start.cs") == ["One/a/A.cs"]
    write(here, {"One/Tool.cs": MAIN})
    assert along(here, "One/Start.cs") == ["One/a/A.cs"]


def test_a_project_has_what_it_refers_to(here: Path) -> None:
    common = '<ProjectReference Include="..\\Common\\Common.csproj"/>'
    write(
        here,
        {
            "Bot/Bot.csproj": PROJECT.format(common),
            "Bot/Start.cs": MAIN,
            "Bot/deep/A.cs": "",
            "Bot/Inner/Inner.csproj": PROJECT.format(""),
            "Bot/Inner/No.cs": "",
            "Common/Common.csproj": PROJECT.format(
                '<ProjectReference Include="../Bot/Bot.csproj"/>'
            ),
            "Common/B.cs": "",
            "Other/C.cs": "",
        },
    )
    assert along(here, "Bot/Start.cs") == ["Bot/deep/A.cs", "Common/B.cs"]


def test_a_project_that_lists_its_sources_has_these(here: Path) -> None:
    listed = '<Compile Include="Start.cs"/><Compile Include="..\\Shared\\A.cs"/>'
    write(here, {"Bot/Bot.csproj": PROJECT.format(listed), "Bot/Start.cs": MAIN, "Bot/No.cs": "",
                 "Shared/A.cs": ""})  # fmt: skip
    assert along(here, "Bot/Start.cs") == ["Shared/A.cs"]


def test_libraries_in_the_tree_travel_along(here: Path) -> None:
    hint = "<Reference><HintPath>..\\libs\\x.dll</HintPath></Reference>"
    gone = "<Reference><HintPath>..\\..\\..\\packages\\y.dll</HintPath></Reference>"
    write(here, {"Bot/Bot.csproj": PROJECT.format(hint + gone), "Bot/Start.cs": MAIN})
    assert csharp_references(here, "Bot/Start.cs", []) == []
    write(here, {"libs/x.dll": ""})
    assert csharp_references(here, "Bot/Start.cs", []) == ["-r:libs/x.dll"]
    ((_, *copied),) = csharp_libraries_copied(here, "Bot/Start.cs")
    assert copied == ["--", "libs/x.dll", "../out"]
