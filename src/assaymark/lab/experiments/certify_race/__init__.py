"""How many labels each way to certify the same claim needs."""
