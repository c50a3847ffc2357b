"""What people type or write into files, read without trust."""
