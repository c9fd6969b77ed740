"""Taxonomies: ways to sort tasks into categories and groups; the YAML files beside this one are those we ship."""

from forgetmap.taxonomies.files import load_taxonomy, taxonomy_names
from forgetmap.taxonomies.taxonomy import Place, Taxonomy

__all__ = ["Place", "Taxonomy", "load_taxonomy", "taxonomy_names"]
