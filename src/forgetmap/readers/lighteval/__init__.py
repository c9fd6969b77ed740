"""What the two generations of lighteval logs share; the readers are `lighteval_v1` and `lighteval_v2`."""
