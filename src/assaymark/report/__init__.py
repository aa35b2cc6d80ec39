"""What people read: sentences, tables and charts from results that are already computed."""
