"""The keys of a cluster: one for its judge, one for its workers.

Both are signed by one private authority, whose own key is then discarded, so a third key can never
be made. With TLS 1.3 both ends prove their keys before a byte of ours is read. A certificate is
either for a server (the judge) or for a client (a worker), so no worker can pose as the judge.
"""

from __future__ import annotations

import os
import ssl
import stat
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.record.source import open_plain

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

VALID = timedelta(days=30 * 365)
EARLIER = timedelta(days=2)
"""Certificates are backdated by this much, in case the clocks of two machines differ."""
MAX_KEY_SIZE = 64 << 10
"""Maximum size of a key file, in bytes."""
_MARK = "arena cluster key: "
"""Prefix of the first line of a key file, before the role."""
_CERTIFICATE = "-----BEGIN CERTIFICATE-----"
MAKE = "make both keys with: arena cluster keys DIR"


class Role(StrEnum):
    """The holder of a key."""

    JUDGE = "judge"
    WORKER = "worker"

    @property
    def file(self) -> str:
        """The name of the key file."""
        return f"{self}.pem"


def make_keys(folder: Path) -> list[Path]:
    """Make the keys of a new cluster, as files in a folder that only the user can read. Raises
    UsageError when there are keys already, and ImportError without `cryptography`."""
    from cryptography.hazmat.primitives.asymmetric import ec

    files = [folder / role.file for role in Role]
    for file in files:
        if os.path.lexists(file):
            raise UsageError(
                f"there is a file {file} already: name another folder for the keys of a new "
                "cluster, or move it away (all judges and workers then need the new keys)"
            )
    authority = ec.generate_private_key(ec.SECP256R1())
    root = _authority_certificate(authority)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for role, file in zip(Role, files, strict=True):
            _write_private(file, _new_key(role, authority, root))
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}: name another") from None
    return files


def tls_context(path: Path, role: Role) -> ssl.SSLContext:
    """The TLS context of that end of a connection: its certificate, and its demands on the other.

    Raises UsageError for a file that is not a key of that role, or that others can read.
    """
    text = _read_private(path, role)
    is_judge = role is Role.JUDGE
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if is_judge else ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # the authority signed one judge only, whatever its host
    context.verify_mode = ssl.CERT_REQUIRED
    if is_judge:
        context.num_tickets = 0
    try:
        context.load_cert_chain(path)
        context.load_verify_locations(cadata=_CERTIFICATE + text.rpartition(_CERTIFICATE)[2])
    except (ssl.SSLError, ValueError):
        raise UsageError(f"the key in {path} is damaged: copy it again, or {MAKE}") from None
    return context


def _read_private(path: Path, role: Role) -> str:
    try:
        with open_plain(path) as file:
            status = os.fstat(file.fileno())
            text = file.read(MAX_KEY_SIZE).decode("ascii", "replace")
    except OSError as error:
        raise UsageError(f"cannot read the key {path}: {error.strerror}: {MAKE}") from None
    first = text.partition("\n")[0]
    if first not in {_MARK + one for one in Role}:
        raise UsageError(f"{path} is not a key of a cluster: {MAKE}")
    if first != _MARK + role:
        other = first.removeprefix(_MARK)
        raise UsageError(f"{path} is the key of {other}s: give {role.file}")
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise UsageError(f"other users can read the key {path}: run chmod 600 {path}")
    return text


def _write_private(path: Path, content: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)


def _authority_certificate(key: EllipticCurvePrivateKey) -> x509.Certificate:
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256

    name = _name("authority")
    draft = _draft(key, "authority", name)
    return draft.add_extension(x509.BasicConstraints(True, 0), True).sign(key, SHA256())


def _new_key(role: Role, authority: EllipticCurvePrivateKey, root: x509.Certificate) -> bytes:
    """The content of a new key file: a line with the role, the key, its certificate, and the
    authority's certificate."""
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.x509.oid import ExtendedKeyUsageOID

    key, pem = ec.generate_private_key(ec.SECP256R1()), serialization.Encoding.PEM
    end = {
        Role.JUDGE: ExtendedKeyUsageOID.SERVER_AUTH,
        Role.WORKER: ExtendedKeyUsageOID.CLIENT_AUTH,
    }[role]
    certificate = (
        _draft(key, role, root.subject)
        .add_extension(x509.BasicConstraints(False, None), True)
        .add_extension(x509.ExtendedKeyUsage([end]), True)
        .sign(authority, SHA256())
    )
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    parts = (
        f"{_MARK}{role}\n".encode(),
        private,
        certificate.public_bytes(pem),
        root.public_bytes(pem),
    )
    return b"".join(parts)


def _draft(key: EllipticCurvePrivateKey, name: str, issuer: x509.Name) -> x509.CertificateBuilder:
    from cryptography import x509

    now = datetime.now(UTC)
    return x509.CertificateBuilder(
        issuer,
        _name(name),
        key.public_key(),
        x509.random_serial_number(),
        now - EARLIER,
        now + VALID,
    )


def _name(name: str) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"arena {name}")])
