"""Fits the forest to readings of usual days, and writes it beside the graph.

A pickle is of one version of scikit-learn: fit anew with another.
"""

import csv
from pathlib import Path

import joblib
from sklearn.ensemble import IsolationForest

HERE = Path(__file__).parent

with (HERE / "usual.csv").open(encoding="utf-8") as file:
    usual = [[float(row["flow"]), float(row["pressure"])] for row in csv.DictReader(file)]
joblib.dump(IsolationForest(n_estimators=100, contamination=0.05, random_state=1).fit(usual), HERE / "forest.joblib")
