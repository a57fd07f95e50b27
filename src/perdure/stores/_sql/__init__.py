"""What the SQL stores share and what is about neither database: filters, statements, rows."""
