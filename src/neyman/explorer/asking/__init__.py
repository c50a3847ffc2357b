"""What may be asked, read without trust: questions, settings, what was handed over."""
