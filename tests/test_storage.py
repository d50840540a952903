from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from permutopic import ContentModel, Corpus, InputError, Tokens, Units
from permutopic.corpus import documents_from_paragraphs
from permutopic.storage import SCHEMA, check_model_target, read_description


@pytest.fixture(scope="module")
def model():
    return ContentModel(3, n_sweeps=4, random_state=5).fit([["a b", "c", "d"], ["a", "c d"]])


def test_a_saved_model_comes_back_whole(model, tmp_path):
    model.save(tmp_path / "m")
    again = ContentModel.load(tmp_path / "m")
    for name, value in vars(model).items():
        loaded = getattr(again, name)
        if name == "state_":
            assert all(
                np.array_equal(vars(value)[part], vars(loaded)[part]) for part in vars(value)
            )
        elif name == "chains_":
            for mine, theirs in zip(value, loaded, strict=True):
                assert mine.arrays().keys() == theirs.arrays().keys()
                for part, array in mine.arrays().items():
                    assert np.array_equal(array, theirs.arrays()[part]), part
        elif name == "_topics":
            assert value.as_dict() == loaded.as_dict()
        elif name == "topics_":
            assert all(np.array_equal(a, b) for a, b in zip(value, loaded, strict=True))
        elif name == "positions_":
            for part, array in value.arrays().items():
                assert np.array_equal(array, loaded.arrays()[part]), part
        elif isinstance(value, np.ndarray):
            assert np.array_equal(value, loaded), name
        else:
            assert value == loaded, name
    assert again.outline() == model.outline()


@pytest.mark.parametrize("variant", ["constrained", "uniform"])
def test_variants_come_back(variant, tmp_path):
    model = ContentModel(2, variant=variant, n_sweeps=2, random_state=0).fit([["a", "b"], ["b"]])
    model.save(tmp_path / "m")
    again = ContentModel.load(tmp_path / "m")
    assert again.dispersion_.tolist() == model.dispersion_.tolist()
    assert again.priors_ == model.priors_


def test_a_random_seed_is_saved_so_that_the_fit_can_be_repeated(tmp_path):
    model = ContentModel(2, n_sweeps=2).fit([["a", "b"], ["b"]])
    model.save(tmp_path / "m")
    assert ContentModel.load(tmp_path / "m").random_state == model.seed_


def test_the_folder_holds_json_and_safetensors_and_says_what_made_it(model, tmp_path):
    model.save(tmp_path / "deep" / "m")
    assert sorted(p.name for p in (tmp_path / "deep" / "m").iterdir()) == [
        "model.json",
        "model.safetensors",
    ]
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["m"]
    description = json.loads((tmp_path / "deep" / "m" / "model.json").read_text())
    assert description["schema"] == SCHEMA
    assert description["permutopic"]
    assert description["settings"]["random_state"] == 5
    assert description["corpus"]["fingerprint"] == model.corpus_fingerprint_


def test_a_model_replaces_a_model_but_nothing_else(model, tmp_path):
    model.save(tmp_path / "m")
    model.save(tmp_path / "m")
    (tmp_path / "empty").mkdir()
    model.save(tmp_path / "empty")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty", "m"]
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("cat")
    (tmp_path / "file").write_text("text")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "model.json").write_text('{"format": "layers-model"}')
    for name, text in (("other", '{"schema": 5}'), ("list", "[]"), ("torn", "{")):
        model.save(tmp_path / name)
        (tmp_path / name / "model.json").write_text(text)
    model.save(tmp_path / "kept")
    (tmp_path / "kept" / "notes.txt").write_text("mine")
    for taken in ("photos", "file", "app", "other", "list", "torn", "kept"):
        with pytest.raises(InputError, match=r"exists and is not a model|beside the model"):
            model.save(tmp_path / taken)
    assert (tmp_path / "photos" / "cat.jpg").read_text() == "cat"
    assert (tmp_path / "kept" / "notes.txt").read_text() == "mine"


def test_a_trailing_slash_and_a_link_are_places_too(model, tmp_path):
    model.save(f"{tmp_path}/slash/")
    (tmp_path / "link").symlink_to(tmp_path / "slash")
    model.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "slash"]
    for name in ("link", "slash"):
        assert ContentModel.load(tmp_path / name).outline() == model.outline()


