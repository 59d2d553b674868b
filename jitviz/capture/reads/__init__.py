"""What a trace takes besides the arguments, and so builds into the program: values that its code reads or draws."""
