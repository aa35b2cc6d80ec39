"""A plug-in package: a label format, a learner and a pool engine."""
