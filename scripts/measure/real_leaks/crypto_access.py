# SPDX-License-Identifier: Apache-2.0
"""A certificate's access descriptions stay when its extensions are read."""
import datetime

from cryptography import x509
from cryptography.hazmat.backends import default_backend
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import AuthorityInformationAccessOID, NameOID
from resident import note

KEY = ec.generate_private_key(ec.SECP256R1(), default_backend())
NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, u"example")])
ACCESS = x509.AuthorityInformationAccess([
    x509.AccessDescription(AuthorityInformationAccessOID.OCSP,
                           x509.UniformResourceIdentifier(u"http://example/%d" % k))
    for k in range(5)])
PEM = x509.CertificateBuilder().subject_name(NAME).issuer_name(NAME).serial_number(1).public_key(
    KEY.public_key()).not_valid_before(datetime.datetime(2020, 1, 1)).not_valid_after(
        datetime.datetime(2040, 1, 1)).add_extension(ACCESS, critical=False).sign(
            KEY, hashes.SHA256(), default_backend()).public_bytes(serialization.Encoding.PEM)


def read(pem):
    certificate = x509.load_pem_x509_certificate(pem, default_backend())
    return len(certificate.extensions)  # leak


for i in range(10000):
    read(PEM)
    note(i, 10000)
