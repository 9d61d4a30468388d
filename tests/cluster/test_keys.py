"""The keys of a cluster: who can read them, and whom they are taken from."""

from __future__ import annotations

import ssl
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from arena.cluster.keys import Role, make_keys, tls_context
from arena.errors import UsageError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster") / "new" / "keys"
    assert make_keys(folder) == [folder / "judge.pem", folder / "worker.pem"]
    return folder


def shaken(judge: ssl.SSLContext, worker: ssl.SSLContext) -> str:
    """The version of TLS that both ends agree on. Raises SSLError when one refuses the other."""
    to_judge, to_worker = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = judge.wrap_bio(to_judge, to_worker, server_side=True)
    client = worker.wrap_bio(to_worker, to_judge)
    for _ in range(3):
        for end in (client, server):
            with suppress(ssl.SSLWantReadError):
                end.do_handshake()
    assert server.getpeercert()
    return str(server.version())


def test_they_are_for_the_user_alone(folder: Path) -> None:
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_nothing_is_left_that_could_sign_another_key(folder: Path) -> None:
    for path in folder.iterdir():
        assert path.read_text().count("PRIVATE KEY") == 2  # one: its beginning and its end


def test_both_ends_know_each_other(folder: Path) -> None:
    contexts = (tls_context(folder / role.file, role) for role in Role)
    assert shaken(*contexts) == "TLSv1.3"


def test_keys_of_another_cluster_are_refused(folder: Path, tmp_path: Path) -> None:
    make_keys(tmp_path)
    ours, theirs = tls_context(folder / "judge.pem", Role.JUDGE), tmp_path / "worker.pem"
    with pytest.raises(ssl.SSLCertVerificationError):
        shaken(ours, tls_context(theirs, Role.WORKER))
    careless = tls_context(theirs, Role.WORKER)
    careless.verify_mode = ssl.CERT_NONE
    with pytest.raises(ssl.SSLError):
        shaken(ours, careless)


def test_no_worker_can_pass_for_the_judge(folder: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "worker.pem")
    with pytest.raises(ssl.SSLCertVerificationError, match="purpose"):
        shaken(context, tls_context(folder / "worker.pem", Role.WORKER))


def test_the_key_of_the_other_end_is_told_apart(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"worker\.pem is the key of workers: give judge\.pem"):
        tls_context(folder / "worker.pem", Role.JUDGE)
    with pytest.raises(UsageError, match=r"judge\.pem is the key of judges: give worker\.pem"):
        tls_context(folder / "judge.pem", Role.WORKER)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_can_read_is_refused(folder: Path, tmp_path: Path, mode: int) -> None:
    copy = tmp_path / "judge.pem"
    copy.write_bytes((folder / "judge.pem").read_bytes())
    copy.chmod(mode)
    with pytest.raises(UsageError, match=rf"other users can read .*: run chmod 600 {copy}"):
        tls_context(copy, Role.JUDGE)
    copy.chmod(0o600)
    tls_context(copy, Role.JUDGE)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is not a key of a cluster: make both keys with: arena cluster keys DIR"),
        (b"\xff\x00" * 1000, "is not a key of a cluster"),
        (b"arena cluster key: judge\n", "is damaged: copy it again, or make both keys"),
        (b"arena cluster key: judge\n-----BEGIN CERTIFICATE-----\nxx\n", "is damaged"),
        (None, "No such file or directory: make both keys"),
    ],
)
def test_what_is_no_key_is_told(content: bytes | None, why: str, tmp_path: Path) -> None:
    path = tmp_path / "judge.pem"
    if content is not None:
        path.write_bytes(content)
        path.chmod(0o600)
    with pytest.raises(UsageError, match=why):
        tls_context(path, Role.JUDGE)


def test_keys_are_not_overwritten(folder: Path) -> None:
    before = (folder / "judge.pem").read_bytes()
    with pytest.raises(UsageError, match="already: name another folder"):
        make_keys(folder)
    assert (folder / "judge.pem").read_bytes() == before


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write to"):
        make_keys(tmp_path / "file" / "keys")
