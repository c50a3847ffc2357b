"""``python -m neyman``: the command ``neyman``."""

from neyman.cli.launch import main

if __name__ == "__main__":
    main()
