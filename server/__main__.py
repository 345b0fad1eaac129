"""`python -m server`: the same as the command `sayso`."""

from server.cli import main

if __name__ == "__main__":
    main()
