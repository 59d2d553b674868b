"""Keys, tokens, passwords and values that the user names appear in nothing that is shown or saved."""

import functools
import gzip
import json
import re
import runpy
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz.commands import pytest_report
from jitviz.commands.warmup import write_warm_up
from jitviz.display.keeping import keep, write
from jitviz.recording import Recording, redaction
from jitviz.views import PANEL, shape_panel

VALUE = 7913.625
X = np.full(3, VALUE, np.float32)
# put together here, so that no scanner takes this file for a leak
TOKENS = {
    "GitHub": "ghp_" + "q8Zt" * 9,
    "OpenAI": "sk-" + "proj-" + "aB3dE5" * 6,
    "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "Hugging Face": "hf_" + "LmNoPqRsTu" * 3,
    "web token": "eyJ" + "hbGciOiJIUzI1" + "." + "eyJzdWIiOiIx" + "." + "SflKxwRJSMeK",
    "hexadecimal": "9f86d081884c7d659a2feaa0c55ad015",
    "base64": "c2VjcmV0Cg9LbW5vcHFyMTIzNDU2Nzg5",
    "secret of AWS": "wJalrXUtnFEMI/" + "K7MDENG/bPxRfiCYEXAMPLEKEY",
}
# what is written in a function is shown with its source
PASSWORD, USER, SEATS = "correct horse", "ada lovelace", (86_420_135, 97_531_246)
NAMES = [
    "/home/user/data/checkpoint_epoch_0001_step_2000.npz",
    "TransformerDecoderLayerNormalisation2d",
    "550e8400-e29b-41d4-a716-446655440000",
    "bfloat16_3x3_conv_batchnorm_relu6",
    "2026-11-22T06:00:00.000000+00:00",
    "https://example.org/datasets/mnist",
    "x" * 500,
    "task_distribution_weights",
    "mask-adjusted-return-model-2",
    "hf_transformer_model_config",
    "sk-learn-compatible-estimator",
    "data/ImageNet2012/train/ResNet50/run1/ab",
]


@pytest.fixture
def restored() -> Iterator[None]:
    yield
    jitviz.configure()


@pytest.mark.parametrize("kind", TOKENS)
def test_what_looks_like_a_key_is_hidden(kind: str) -> None:
    token = TOKENS[kind]
    for text in (token, f"before {token} after", repr({"api": token}), f"https://me:{token}@host/path"):
        assert token not in redaction.redacted(text)
        assert "<redacted" in redaction.redacted(text)


@pytest.mark.parametrize("name", NAMES)
def test_names_paths_and_dates_are_not_hidden(name: str) -> None:
    assert redaction.redacted(name) == name


def test_alternating_letters_and_digits_are_a_token_from_the_fourth_change_on() -> None:
    assert redaction.redacted("abcdefgh1ijklmnopqrstuv2") == "abcdefgh1ijklmnopqrstuv2"
    assert redaction.redacted("abcdefgh1ijklmnopqrstu2v") == "<redacted, 24 characters>"


def test_passwords_and_private_keys_are_hidden() -> None:
    assert redaction.redacted("postgres://me:hunter2@host/db") == "postgres://<redacted, 10 characters>@host/db"
    key = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----"
    assert redaction.redacted(f"key = '{key}'\n") == f"key = '<redacted, {len(key)} characters>'\n"


@dataclass(frozen=True)
class Config:
    """What a program is told, some of it in confidence."""

    user: str
    password: str
    seat: int


@functools.partial(jax.jit, static_argnums=(1, 2))
def step(x: Any, token: str, config: Config) -> Any:
    return x * 2


