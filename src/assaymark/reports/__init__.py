"""What a report is made of: sections, charts, and how they are set as HTML and PDF."""
