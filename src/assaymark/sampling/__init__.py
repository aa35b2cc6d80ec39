"""Which item comes next: tickets, the reserve of a plan, surveys of named cells."""
