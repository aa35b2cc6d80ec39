"""What people answer: recorded from files and pages, queued, and looked up again."""
