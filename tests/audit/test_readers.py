"""Scores in files: every layout, and what is refused."""

from __future__ import annotations

import io
import os
import re
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman.audit import readers
from neyman.audit.readers import read_scores
from neyman.sweeps.extras import MissingPackage

RNG = np.random.default_rng(2)
ARROW: Any = import_module("pyarrow")
PARQUET: Any = import_module("pyarrow.parquet")
IN = RNG.normal(1.0, 1.0, 300)
OUT = RNG.normal(0.0, 1.0, 400)
SCORES = np.concatenate([IN, OUT])
MEMBER = np.repeat([1, 0], [300, 400])
MU = ny.audit.from_scores(IN, OUT).mu


def rows(member: Any = MEMBER, form: str = "score,member") -> str:
    order = form.split(",")
    cells = {"score": map(repr, SCORES.tolist()), "member": map(str, member), "id": ["x y"] * 700, "Score ": SCORES}
    columns = [list(cells[name]) for name in order]
    return "\n".join([form, *(",".join(map(str, row)) for row in zip(*columns, strict=True))]) + "\n"


def columns(header: str = "scores_in,scores_out") -> str:
    wide = [f"{a!r},{b!r}" for a, b in zip(IN.tolist(), OUT[:300].tolist(), strict=True)]
    return "\n".join([header, *wide, *(f",{b!r}" for b in OUT[300:].tolist())])


@pytest.mark.parametrize(
    "text",
    [
        rows(),
        rows(form="member,score"),
        rows(form="id,member,score"),
        rows(MEMBER.astype(bool)),
        rows(MEMBER.astype(float)),
        rows(form="Score ,member"),
        "\ufeff" + rows().replace("\n", "\r\n"),
        '"score","member"\n' + rows().partition("\n")[2],
        '"score","member"\n' + re.sub(r"([^,\n]+)", r'"\1"', rows().partition("\n")[2]),
        'score,"a, note",member\n' + rows().partition("\n")[2].replace(",", ',"x,1,y",'),
        rows(MEMBER.astype(float)).replace("1.0", "TRUE", 1),
        rows().replace("\n", "\n\n", 9) + "\n",
        columns(),
    ],
)
def test_csv(tmp_path: Path, text: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(text.encode())
    found = ny.audit.from_file(path)
    assert (found.n_in, found.n_out, found.mu) == (300, 400, MU)


def test_arguments_go_through(tmp_path: Path) -> None:
    np.savez(tmp_path / "scores.npz", scores_in=IN, scores_out=OUT)
    path = str(tmp_path / "scores.npz")
    assert ny.audit.from_file(path).mu == MU
    assert ny.audit.from_file(path, 0.5).mu == ny.audit.from_scores(IN, OUT, 0.5).mu
    assert ny.audit.from_file(path, threshold=0.5).mu == ny.audit.from_scores(IN, OUT, threshold=0.5).mu
    split = ny.audit.from_file(path, method="split", pilot=0.4, seed=3)
    assert split.mu == ny.audit.from_scores(IN, OUT, method="split", pilot=0.4, seed=3).mu


@pytest.mark.parametrize("kind", [int, bool, float])
def test_parquet(tmp_path: Path, kind: Any) -> None:

    long = ARROW.table({"member": MEMBER.astype(kind), "score": SCORES, "id": ["x"] * 700})
    PARQUET.write_table(long, tmp_path / "long.parquet")
    assert ny.audit.from_file(tmp_path / "long.parquet").mu == MU
    wide = ARROW.table({"scores_in": IN.tolist() + [None] * 100, "scores_out": OUT.tolist()})
    PARQUET.write_table(wide, tmp_path / "wide.parquet")
    assert ny.audit.from_file(tmp_path / "wide.parquet").mu == MU


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "scores.parquet").write_bytes(b"PAR1")
    with pytest.raises(MissingPackage, match=r"^Parquet files need pyarrow: pip install 'neyman\[audit\]'\n"):
        ny.audit.from_file(tmp_path / "scores.parquet")


def refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ny.InvalidParameter, match=message):
        ny.audit.from_file(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a table with the columns score and member, or scores_in and scores_out"),
        ("a,b\n1,2\n", r"a table with the columns .* Its columns are: a, b\.\n"),
        ("score,score,member\n1,2,1\n", "a table with the columns"),
        ("score,member\n", "a table with at least one row"),
        ("score,member\n1.0,1\n2.0,2\n", r"a table whose column member holds 0 and 1 only, .* Row 2 holds '2.0'\.\n"),
        ("score,member\n1.0,yes\n2.0,0\n", r"a table whose column member holds 0 and 1 only, .* Row 1 holds 'yes'\.\n"),
        ("score,member\n1.0,nan\n2.0,0\n", "holds 0 and 1 only"),
        ("score,member\nx,1\n2.0,0\n", "a table of numbers in the column score"),
        ("score,member\n,1\n2.0,0\n", "a table of numbers in the column score"),
        ("score,member\n0,5,1\n0,3,0\n", r"a table whose rows have .* Rows have 3 columns, the header 2\.\n"),
        ("id,score,member\n7,0,5,1\n8,0,3,0\n", r"a table whose rows have .* Row 1 has 4 columns, the header 3\.\n"),
        ("score,member\n1.0,1\n2.0,0,9\n", r"a table whose rows have .* changed from 2 to 3 at row 2\.\n"),
        ('score,note,member\n1.0,"a,1\n', r"a table whose rows have .* Row 1 has 2 columns, the header 3\.\n"),
        ('id,score,member\n"' + "x" * 200_000 + '",1,1\n', "Field larger than field limit"),
        ("score,member\nx,1.0\n2.0,0.0\n", r"a table of numbers in the column score, .* It holds 'x'\.\n"),
        ("score" * 30_000, "a table with a header"),
        ("score;member\n1;1\n", "a table with the columns"),
        ("score,member\n1.0\n", "a table whose rows have the columns of its header"),
        ("scores_in,scores_out\n1.0,x\n", "a table of numbers in the column scores_out"),
        ("score,member\n1.0,1\nnan,0\n", "scores_out must be finite numbers only, got nan"),
        ("score,member\n1.0,1\n", "scores_out must be a non-empty one-dimensional array"),
        ("scores_in,scores_out\n1.0,\n", "scores_out must be a non-empty one-dimensional array"),
    ],
)
def test_csv_refused(tmp_path: Path, text: str, message: str) -> None:
    refused(tmp_path, "scores.csv", text.encode(), message)


@pytest.mark.parametrize("name", ["device.csv", "device.npz", "device.parquet", "pipe.csv"])
def test_what_may_never_end_is_not_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name.startswith("pipe"):
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(ny.InvalidParameter, match=r"^path must be a file, got .* A pipe or a device may never end\.\n"):
        ny.audit.from_file(path)


