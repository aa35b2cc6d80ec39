"""python -m assaymark: the command line, where no script was installed."""

from assaymark.cli import main

if __name__ == "__main__":
    main()
