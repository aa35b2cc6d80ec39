"""The address that serve prints is one that people can use."""

import pytest

from assaymark.cli.serve import _address


@pytest.mark.parametrize(
    ("host", "names", "tls", "proxied", "url"),
    [
        ("127.0.0.1", (), False, False, "http://127.0.0.1:8765/"),
        ("0.0.0.0", (), False, False, "http://localhost:8765/"),
        ("::1", (), True, False, "https://[::1]:8765/"),
        ("0.0.0.0", ("labels.example.org",), False, False, "http://labels.example.org:8765/"),
        ("0.0.0.0", ("labels.example.org",), True, False, "https://labels.example.org:8765/"),
        ("0.0.0.0", ("labels.example.org",), False, True, "https://labels.example.org/"),
    ],
)
def test_the_address_is_the_one_people_type(host, names, tls, proxied, url) -> None:
    assert _address(host, 8765, names, tls=tls, proxied=proxied) == url
