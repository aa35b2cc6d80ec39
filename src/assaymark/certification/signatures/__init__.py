"""Who vouches for a certificate, and when: keys, time stamps, witnesses of the ledger."""
