"""Reports: the map as people read it."""
