"""The page for programs: tokens, an interface described by OpenAPI, hooks out and in."""