def everything(rec: Any, folder: Path) -> str:
    """All that leaves the process: files, a page, what a cell shows and keeps, the command line, pytest's report."""
    rec.save(folder / "rec.jsonl")
    rec.to_html(folder / "rec.html")
    rec.to_perfetto(folder / "rec.json")
    texts = [str(path.read_text()) for path in folder.iterdir()]
    panel = shape_panel(rec, PANEL)
    texts += [write(panel), *(gzip.decompress(body).decode() for body in keep(rec, panel, None).answers.values())]
    texts += [str(rec), rec._repr_html_(), str(jitviz.explain(rec)), json.dumps(rec.to_json()), repr(rec.compiles[:])]
    texts += [str(jitviz.compare(Recording(), rec)), write_warm_up(rec, "rec")[0]]
    texts.append(repr(pytest_report._summarize("a", rec)))
    texts += [text or "" for row in rec.compiles for text in (row.jaxpr, row.stablehlo, row.hlo)]
    return "\n".join(texts)


def test_a_token_that_changes_is_the_reason_and_appears_nowhere(tmp_path: Path) -> None:
    step.clear_cache()
    first, second = TOKENS["GitHub"], TOKENS["GitHub"][::-1].replace("_phg", "") + "zz9Z"
    second = "ghp_" + second
    config = Config("ada", PASSWORD, 1)
    with warnings.catch_warnings(record=True) as warned, jitviz.record() as rec:
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.simplefilter("always", UserWarning)
        with jitviz.no_recompiles(action="warn"):
            step(X, first, config)
            predicted = jitviz.predict(step, X, second, config)
            step(X, second, config)
        with pytest.raises(ValueError, match="ghp_"):
            jax.jit(lambda x: refuse(first))(X)
    assert (len(warned), predicted.outcome) == (1, "compile")
    told = everything(rec, tmp_path) + f"{predicted}{[str(warning.message) for warning in warned]}"
    assert [(row.reasons[0].kind, row.reasons[0].path) for row in rec.compiles[:2]][1] == ("static_value", "token")
    assert [text for text in (first, second, PASSWORD) if text in told] == []
    assert "<redacted, 40 characters>" in told
    assert "ada" in told


PROGRAM = """
import dataclasses, functools
import equinox as eqx, jax, jax.numpy as jnp, jitviz

@dataclasses.dataclass(frozen=True)
class Held:
    parts: tuple

class Model(eqx.Module):
    w: jax.Array
    extra: dict
    label: str = eqx.field(static=True)

def source(x, default="{source}"):
    '''{docstring}'''
    return x + len("{constant}")  # {comment}

def scoped(x):
    with jax.named_scope("{scope}"):
        return jnp.sin(x)

def closure(token):
    return lambda x, kept=token: x * len(token + kept)

def named(x):
    return x

def run(x):
    named.__name__ = named.__qualname__ = "{name}"
    static = functools.partial(jax.jit, static_argnums=1)
    jax.jit(source)(x)
    jax.jit(scoped)(x)
    jax.jit(named)(x)
    jax.jit(lambda x: jax.debug.callback(functools.partial(print, end="{parameter}")) or x)
    jax.jit(closure("{closed over}"))(x)
    jax.jit(functools.partial(lambda x, t: x, t="{partial}"))(x)
    static(lambda x, held: x)(x, Held(("{field}", ("{inside}",))))
    static(lambda x, held: x)(x, Held(({{"{static key}": "{static value}"}}["{static key}"],)))
    for jit in (jax.jit, jitviz.filter_jit, eqx.filter_jit):
        jit(lambda tree: {{"{key out}": tree}})({{"{key}": {{"{other key}": x, "{last key}": [x]}}}})
    for jit in (jitviz.filter_jit, eqx.filter_jit):
        jit(lambda model: model.w)(Model(x, {{"{key of model}": "{value of model}"}}, "{metadata}"))
"""


