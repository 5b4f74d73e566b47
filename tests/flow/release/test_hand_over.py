"""The archive for others: the public files, the same bytes, or nothing."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from flow.making import written
from schleier.core.errors import DataError, WriteError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.hand_over import hand_over


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    Recipe.from_file(written(folder)).run(out=folder / "out")
    return folder / "out"


def test_only_the_public_files_are_packed(release: Path, tmp_path: Path) -> None:
    names = hand_over(release, tmp_path / "a.zip")
    assert names == ("data.parquet", "report.html", "report.json", "schema.toml")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert tuple(archive.namelist()) == names and archive.testzip() is None
        for name in names:
            assert archive.read(name) == (release / "public" / name).read_bytes()
            assert archive.getinfo(name).date_time == (1980, 1, 1, 0, 0, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


def test_the_same_release_gives_the_same_bytes(release: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(release, tmp_path / "copy")
    (copy / "public" / "report.json").touch()
    hand_over(release, tmp_path / "a.zip")
    hand_over(copy, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_what_somebody_put_beside_the_files_stays(release: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(release, tmp_path / "copy")
    (copy / "public" / "original.csv").write_text("name\n")
    assert "original.csv" not in hand_over(copy, tmp_path / "a.zip")


def test_anything_but_a_whole_release_is_refused(release: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(release, tmp_path / "copy")
    with (copy / "public" / "data.parquet").open("ab") as file:
        file.write(b" ")
    for folder in (copy, release / "public", tmp_path / "nowhere"):
        with pytest.raises(DataError):
            hand_over(folder, tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


def test_a_file_that_is_there_is_replaced_only_by_force(release: Path, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_text("mine")
    with pytest.raises(WriteError, match="already exists"):
        hand_over(release, tmp_path / "a.zip")
    assert (tmp_path / "a.zip").read_text() == "mine"
    hand_over(release, tmp_path / "a.zip", force=True)
    assert zipfile.is_zipfile(tmp_path / "a.zip")
    with pytest.raises(WriteError, match="inside the release"):
        hand_over(release, release / "public" / "a.zip")


def test_a_folder_is_no_archive(release: Path, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="this is a folder"):
        hand_over(release, tmp_path, force=True)


def test_a_manifest_that_points_outside_is_refused(release: Path, tmp_path: Path) -> None:
    shutil.copytree(release, tmp_path / "copy")
    manifest = tmp_path / "copy" / "release.json"
    table = json.loads(manifest.read_text(encoding="utf-8"))
    table["files"]["public/../restricted/audit.json"] = table["files"]["restricted/audit.json"]
    manifest.write_text(json.dumps(table), encoding="utf-8")
    with pytest.raises(DataError, match="outside the release"):
        hand_over(tmp_path / "copy", tmp_path / "x.zip")
