"""What a certification shows, as frozen results; nothing here is recorded."""