def test_the_present_folder_is_refused(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is the present folder"):
        model.save(".")


def test_a_place_below_a_file_is_refused(model, tmp_path):
    (tmp_path / "file").write_text("text")
    with pytest.raises(InputError, match="cannot be written"):
        model.save(tmp_path / "file" / "m")


def test_a_failed_save_leaves_the_old_model_and_no_litter(model, tmp_path, monkeypatch):
    model.save(tmp_path / "m")
    before = (tmp_path / "m" / "model.json").read_text()

    def full_disk(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("permutopic.storage.save", full_disk)
    with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)"):
        model.save(tmp_path / "m")
    assert (tmp_path / "m" / "model.json").read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def damage_array(folder, name, value):
    arrays = load_file(folder / "model.safetensors")
    arrays[name].flat[0] = value
    save_file(arrays, folder / "model.safetensors")


def drop_array(folder, name):
    arrays = load_file(folder / "model.safetensors")
    del arrays[name]
    save_file(arrays, folder / "model.safetensors")


def cut_array(folder, name):
    arrays = load_file(folder / "model.safetensors")
    arrays[name] = arrays[name][1:].copy()
    save_file(arrays, folder / "model.safetensors")


def name(text, source):
    return {"of": [0], "text": text, "source": source}


def damage_topics(folder, **change):
    path = folder / "model.json"
    topics = json.loads(path.read_text())["topics"]
    damage_json(folder, topics={**topics, **change})


def damage_json(folder, **change):
    path = folder / "model.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (shutil.rmtree, "is not a model folder: it has no model.json"),
        (lambda f: (f / "model.safetensors").unlink(), "cannot be read"),
        (lambda f: (f / "model.json").write_text("{"), "model.json: not readable as JSON"),
        (lambda f: (f / "model.json").write_bytes(b"\xff"), "model.json: not readable as JSON"),
        (lambda f: (f / "model.safetensors").write_bytes(b"x"), "not readable as safetensors"),
        (lambda f: damage_json(f, schema=99), "schema is 99, and this version .* schemas 5 to 6"),
        (lambda f: (f / "model.json").write_text("[]"), "its schema is None"),
        (lambda f: damage_json(f, schema=True), "its schema is True"),
        (lambda f: (f / "model.json").write_text("[" * 100_000), "not readable as JSON"),
        (lambda f: damage_json(f, vocabulary=["a"]), r"not whole \(word_counts is int32"),
        (lambda f: damage_json(f, vocabulary="abcd"), "vocabulary is not a list of strings"),
        (
            lambda f: damage_array(f, "chain0.bag", -1),
            "bag has a value that is no number from 0 up",
        ),
        (
            lambda f: damage_array(f, "chain0.dispersion", np.nan),
            "dispersion has a value that is no",
        ),
        (
            lambda f: damage_array(f, "chain0.topic_words", 99),
            "word_counts and topic_tokens disagree",
        ),
        (
            lambda f: damage_array(f, "chain0.inversions", 9),
            "not whole .inversion counts are whole",
        ),
        (lambda f: damage_json(f, priors={"topic": -1}), "not whole"),
        (lambda f: damage_json(f, titles=None), "not whole"),
        (lambda f: drop_array(f, "evidence.word_segments"), "not whole"),
        (lambda f: damage_array(f, "evidence.word_segments", -1), "a count below 0"),
        (lambda f: damage_topics(f, homes=[0, 2, 2]), "homes are not numbered in canonical"),
        (
            lambda f: damage_topics(f, homes=[10**15, 0, 1]),
            "homes are not numbered in canonical",
        ),
        (lambda f: damage_topics(f, homes=[1, 0, 2]), "homes are not numbered in canonical"),
        (lambda f: damage_topics(f, homes=[0, 0, 1]), "a topic has no name"),
        (lambda f: damage_topics(f, homes=[0, 1]), "homes is not one number for each topic"),
        (lambda f: damage_topics(f, homes="abc"), "homes is not one number for each topic"),
        (lambda f: damage_topics(f, homes=[-1, 0, 1]), "homes are not numbered in canonical"),
        (lambda f: damage_topics(f, headings=["A"]), "heading_counts and headings disagree"),
        (lambda f: damage_topics(f, headings="A"), "headings is not a list of strings"),
        (lambda f: damage_topics(f, automatic=[]), "a topic has no name"),
        (lambda f: damage_topics(f, automatic=[name("a", "?")]), "is no name of a topic"),
        (lambda f: damage_topics(f, automatic=[name(1, "words")]), "is no name of a topic"),
        (lambda f: damage_topics(f, automatic=[name("", "words")]), "is no name of a topic"),
        (lambda f: damage_topics(f, given=[{"of": [0], "text": "12"}]), "and is no number"),
        (lambda f: damage_topics(f, given=[{"of": [0], "text": ""}]), "a topic's name has"),
        (lambda f: damage_json(f, convergence={"verdict": "fine"}), "not whole"),
        (lambda f: drop_array(f, "chain0.log_joints"), "not whole"),
        (lambda f: drop_array(f, "chain0.bag"), "not whole"),
        (
            lambda f: cut_array(f, "chain0.temperatures"),
            "chain 0: inverse_temperatures is float64",
        ),
        (lambda f: cut_array(f, "chain0.log_joints"), "chain 0: inverse_temperatures is float64"),
        (lambda f: damage_json(f, settings={"topics": 3}), "not whole"),
    ],
)
def test_a_damaged_folder_is_refused_in_one_line(model, tmp_path, damage, message):
    folder = tmp_path / "m"
    model.save(folder)
    damage(folder)
    with pytest.raises(InputError, match=message) as caught:
        ContentModel.load(folder)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


