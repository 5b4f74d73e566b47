"""``python -m schleier`` is the command ``schleier``."""

from schleier.cli import main

if __name__ == "__main__":
    main()
