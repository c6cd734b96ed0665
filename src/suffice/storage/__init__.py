"""Model files and atomic file replacement.

save_model   write a model to a file           replacing   write a file that replaces another when it is complete
load_model   read and validate a model file    exclusive   lock a file against other processes until it is replaced
                                               FORMAT.md   the file format, byte by byte
"""

from suffice.storage.file import exclusive, load_model, replacing, save_model

__all__ = ["exclusive", "load_model", "replacing", "save_model"]
