"""Keys, tokens, passwords and values that the user names appear in nothing that is shown or saved."""

import base64
import functools
import gzip
import hashlib
import json
import re
import runpy
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz.commands import pytest_report
from jitviz.display.kept_answers import keep, write
from jitviz.model import Leaf, OpByOp
from jitviz.recording import Recording, events, redaction
from jitviz.views import PANEL, shape_panel

VALUE = 7913.625
X = np.full(3, VALUE, np.float32)
# of random characters, put together here so that no scanner takes this file for a leak
BODY = "kJ8vQ2mZx4Lw" + "R7tYb1NcD5sGh3Fq"
TOKENS = {
    "GitHub": "ghp_" + BODY + "9Xp6KaVe",
    "OpenAI": "sk-" + "proj-" + BODY + "Wz0uTi4Mo8Sd",
    "Hugging Face": "hf_" + BODY + "2EyBn7",
    "base64": "c2VjcmV0Cg9LbW5vcHFyMTIzNDU2Nzg5",
    "secret of AWS": "wJ4lrXUtn3FEMI/" + "K7MD9ENG/bPxRf2CYq5zT8uVw",
}
HEX = "0a9f86d0" * 9
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
    # hashes
    *(
        "d41d8cd98f00b204e9800998ecf8427e",
        "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
        "sha256:" + HEX[:64],
        "step@4b1d" + HEX[:36],
    ),
    # models, runs and layers
    *("pk-model-v2-large-256-dim", "UNet2DConditionModel64x64x4", "M1N2K3M4N5K6M7N8K9BLOCK", "x1y2z3a4b5c6d7e8f9g0h1"),
    *(
        "sk-learn-random-forest-100-trees",
        "rk_45_dormand_prince_adaptive",
        "sk_test_split_fraction_0_2",
        "wandb_v1_sweep_of_lr_1e3",
    ),
    *(
        "pplx-70b-online-chat-v2",
        "xai-grok-1-base-314b-instruct",
        "tfp_distribution_normal_student_t",
        "GPT2LMHead117M345M774M1558M",
    ),
    *("vit_base_patch16_224.augreg2_in21k_ft_in1k", "run-20231005_143000-3k2j1h4g", "BLOCK128x128x32_WARP4x2_STAGE4"),
    *(
        "YmxvY2sxL2F0dG4vcXVlcnk=",
        "conv1bn1relu1conv2bn2relu2conv3bn3",
        "pypi-package-index-mirror-2",
        "glrt-statistic-of-order-two",
    ),
    # programs
    *(
        "f32[8,128]{1,0:T(8,128)}",
        "jit(step)/jit(main)/transpose(jvp(Net))/layers_0/attn/dot_general",
        "%loop_multiply_fusion.3",
    ),
    # code and sentences that name secrets
    *(
        "step(x, password=password)",
        "def login(password: str) -> None:",
        "password: str | None = None",
        "import secrets",
    ),
    *(
        "private_key, public_key = jax.random.split(key)",
        "KeyError: 'password'",
        "the secret to good training",
        "Basic block1234",
    ),
    *(
        "pad_token='<pad>'",
        "valid_tokens: 4096",
        "author: Ada",
        "secretary='x'",
        "bearer of news",
        "https://example.com:8080/a@b",
    ),
]


@pytest.fixture
def restored() -> Iterator[None]:
    yield
    jitviz.configure()


@pytest.mark.parametrize("kind", TOKENS)
def test_what_looks_like_a_key_is_hidden(kind: str) -> None:
    token = TOKENS[kind]
    secret = token[-32:]
    for text in (
        token,
        f"before {token} after",
        repr({"api": token}),
        f"f('{token}')",
        f"https://me:{token}@host/path",
    ):
        assert secret not in redaction.redacted(text)
        assert "<redacted" in redaction.redacted(text)
        assert secret not in redaction.redacted_path(f"tree['{text}']")
    assert secret not in redaction.redacted_program(f'metadata={{op_name="jit(f)/{token}/add"}}')


@pytest.mark.parametrize("name", NAMES)
def test_names_paths_and_dates_are_not_hidden(name: str) -> None:
    assert redaction.redacted(name) == name


