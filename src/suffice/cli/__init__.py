"""The command line: a face that parses, calls one thing below, and shows the result."""
