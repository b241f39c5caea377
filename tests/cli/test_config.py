from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from summc.errors import InputError, NotFoundError, SettingError
from summc.rouge import METRICS, PROTOCOLS
from summc.selectors import SELECTORS
from summc.settings import rules, settings_of
from summc.settings.config import Config, ScoreSettings
from tests.conftest import ROOT


def from_toml(tmp_path: Path, content: str) -> Config:
    path = tmp_path / "my.toml"
    path.write_text(content)
    return Config().with_file(str(path))


def test_the_default_file_equals_the_built_in_defaults() -> None:
    written = tomllib.loads((ROOT / "configs" / "default.toml").read_text())
    assert written == tomllib.loads(Config().to_toml())
    assert Config().with_file("default") == Config()


@pytest.mark.parametrize(
    ("name", "removed", "beta", "mu"), [("paper-fig3", True, 45, 0.04), ("paper-fig4", False, 80, 0.03)]
)
def test_the_paper_presets_have_the_settings_of_the_paper(
    name: str, removed: bool, beta: float, mu: float
) -> None:
    config = Config().with_file(name)
    assert config.preprocess.remove_stopwords is removed
    assert config.select.budget == 100
    assert config.selector.name == "bp"
    expected = {"beta": beta, "mu": mu, "iterations": 150, "damping": 0.5, "tolerance": 1e-6}
    assert settings_of(config.selector) == expected


def test_the_settings_of_scores_have_the_metrics_and_protocols_of_rouge() -> None:
    known = rules(ScoreSettings)
    assert tuple(known["metrics"][1].choices) == tuple(METRICS)
    assert tuple(known["rouge"][1].choices) == tuple(PROTOCOLS)


def test_a_printed_configuration_can_be_read_again(tmp_path: Path) -> None:
    given = {"language": 'a"b\\c', "background": ("x\ny", "z"), "mu": 1e-9, "budget": 7, "selector": "bp"}
    config = Config().with_settings(given)
    assert from_toml(tmp_path, config.to_toml()) == config


def test_flags_override_the_file_and_the_file_overrides_defaults(tmp_path: Path) -> None:
    config = from_toml(
        tmp_path, '[select]\nbudget = 7\nselector = "bp"\n[selectors.bp]\nbeta = 3\n'
    ).with_settings({"beta": 4})
    assert config.select.budget == 7
    assert settings_of(config.selector)["beta"] == 4
    assert config.preprocess == Config().preprocess


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[select]\nbugdet = 3", 'my.toml: select.bugdet: unknown key; perhaps "budget"?'),
        ("[selectors.bp]\nbeat = 3", 'my.toml: selectors.bp.beat: unknown key; perhaps "beta"?'),
        ("[selektors.bp]\nbeta = 3", "my.toml: [selektors]: unknown table"),
        ("[selectors.bq]\nbeta = 3", 'my.toml: [selectors.bq]: unknown table; perhaps "selectors.bp"?'),
        ("[prepocess]\nstemmer = 'none'", 'my.toml: [prepocess]: unknown table; perhaps "preprocess"?'),
        ("select = 3", "my.toml: select: must be a table; write [select] above its keys"),
        ("[select]\nbudget = 0", "my.toml: select.budget: must be a number at least 1, got 0"),
        ("[select]\nbudget = nan", "my.toml: select.budget: must be a number at least 1, got nan"),
        ("[select]\nbudget = 'x'", 'my.toml: select.budget: must be a number at least 1, got "x"'),
        (
            "[select]\nselector = 'gredy'",
            f'must be one of {", ".join(SELECTORS)}, got "gredy"; perhaps "greedy"?',
        ),
        (
            "[selectors.bp]\nbeta = -3",
            "my.toml: selectors.bp.beta: must be a number above 0, or auto, got -3",
        ),
        ("[selectors.bp]\ndamping = 1", "must be a number at least 0 and below 1, or auto, got 1"),
        ("[selectors.bp]\niterations = 1.5", "must be a whole number at least 1, got 1.5"),
        ("[selectors.bp]\niterations = true", "must be a whole number at least 1, got true"),
        ("[preprocess]\nremove_stopwords = 1", "must be true or false, got 1"),
        ("[weigh]\nbackground = [3]", "must be a text or a list of texts"),
    ],
)
def test_an_error_names_the_wrong_key_or_value(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(SettingError) as error:
        from_toml(tmp_path, content)
    assert message in str(error.value)


def test_a_missing_file_or_one_that_is_not_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        NotFoundError,
        match="no such configuration; give a TOML file or one of default, highest, paper",
    ):
        Config().with_file("paper-fig9")
    with pytest.raises(InputError, match=r"not TOML \(.*line 1"):
        from_toml(tmp_path, "budget: 3")


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(SettingError, match="`config`: is empty; name a file"):
        Config().with_file("")


def test_a_setting_of_another_selector_is_refused() -> None:
    with pytest.raises(SettingError, match="`beta`: not a setting of greedy"):
        Config().with_settings({"selector": "greedy", "beta": 3})
    with pytest.raises(SettingError, match='`betta`: unknown setting; perhaps "beta"'):
        Config().with_settings({"betta": 3})
