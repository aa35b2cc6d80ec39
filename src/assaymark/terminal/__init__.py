"""What every command prints with: aligned blocks, JSON, logs."""