def test_numpy_settings_are_saved_as_plain_ones(tmp_path):
    model = ContentModel(np.int64(2), n_sweeps=np.int32(2), topic_prior=np.float32(0.5))
    model.fit([["a", "b"], ["b"]]).save(tmp_path / "m")
    assert ContentModel.load(tmp_path / "m").n_topics == 2


def test_settings_changed_after_the_fit_are_not_saved(tmp_path):
    model = ContentModel(2, n_sweeps=2, random_state=0).fit([["a", "b"], ["b"]])
    model.set_params(n_topics=5, variant="uniform").save(tmp_path / "m")
    again = ContentModel.load(tmp_path / "m")
    assert (again.n_topics, again.variant) == (2, "full")


def test_the_tokens_of_the_corpus_are_saved(tmp_path):
    corpus = Corpus.from_paragraphs([["a", "b"], ["b"]], tokens="ascii")
    ContentModel(2, n_sweeps=1).fit(corpus).save(tmp_path / "m")
    assert ContentModel.load(tmp_path / "m").tokens_ == Tokens("ascii")


@pytest.mark.parametrize("name", ["x" * 300, "file/m", "file/deep/m"])
def test_impossible_places_are_refused_before_a_fit(model, tmp_path, name):
    (tmp_path / "file").write_text("text")
    with pytest.raises(InputError, match="cannot be written"):
        check_model_target(tmp_path / name)
    with pytest.raises(InputError, match=r"cannot be read|is not a model folder"):
        ContentModel.load(tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_an_interrupt_while_replacing_brings_the_old_model_back(model, tmp_path, monkeypatch):
    model.save(tmp_path / "m")
    rename, seen = Path.rename, []

    def interrupted(self, target):
        arriving = not Path(target).name.startswith(".")
        if arriving and not seen:
            seen.append(target)
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.save(tmp_path / "m")
    assert [p.name for p in tmp_path.iterdir()] == ["m"]
    assert ContentModel.load(tmp_path / "m").outline() == model.outline()


@pytest.mark.parametrize("keep", ["best", "all"])
def test_several_chains_come_back(keep, tmp_path):
    model = ContentModel(2, n_chains=3, keep=keep, n_sweeps=9, random_state=0)
    model.fit([["a b", "c"], ["b", "c c"]]).save(tmp_path / "m")
    again = ContentModel.load(tmp_path / "m")
    assert again.convergence_ == model.convergence_
    kept = [chain.state is not None for chain in again.chains_]
    assert kept.count(True) == (3 if keep == "all" else 1)
    assert np.array_equal(again.topic_probabilities(), model.topic_probabilities())


NEW = [["Sea! The salt-sea. And 4 hills", "Snow."], ["Hills; gold snow"]]


@pytest.mark.parametrize(
    ("tokens", "units"),
    [
        ("whitespace", "line"),
        (Tokens(language="en", stem=True, stop=("the", "and"), fold_numbers=True), "sentence"),
        (Tokens(min_df=2, max_df=1.0), Units("window", window=3, step=2)),
        (Tokens(max_df=1), Units(min_words=2)),
    ],
)
def test_a_loaded_model_treats_new_documents_as_before(tokens, units, tmp_path):
    documents = documents_from_paragraphs(
        [["Sea. The salt sea!\nSea, sea.", "Hills and hills"], ["salt Sea. Hills 3", "Snow Hills;"]]
    )
    corpus = Corpus.from_documents(documents, tokens, units=units)
    model = ContentModel(2, n_sweeps=2, random_state=0).fit(corpus)
    model.save(tmp_path / "m")
    again = ContentModel.load(tmp_path / "m")
    assert (repr(again.tokens_), again.units_) == (repr(model.tokens_), model.units_)
    assert repr(again.tokens_) == repr(Tokens.of(tokens))
    new = documents_from_paragraphs(NEW)
    mine, theirs = model.encode(new), again.encode(new)
    assert theirs.fingerprint == mine.fingerprint
    assert theirs.vocabulary == corpus.vocabulary


def halves(text):
    return text.lower().split("e")


def test_a_function_for_tokens_is_given_again_when_loading(tmp_path):
    model = ContentModel(2, n_sweeps=1, tokens=halves, random_state=0)
    model.fit([["aeb", "b"], ["b"]]).save(tmp_path / "m")
    again = ContentModel.load(tmp_path / "m", tokens=halves)
    assert again.tokens is halves
    assert (
        again.encode([["BEA"]]).words.tolist() == model.encode([["BEA"]]).words.tolist() == [1, 0]
    )
    without = ContentModel.load(tmp_path / "m")
    assert without.outline() == model.outline()
    with pytest.raises(InputError, match=r"split by test_storage:halves: give that function again"):
        without.encode([["a"]])


def test_a_model_without_its_function_can_be_saved_on(tmp_path):
    model = ContentModel(2, n_sweeps=1, tokens=halves, random_state=0).fit([["aeb", "b"], ["b"]])
    model.save(tmp_path / "m")
    ContentModel.load(tmp_path / "m").save(tmp_path / "n")
    again = ContentModel.load(tmp_path / "n", tokens=halves)
    assert again.encode([["b"]]).words.tolist() == [1]


@pytest.mark.parametrize("wrong", [5, "whitespace", Tokens("words")])
def test_only_a_function_stands_in_for_a_function(wrong, tmp_path):
    ContentModel(2, n_sweeps=1, tokens=str.split).fit([["a", "b"], ["b"]]).save(tmp_path / "m")
    with pytest.raises(InputError, match="tokens is the function that split the model's text"):
        ContentModel.load(tmp_path / "m", tokens=wrong)


def test_a_function_is_refused_where_none_is_missing(model, tmp_path):
    model.save(tmp_path / "m")
    with pytest.raises(InputError, match="its tokens are 'words', so it takes no function"):
        ContentModel.load(tmp_path / "m", tokens=str.split)


def test_a_replaced_model_lets_in_only_those_who_were_let_in_before(model, tmp_path):
    model.save(tmp_path / "m")
    (tmp_path / "m").chmod(0o700)
    (tmp_path / "m" / "model.json").chmod(0o600)
    model.save(tmp_path / "m")
    assert (tmp_path / "m").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "m" / "model.json").stat().st_mode & 0o777 == 0o600


def test_a_file_beside_the_model_is_named_and_kept(model, tmp_path):
    model.save(tmp_path / "m")
    (tmp_path / "m" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"holds 'notes.txt' beside the model"):
        model.save(tmp_path / "m")
    assert (tmp_path / "m" / "notes.txt").read_text() == "mine"


def test_a_model_is_not_written_into_a_model_nor_nowhere(model, tmp_path):
    model.save(tmp_path / "m")
    with pytest.raises(InputError, match="lies within the model"):
        model.save(tmp_path / "m" / "deep" / "n")
    with pytest.raises(InputError, match="no name was given"):
        model.save("")


def test_looking_into_a_folder_tells_its_description_or_nothing(model, tmp_path):
    assert read_description(tmp_path) == {}
    model.save(tmp_path / "m")
    assert read_description(tmp_path / "m")["schema"] == SCHEMA
    (tmp_path / "m" / "model.json").write_text("[]")
    assert read_description(tmp_path / "m") == {}
