"""`python -m forgetmap`."""

from forgetmap.cli import main

main()
