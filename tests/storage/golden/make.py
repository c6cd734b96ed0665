"""Write the golden files of this version: `python tests/storage/golden/make.py`, run once for each format, from the root.

Each is a small model that every later version must load, and beside it in JSON what it was when it was written: its
classes, and what it predicted. Files that are there are never written again.
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import suffice as sf
from suffice.models import Provenance
from suffice.storage.model import FORMAT

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))

from tests.storage.models_to_store import MODELS, ROWS  # noqa: E402


def said(model: sf.Model, rows: object) -> dict[str, object]:
    """What a model of these rows says, as JSON keeps it: floats to the last bit, −inf as text."""
    known = model.core
    learnt: dict[str, object] = {}
    if model.calibration is not None:
        learnt["proba"] = model.predict_proba(rows).tolist()
    if model.novelty_reference is not None:
        learnt["novelty"] = model.novelty(rows).p_value.tolist()
    return {
        "classes": [repr(label) for label in model.classes],
        "weight": known.tally.weight.tolist(),
        "evidence": model.log_evidence(),
        "log_joint": [[str(value) for value in row] for row in model.log_joint(rows).tolist()],
        "log_proba": [[str(value) for value in row] for row in model.predict_log_proba(rows).tolist()],
        "predict": [repr(label) for label in model.predict(rows).tolist()],
        "rows": model.provenance.rows,
        "sources": list(model.provenance.sources),
        "dates": [model.provenance.first, model.provenance.last],
        **learnt,
    }


def main() -> None:
    folder = HERE / f"v{FORMAT}"
    folder.mkdir(exist_ok=True)
    warnings.simplefilter("ignore", sf.SufficeWarning)
    for name, rows in ROWS.items():
        told = Provenance(6, ("golden.csv",), "2026-11-15T00:00:00Z", "2026-11-15T00:00:00Z", "label")
        fitted = MODELS[name]()
        model = fitted if fitted.provenance.sources else replace(fitted, provenance=told)
        path = folder / f"{name}.suffice"
        if path.exists():  # what a version has written stays as it is
            continue
        model.save(path)
        text = json.dumps(said(model, rows), indent=1, ensure_ascii=False)
        path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
        print(f"{path.stat().st_size:6} {path.name}")


if __name__ == "__main__":
    main()
