"""Stands in for spaCy, which HELM imports for one perturbation that is not used here."""
