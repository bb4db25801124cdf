/**
 * A certificate of 127.0.0.1 that expired on 2 January 2025, with the authority flag, so that a
 * bundle may vouch for it. For tests alone.
 */
export const expiredCertificate = {
  cert: `
-----BEGIN CERTIFICATE-----
MIIBazCCARGgAwIBAgIBATAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAx0ZXN0IGV4
cGlyZWQwHhcNMjUwMTAxMDAwMDAwWhcNMjUwMTAyMDAwMDAwWjAXMRUwEwYDVQQD
DAx0ZXN0IGV4cGlyZWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATUAk3BoP7i
ehClThPfzo2bVtrc0J78y6UtzPkWkSq6N9ia6nlFrO4hKKDmxGbJKhYUy5bQJL8K
hn+FdJEkcxUSo04wTDAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGHBH8AAAGC
CWxvY2FsaG9zdDAdBgNVHQ4EFgQUYU1AR1ACxFi5Ao/SYWiv6SDpcqEwCgYIKoZI
zj0EAwIDSAAwRQIgUndIP2Wk+M7ASQdg0JRYupba98+qwK58QTt9WZkCsbQCIQDm
Gg2FGKRDkzlhEmyLaOmyHGN84IaG/DMbUfjqOW5axQ==
-----END CERTIFICATE-----
`.trimStart(),
  key: `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgn9D1OhGkm//rSRpx
oix//DIIsX7x0XV8F2veXtFIwb+hRANCAATUAk3BoP7iehClThPfzo2bVtrc0J78
y6UtzPkWkSq6N9ia6nlFrO4hKKDmxGbJKhYUy5bQJL8Khn+FdJEkcxUS
-----END PRIVATE KEY-----
`.trimStart(),
};
