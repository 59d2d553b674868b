"""The commands of `jitviz`, one file each, whose `add` adds the command to the command line.

In: the options of a command.  Out: text on the terminal, files, an exit status.
"""
