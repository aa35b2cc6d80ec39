"""The stories, one file each. Every writing step reads events, replays, computes, appends."""
