"""python -m assay: the command line, where no script was installed."""

from assay.cli import main

if __name__ == "__main__":
    main()
