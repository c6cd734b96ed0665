"""The command line: each command parses its arguments, calls one function of the library and shows the result."""
