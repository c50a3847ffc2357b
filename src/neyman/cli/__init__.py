"""The command line: parses, asks, prints. All numbers come from the guarantees."""