def test_archives_that_grow(tmp_path: Path) -> None:
    """By what the header of an array promises, or by what the archive says of itself."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**17,)})
    with zipfile.ZipFile(tmp_path / "head.npz", "w") as archive:
        archive.writestr("scores_in.npy", head.getvalue())
        archive.writestr("scores_out.npy", head.getvalue())
    np.savez(tmp_path / "bomb.npz", scores_in=IN, scores_out=OUT)
    content = bytearray((tmp_path / "bomb.npz").read_bytes())
    entry = content.index(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = (4_294_000_000).to_bytes(4, "little")  # the unpacked size of the first array
    again = content.index(b"PK\x01\x02", entry + 4)
    content[again + 24 : again + 28] = (4_294_000_000).to_bytes(4, "little")
    (tmp_path / "bomb.npz").write_bytes(content)
    for name in ("head.npz", "bomb.npz"):
        with pytest.raises(
            ny.InvalidParameter,
            match=r"^path must be a file (whose scores fit into memory|that unpacks to at most 2e\+09 bytes), got ",
        ):
            ny.audit.from_file(tmp_path / name)


def test_no_text(tmp_path: Path) -> None:
    refused(tmp_path, "scores.csv", b"score,member\n\xff\xfe,1\n", "text in UTF-8")


class Planted:
    """Would run when unpickled."""

    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('unpickled')",)


def test_npz_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "planted.npz", scores_in=np.array([Planted()], dtype=object), scores_out=OUT)
    with pytest.raises(ny.InvalidParameter, match="must be an NPZ archive of plain arrays"):
        ny.audit.from_file(tmp_path / "planted.npz")
    np.savez(tmp_path / "other.npz", a=IN)
    with pytest.raises(ny.InvalidParameter, match=r"an archive of scores_in and scores_out, got .* Found: a\.\n"):
        ny.audit.from_file(tmp_path / "other.npz")
    refused(tmp_path, "broken.npz", b"PK\x03\x04nonsense", "an NPZ archive of plain arrays")
    refused(tmp_path, "text.npz", b"score,member\n", "an NPZ archive of plain arrays")
    refused(tmp_path, "empty.npz", b"", "an NPZ archive of plain arrays")
    np.save(tmp_path / "one.npy", IN)
    refused(tmp_path, "one.npz", (tmp_path / "one.npy").read_bytes(), "an NPZ archive of plain arrays")


def test_parquet_refused(tmp_path: Path) -> None:

    refused(tmp_path, "broken.parquet", b"PAR1nonsense", "a Parquet file of numbers")
    PARQUET.write_table(ARROW.table({"a": [1.0]}), tmp_path / "other.parquet")
    with pytest.raises(ny.InvalidParameter, match="a table with the columns score and member"):
        ny.audit.from_file(tmp_path / "other.parquet")
    PARQUET.write_table(ARROW.table({"score": [1.0, 2.0], "member": [1, 2]}), tmp_path / "member.parquet")
    with pytest.raises(ny.InvalidParameter, match="holds 0 and 1 only"):
        ny.audit.from_file(tmp_path / "member.parquet")
    PARQUET.write_table(ARROW.table({"score": [1.0, 2.0], "member": [1, None]}), tmp_path / "null.parquet")
    with pytest.raises(ny.InvalidParameter, match="holds 0 and 1 only"):
        ny.audit.from_file(tmp_path / "null.parquet")


@pytest.mark.parametrize("name", ["scores.txt", "scores", "scores.CSV.gz", "a\0b.csv"])
def test_other_files(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)
    message = f"path must be a file that ends in .csv, .parquet or .npz, got {path!r}."
    with pytest.raises(ny.InvalidParameter, match=re.escape(message[:55])):
        ny.audit.from_file(path)


@pytest.mark.parametrize("name", ["gone.csv", "gone.npz", "gone.parquet"])
def test_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(ny.InvalidParameter, match=r"^path must be a file that can be read, got "):
        ny.audit.from_file(tmp_path / name)
    (tmp_path / "folder.csv").mkdir(exist_ok=True)
    with pytest.raises(ny.InvalidParameter, match=r"^path must be a file that can be read, got .*Is a directory"):
        ny.audit.from_file(tmp_path / "folder.csv")


@pytest.mark.parametrize("cell", ["1_0", "\u0663", "1\u00a0", "0x10", "1e1_0", "1\u2212"])
@pytest.mark.parametrize("head", ["score,member\n{},1\n2,0\n", "scores_in,scores_out\n{},2\n3,\n"])
def test_numbers_that_people_read_otherwise_are_refused(tmp_path: Path, cell: str, head: str) -> None:
    file = tmp_path / "scores.csv"
    file.write_text(head.format(cell), encoding="utf-8")
    with pytest.raises(ny.InvalidParameter, match="a table of numbers in the column score"):
        ny.audit.from_file(file)


@pytest.mark.parametrize(
    "text", ["score,member\n1\0,1\n2,0\n", "score,member\n1,1\0\n2,0\n", "scores_in,scores_out\n\0,2\n"]
)
def test_nul_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "scores.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ny.InvalidParameter, match="Row 1 holds the character nul"):
        ny.audit.from_file(file)


def test_other_columns_may_hold_any_letters(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("name,score,member\n\u00e9_x,1.5,1\nb,2,0\n", encoding="utf-8")
    within, outside = read_scores(file)
    assert (within.tolist(), outside.tolist()) == ([1.5], [2.0])


def test_bombs_are_refused_by_what_they_say_they_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a kilobyte may unpack to gigabytes: the sum is known before a byte is unpacked."""
    monkeypatch.setattr(readers, "_LARGEST", 10**6)
    many = np.zeros(10**5)
    np.savez_compressed(tmp_path / "bomb.npz", scores_in=many, scores_out=many)
    PARQUET.write_table(ARROW.table({"scores_in": many, "scores_out": many}), tmp_path / "bomb.parquet")
    for kind in ("npz", "parquet"):
        assert (tmp_path / f"bomb.{kind}").stat().st_size < 10**4
        with pytest.raises(
            ny.InvalidParameter, match=r"a file that unpacks to at most 1e\+06 bytes, got .*It holds 1.6e\+06"
        ):
            ny.audit.from_file(tmp_path / f"bomb.{kind}")


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("suffix", ["npz", "parquet"])
def test_files_keep_the_kinds_of_their_sides(tmp_path: Path, kind: type, suffix: str) -> None:
    sides = {"scores_in": np.full(100, 0.1, kind), "scores_out": np.full(100, 0.1)}
    file = tmp_path / f"scores.{suffix}"
    if suffix == "npz":
        np.savez(file, **sides)
    else:
        PARQUET.write_table(ARROW.table(sides), file)
    assert ny.audit.from_file(file).mu == 0.0
