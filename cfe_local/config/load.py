"""Reads a RunConfig: file, then environment (CFE_LOCAL_*), then command line; later ones win.

`model.card` and `judge.card` name a file of that section's settings (configs/models, configs/judges); what stands
beside `card` wins over it. Unknown keys are refused with the nearest known name. Relative paths in a file stay relative
to the working directory.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from cfe_local.config.model import JudgeConfig
from cfe_local.config.run import RunConfig
from cfe_local.config.yaml_text import NotYamlError, parse_yaml, unstorable
from cfe_local.errors import UsageError

ENV_PREFIX = "CFE_LOCAL_"
ENV_NOT_SETTINGS = frozenset({"CFE_LOCAL_MODELS_DIR", "CFE_LOCAL_EXAMS_DIR", "CFE_LOCAL_LOG_LEVEL"})
"""Variables with our prefix that configure the installation, not a run."""


def load_run_config(
    path: Path | None,
    *,
    overrides: Iterable[str] = (),
    values: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> RunConfig:
    """Resolve a run's configuration.

    Args:
        path: YAML file, or None to start from nothing.
        overrides: ``dotted.key=value`` texts, the value read as YAML (``--set``).
        values: Dotted keys with ready values (dedicated options such as ``--seed``); they win over ``overrides``.
        environ: The environment; ``CFE_LOCAL_MODEL__PATH`` sets ``model.path``.

    Raises:
        UsageError: For an unreadable file, an unknown key or an impossible value; the message names file and key.
    """
    tree: dict[str, Any] = _read_yaml(path) if path is not None else {}
    for name, text in sorted((environ or {}).items()):
        if name.startswith(ENV_PREFIX) and name not in ENV_NOT_SETTINGS:
            _set(tree, name.removeprefix(ENV_PREFIX).lower().replace("__", "."), _scalar(text, name))
    _override(tree, overrides)
    for key, value in (values or {}).items():
        _set(tree, key, value)
    return build_run_config(tree, str(path) if path is not None else "command line")


def build_run_config(tree: Mapping[str, Any], where: str) -> RunConfig:
    """Make a configuration of a tree of settings, its cards read.

    Args:
        tree: As a YAML file has them.
        where: What the tree comes from, for messages.

    Raises:
        UsageError: As `load_run_config`.
    """
    tree = dict(tree)
    _refuse_unstorable(tree, where)
    for section in ("model", "judge"):
        if isinstance(node := tree.get(section), dict) and "card" in node:
            card = _read_yaml(Path(str(node["card"])))
            _refuse_unstorable(card, str(node["card"]))
            tree[section] = _merged(card, {key: value for key, value in node.items() if key != "card"})
    try:
        return RunConfig.model_validate(tree)
    except ValidationError as error:
        raise UsageError(f"{where}: " + explain_errors(error, RunConfig)) from error


def read_tree(path: Path, overrides: Iterable[str] = ()) -> dict[str, Any]:
    """Read a YAML file of settings, with ``dotted.key=value`` texts put over it.

    Raises:
        UsageError: If the file cannot be read or holds no mapping, or an override is not of that form.
    """
    tree = _read_yaml(path)
    _override(tree, overrides)
    _refuse_unstorable(tree, str(path))
    return tree


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with the values of ``over`` in it, section by section."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def load_judge_config(path: Path | None, *, model: str | None = None, overrides: Iterable[str] = ()) -> JudgeConfig:
    """Resolve a judge's configuration alone.

    Args:
        path: YAML file of a judge (``configs/judges/``), or None.
        model: Its folder or embedded name; wins over the file's.
        overrides: ``dotted.key=value`` texts, without ``judge.`` in front.

    Raises:
        UsageError: As `load_run_config`.
    """
    tree: dict[str, Any] = _read_yaml(path) if path is not None else {}
    _override(tree, overrides)
    if model is not None:
        tree["path"] = model
    _refuse_unstorable(tree, str(path or "judge"))
    try:
        return JudgeConfig.model_validate(tree)
    except ValidationError as error:
        raise UsageError(f"{path or 'judge'}: " + explain_errors(error, JudgeConfig)) from error


def _override(tree: dict[str, Any], overrides: Iterable[str]) -> None:
    for item in overrides:
        key, equals, text = item.partition("=")
        if not equals or not key:
            raise UsageError(
                f"--set {item}: not of the form key=value\nFix: for example --set model.sampling.max_tokens=512"
            )
        _set(tree, key.strip(), _scalar(text, f"--set {key}"))


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        tree = parse_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(
            f"configuration file not found: {path}\nFix: check the path; examples are in configs/."
        ) from error
    except (OSError, UnicodeDecodeError, NotYamlError) as error:
        raise UsageError(f"{path}: not readable as YAML: {error}\nFix: correct the file; see configs/.") from error
    if tree is None:
        raise UsageError(f"{path}: is empty\nFix: name at least benchmark and model; see configs/ for examples.")
    if not isinstance(tree, dict):
        raise UsageError(f"{path}: holds {type(tree).__name__}, not a mapping\nFix: see configs/ for examples.")
    return tree


def _scalar(text: str, where: str) -> object:
    try:
        return parse_yaml(text)
    except NotYamlError as error:
        raise UsageError(f"{where}: value {text!r} is not YAML: {error}") from error


def _refuse_unstorable(tree: Mapping[str, Any], where: str) -> None:
    if found := list(unstorable(tree)):
        raise UsageError(f"{where}: cannot be used\n" + "\n".join(f"  {line}" for line in found[:5]))


def _set(tree: dict[str, Any], dotted: str, value: object) -> None:
    *parents, last = dotted.split(".")
    for parent in parents:
        node = tree.setdefault(parent, {})
        if not isinstance(node, dict):
            raise UsageError(f"{dotted}: {parent} is not a section")
        tree = node
    tree[last] = value


def explain_errors(error: ValidationError, root: type[BaseModel]) -> str:
    """What is wrong with a tree of settings, one line each, with the nearest known name for an unknown one."""
    lines = [f"{error.error_count()} problem(s) in the configuration"]
    for problem in error.errors():
        dotted = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            known = _known_names(root, problem["loc"][:-1])
            near = difflib.get_close_matches(str(problem["loc"][-1]), known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
            lines.append(f"  {dotted}: unknown key; {hint}")
        else:
            got = "" if problem["type"] == "missing" else f" (got {problem['input']!r})"
            lines.append(f"  {dotted}: {problem['msg']}{got}")
    return "\n".join(lines)


def _known_names(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    for part in location:
        field = model.model_fields.get(str(part))
        if field is None:
            break
        candidates = [field.annotation, *get_args(field.annotation)]
        nested = [c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)]
        if not nested:
            break
        model = nested[0]
    return sorted(model.model_fields)
