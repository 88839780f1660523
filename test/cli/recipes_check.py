"""Runs Python recipes in the folder where the results are and prints what each left behind, as JSON.

usage: recipes_check.py < [{"code": …, "values": [expression, …]}, …]

Each recipe has names of its own; `values` are looked up among them afterwards.
"""
import contextlib
import json
import sys
import traceback

import numpy as np


def plain(value):
    return np.asarray(value).tolist()


def run(recipe):
    names = {"np": np}
    try:
        # What a recipe prints is no part of the answer.
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(recipe["code"], "recipe", "exec"), names)
            return {"values": {text: plain(eval(text, names)) for text in recipe["values"]}}
    except Exception:
        return {"failure": traceback.format_exc()}


json.dump([run(recipe) for recipe in json.load(sys.stdin)], sys.stdout)