@pytest.mark.parametrize(
    "text",
    [
        *(
            "password='*'",
            'Config(password="*", user="ada")',
            '{"api_key": "*", "user": "ada"}',
            "{'passwords': ['*', '*']}",
        ),
        *('("password", "*")', "invalid password '*'", 'os.environ["API_KEY"] = "*"', 'api_key: str = "*"'),
        *("setattr(cfg, 'password', '*')", 'password = ("*" "*")', "client_secret = b'*'", "userPassword = '''*'''"),
        *("step(x, token='*')", '{"token": "*"}'),
    ],
)
@pytest.mark.parametrize("length", [1, 3, 4, 5, 9])
def test_a_value_beside_the_name_of_a_secret_is_hidden(text: str, length: int) -> None:
    secret = "swordfish"[:length]
    for is_code in (False, True):
        shown = redaction.redacted(text.replace("*", secret), is_code=is_code)
        assert shown == text.replace("*", f"<redacted, {length} characters>")
        assert redaction.redacted(shown, is_code=is_code) == shown


@pytest.mark.parametrize(
    "text",
    [
        "password=*",
        "host=db password=* user=ada",
        "secret: *",
        "--password *",
        "wrong password for ada: *",
        "?api_key=*",
        "token=*",
    ],
)
@pytest.mark.parametrize("length", [3, 4, 5, 9])
def test_a_word_beside_the_name_of_a_secret_is_hidden_in_a_message(text: str, length: int) -> None:
    told = redaction.redacted(text.replace("*", "swordfish"[:length]))
    assert told == text.replace("*", f"<redacted, {length} characters>")


def test_numbers_of_four_digits_in_a_list_beside_the_name_of_a_secret_are_hidden() -> None:
    shown = redaction.redacted("passcodes = [1234, 56789, 12]", is_code=True)
    assert shown == "passcodes = [<redacted, 4 characters>, <redacted, 5 characters>, 12]"


def test_the_credentials_in_an_address_are_hidden() -> None:
    assert redaction.redacted("postgres://me:hunter2@host/db") == "postgres://<redacted, 10 characters>@host/db"


@pytest.mark.parametrize("length", range(4, 12))
def test_short_passwords_are_hidden_wherever_the_program_says_them_again(length: int) -> None:
    password = "h4unter2of9"[:length]
    redaction.learn(password)
    hidden = f"<redacted, {length} characters>"
    event = events.CellStarted(0.0, label="", text=f"login({password!r}); {password}2; {password}.x")
    name = password if length < 6 else hidden  # what is as short may be a name
    assert redaction.cleaned(event).text == f"login('{hidden}'); {password}2; {name}.x"


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
    texts += [str(jitviz.compare(Recording(), rec))]
    item: Any = SimpleNamespace(nodeid="a", get_closest_marker=lambda _: None)
    texts.append(repr(pytest_report._summarize(item, rec)))
    texts += [text or "" for row in rec.compiles for text in (row.jaxpr, row.stablehlo, row.hlo)]
    return "\n".join(texts)


def test_a_token_that_changes_is_the_reason_and_appears_nowhere(tmp_path: Path) -> None:
    step.clear_cache()
    first, second = TOKENS["GitHub"], "ghp_" + TOKENS["GitHub"][:3:-1]
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
    assert "<redacted>" in told
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
    random = {place: base64.b64encode(hashlib.sha256(place.encode()).digest()).decode() for place in places}
    tokens = {place: "ghp_" + re.sub("[+/=]", "", text) for place, text in random.items()}
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
    assert len([path for path in paths if re.fullmatch(r"tree(\['ghp_<redacted \w{6}>'\]){2}(\[0\])?", path)]) == 2
    assert len([path for path in paths if path.startswith("out['ghp_<redacted")]) == 2


NAMED = """
import dataclasses, functools, typing
import equinox as eqx, jax

@dataclasses.dataclass(frozen=True)
class Config:
    password: typing.Any

class Held(typing.NamedTuple):
    api_key: str

class Model(eqx.Module):
    w: jax.Array
    secret: str = eqx.field(static=True)

def closure(password):
    return lambda x: x * len(password)

def function(password, *held, default=0):
    def inside(x, api_key=password, *, secret=held):
        return x
    return inside

def refuse(password):
    raise ValueError("hunter of " + password)

def run(x, values):
    given = iter(values)
    step = jax.jit(lambda x, static: x, static_argnums=1)
    jax.jit(closure(next(given)))(x)
    jax.jit(function(next(given), (next(given), [next(given)])))(x)
    jax.jit(functools.partial(lambda x, password: x, password=next(given)))(x)
    jax.jit(functools.partial(lambda password, x: x, next(given)))(x)
    step(x, Config(next(given)))
    step(x, Config((next(given), (next(given), 1))))
    step(x, Held(next(given)))
    step(x, Config(next(given).encode()))
    step(x, (("password", next(given)), ("api_key", (next(given),))))
    step(x, Config(Held(next(given))))
    eqx.filter_jit(lambda tree: x)({"passwords": [next(given)], "auth": {"kept": {"deep": next(given)}}, "x": x})
    eqx.filter_jit(lambda tree: x)((("password", next(given)), ["--lr", "2", "--api-key", next(given)], x))
    step(x, ("--lr", "2", "--password", next(given)))
    eqx.filter_jit(lambda model: model.w)(Model(x, next(given)))
    jax.jit(lambda x, password: x, static_argnames="password")(x, password=next(given))
    jax.jit(lambda x, password: x, static_argnums=1)(x, next(given))
    jax.jit(lambda x, token: x, static_argnames="token")(x, token=next(given))
    step(x, Config(12345678 + int(next(given)[-2:])))
    secret = next(given)
    step(x, Config(secret))
    try:
        jax.jit(lambda x, t: refuse(t.password), static_argnums=1)(x, Config(secret))
    except ValueError:
        pass
    jax.jit(lambda x, password: x, static_argnums=1)(x, "written on the line")
    jax.jit(lambda x, config: x, static_argnums=1)(x, Config(password="written with a name"))
    scoped = jax.jit(lambda x, t: jax.named_scope(t.password)(lambda: x + 1)(), static_argnums=1)
    scoped(x, Config("written in a scope"))
"""


