"""Charts as data, and how they are drawn as SVG: one drawing for page, report and notebook."""
