"""May it ship, and is it still true: locked claims, the gate, exports of certificates."""
