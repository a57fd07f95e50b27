"""`python -m perdure.cli`, for where the script is not on the path."""

from perdure.cli import main

main()
