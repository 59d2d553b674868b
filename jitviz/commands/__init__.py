"""What `jitviz COMMAND` does, a file for each command.

In: the options of a command.  Out: text on the terminal, files where asked for, an exit status.
Must never: import jax before the program of the user does.
"""
