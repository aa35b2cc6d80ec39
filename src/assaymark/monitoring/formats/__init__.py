"""What a gate found, in the formats that other tools read."""
