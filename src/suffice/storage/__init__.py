"""The model file: what was seen and how to read it, as bytes that any later version reads; and files written whole.

save_model   a model to a file                replacing   a file that takes the place of another when it is complete
load_model   a model from a file, checked     exclusive   other processes wait until a file is replaced
                                              FORMAT.md   every byte of it
"""

from suffice.storage.atomic import exclusive, replacing
from suffice.storage.file import load_model, save_model

__all__ = ["exclusive", "load_model", "replacing", "save_model"]
