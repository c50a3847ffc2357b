"""What laws, engines and guarantees hand each other: brackets, profiles, what a question may cost."""
