"""What may be asked of a pair of profiles: certified on either side, with no word of guarantees."""
