"""Prove a claim: plan, draw, look, certify, and verify as a stranger would."""