def test_a_value_under_the_name_of_a_secret_appears_nowhere(tmp_path: Path) -> None:
    values = [f"swordfish and chips {number}" for number in range(20, 46)]
    file = tmp_path / "named.py"
    file.write_text(NAMED)
    (tmp_path / "out").mkdir()
    with jitviz.record() as rec:
        runpy.run_path(str(file))["run"](X, values)
    told = everything(rec, tmp_path / "out")
    written = ["written on the line", "written with a name", "written in a scope"]
    assert [value for value in [*values, *written, *(str(12345678 + n) for n in range(20, 46))] if value in told] == []
    assert rec.facts.failures == []
    assert any("hunter of <redacted" in (call.error or "") for call in rec.calls)


def test_the_number_of_a_token_of_a_language_is_no_secret() -> None:
    with jitviz.record() as rec:
        jax.jit(lambda x, token: x, static_argnames="token")(X, token=50_256)
    assert [leaf.repr for leaf in rec.compiles[0].signature.static] == ["50256"]


def test_a_secret_that_is_a_word_is_hidden_as_a_literal_alone() -> None:
    redaction.learn("swordfishing")
    event = events.CellStarted(0.0, label="", text="login('swordfishing'); swordfishing(x)")
    assert redaction.cleaned(event).text == "login('<redacted, 12 characters>'); swordfishing(x)"
    sources = json.dumps({"text": 'login("swordfishing")'})  # as the source of a program is kept
    assert redaction.redacted_program(sources) == sources.replace("swordfishing", "<redacted, 12 characters>")


def test_every_text_of_an_event_passes_the_door() -> None:
    token = TOKENS["OpenAI"]
    leaf, op = (
        Leaf(token, "traced", token, sharding=f"mesh({token}=4)"),
        OpByOp(name=token, program=token, stack=(token,)),
    )
    rec = Recording()
    rec.append(events.ProgramSeen(0.0, 0, outputs=(leaf,), reused=(token,)))
    rec.append(events.OpCompiled(0.0, op))
    rec.append(events.CallStarted(0.0, 0, 0, thread=token, source=token))
    assert token not in repr(rec.events)
    assert repr(rec.events).count("<redacted") == 9


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


def test_a_home_is_found_as_mlir_writes_it() -> None:
    _, own = redaction._names_of_user("/home/a\\d\u00e9")
    assert own.sub("~", r'loc("/home/a\5Cd\C3\A9/train.py":3:0)') == 'loc("~/train.py":3:0)'


def refuse(token: str) -> None:
    raise ValueError(f"{token} was refused")


def test_the_home_of_the_user_appears_nowhere(tmp_path: Path) -> None:
    home = str(Path.home())
    opened = jax.jit(lambda x, file, config: x, static_argnums=(1, 2))
    with jitviz.record() as rec:
        for name in ("a.npz", "b.npz"):
            opened(X, f"{home}/{name}", Config("ada", "p", 1))
        with pytest.raises(ValueError, match="was refused"):
            jax.jit(lambda x: refuse(f"{home}/c.npz"))(X)
    told = everything(rec, tmp_path)
    assert home not in told
    assert [name for name in ("~/a.npz", "~/b.npz", "~/c.npz") if name not in told] == []
    assert (rec.compiles[1].reasons[0].kind, rec.compiles[1].reasons[0].path) == ("static_value", "file")
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
