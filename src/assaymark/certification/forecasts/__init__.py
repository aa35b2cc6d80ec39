"""What a claim will cost and how likely it passes: before the plan, without a project, along the way."""
