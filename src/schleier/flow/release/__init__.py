"""A release: rows, report and audit, and the folder that holds all of it or nothing."""
