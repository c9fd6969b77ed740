"""The explorer: a local web app over saved runs of any size, for one person on one machine."""
