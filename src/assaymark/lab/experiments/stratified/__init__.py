"""What stratified sampling saves."""
