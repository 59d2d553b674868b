"""The commands of `jitviz`, one file each.

In: the options of a command.  Out: text on the terminal, files, an exit status.
"""
