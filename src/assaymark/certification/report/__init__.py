"""The sections and charts of a report that tell a certification."""