def test_a_token_in_any_part_of_a_program_appears_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [*dict.fromkeys(re.findall(r"(?<!\{)\{([a-z ]+)\}", PROGRAM)), "environment", "label", "file"]
    tokens = {
        place: "ghp_"
        + "".join(f"{letter}{number % 7}" for number, letter in enumerate(f"{place:_<17}"))
        .replace("_", "Q")
        .replace(" ", "Z")
        for place in places
    }
    monkeypatch.setenv("TOKEN", tokens["environment"])
    file = tmp_path / f"{tokens['file']}.py"
    file.write_text(PROGRAM.format(**tokens))
    (tmp_path / "out").mkdir()
    with jitviz.record(tokens["label"]) as rec:
        runpy.run_path(str(file))["run"](X)
    told = everything(rec, tmp_path / "out")
    assert {place for place, token in tokens.items() if token in told} == set()
    assert str(VALUE) not in told
    assert rec.facts.failures == []
    paths = {leaf.path for row in rec.compiles for leaf in (*row.signature.leaves, *row.outputs)}
    assert len([path for path in paths if re.fullmatch(r"tree(\['<redacted \w{6}>'\]){2}(\[0\])?", path)]) == 2
    assert len([path for path in paths if path.startswith("out['<redacted")]) == 2


def test_a_recording_names_the_machine_but_not_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    user, own = redaction._names_of_user("/home/ada")
    monkeypatch.setattr(redaction, "_user", user)
    monkeypatch.setattr(redaction, "_own", own)
    monkeypatch.setattr("platform.node", lambda: "Adas-laptop.local")
    with jitviz.record("from /home/ada and /scratch/ada/run, of /data/adam/ada.npz") as rec:
        pass
    assert [process.host for process in rec.facts.processes.values()] == ["~s-laptop.local"]
    assert rec.facts.label == "from ~ and /scratch/~/run, of /data/adam/ada.npz"


@pytest.mark.parametrize("home", ["/", "~", "/root"])
def test_a_user_without_a_home_of_their_own_is_not_searched_for(home: str) -> None:
    user, own = redaction._names_of_user(home)
    assert user.strip("~") == ""
    assert own.sub("~", "/data/root/~/a") == "/data/root/~/a"


def refuse(token: str) -> None:
    raise ValueError(f"{token} was refused")


def test_the_home_of_the_user_appears_nowhere(tmp_path: Path) -> None:
    step.clear_cache()
    home = str(Path.home())
    with jitviz.record() as rec:
        for name in ("a.npz", "b.npz"):
            step(X, f"{home}/{name}", Config("ada", "p", 1))
        with pytest.raises(ValueError, match="was refused"):
            jax.jit(lambda x: refuse(f"{home}/c.npz"))(X)
    told = everything(rec, tmp_path)
    assert home not in told
    assert [name for name in ("~/a.npz", "~/b.npz", "~/c.npz") if name not in told] == []
    assert (rec.compiles[1].reasons[0].kind, rec.compiles[1].reasons[0].path) == ("static_value", "token")
    assert redaction.redacted(f"{home}2 /mnt{home}/x {home}") == f"{home}2 /mnt{home}/x ~"


@pytest.mark.usefixtures("restored")
def test_values_at_paths_that_the_user_names_appear_nowhere(tmp_path: Path) -> None:
    step.clear_cache()
    jitviz.configure(redact=["*.user", "config.seat"])
    with jitviz.record() as rec:
        step(X, "a", Config(USER, "p", SEATS[0]))
        step(X, "a", Config(USER, "p", SEATS[1]))
    assert (rec.compiles[1].reasons[0].kind, rec.compiles[1].reasons[0].path) == ("static_value", "config.seat")
    told = everything(rec, tmp_path)
    assert [text for text in (USER, *map(str, SEATS)) if text in told] == []


@pytest.mark.usefixtures("restored")
def test_a_pattern_hides_everything_below_it_and_nothing_beside_it() -> None:
    jitviz.configure(redact=["model.layers[0]", "*.user"])
    hidden = ["model.layers[0]", "model.layers[0].name", "model.layers[0][1]", "a.b.user", "a.user['x']"]
    shown = ["model.layers[1]", "model.layers", "model.layers[01]", "a.username"]
    assert [path for path in hidden + shown if redaction.is_hidden(path)] == hidden


def test_a_single_pattern_instead_of_a_list_is_refused() -> None:
    with pytest.raises(TypeError, match=r"redact takes several patterns: redact=\['a'\]"):
        jitviz.configure(redact="a")
