"""Claims that workers of a cluster judge: the same verdicts in the same order, and nothing that stays behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from distributed import LocalCluster

from pfl.cli.main import run
from pfl.driver import check_text
from pfl.engines.answer import Unknown
from pfl.options import Options
from pfl.verify import cluster as clusters
from pfl.verify.verdict import ClaimResult

EXAMPLES = Path(__file__).parents[3] / "examples"
SEEN = ["flu.pfl", "gambler.pfl", "randomised_response.pfl", "published/permute_and_flip.pfl", "sampler.pfl"]
"""Systems of all kinds: matrices, chains, programs with noise, parameters that are judged apart."""

SLOW = """
hmm Slow {
    state x: 0..63;
    init  x ~ uniform(0..63);
    step  x ~ { (x * 5 + 1) mod 64: 1/2 + x/200, (x * x + 3 * x + 7) mod 64: 1/2 - x/200 };
    emits { a, b, c };
    emit { a: 1/4 + x/400, b: 1/4 + ((x * 13) mod 64)/300, c: 1/2 - x/400 - ((x * 13) mod 64)/300 };
}
compute slow: epsilon Slow { secrets x < 32 vs x >= 32; length 300; }
"""
"""A claim whose system is built at once, and that is judged for much longer than any test waits."""

QUICK = """
hmm Coin { state on: bool; init on ~ bernoulli(1/2); emits { a, b }; emit if on then a else b; }
compute quick: likelihood Coin { observations a; }
"""


def _again(name: str) -> str:
    return SLOW[SLOW.index("compute") :].replace("slow", name, 1)


def made_cluster() -> LocalCluster:
    made = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    made.wait_for_workers(2)
    return made


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with made_cluster() as made:
        yield made


@pytest.fixture
def apart() -> Iterator[LocalCluster]:
    """A cluster of which something will be lost."""
    with made_cluster() as made:
        yield made


def soon(holds: Callable[[], bool], seconds: float = 90) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.1)
    return False


def judging() -> list[psutil.Process]:
    """The processes that judge a claim for a worker, of those that this test began."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if "pfl.verify.apart" in process.cmdline():
                found.append(process)
        except psutil.Error:
            continue
    return found


def started(model: Path, cluster: LocalCluster, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pfl", "check", str(model), "--cluster", cluster.scheduler_address, *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def reported(files: list[str], capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    code = run(["check", *files, "--format", "json", *options])
    report = json.loads(capsys.readouterr().out)
    return code, report


def test_all_that_is_reported_is_the_same(
    cluster: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(EXAMPLES / name) for name in SEEN]
    here, there = tmp_path / "here", tmp_path / "there"
    expected = reported(files, capsys, "--certificates", str(here))
    found = reported(files, capsys, "--certificates", str(there), "--cluster", cluster.scheduler_address)
    assert found == expected
    names = sorted(path.name for path in here.iterdir())
    assert names
    assert names == sorted(path.name for path in there.iterdir())
    assert all((here / name).read_bytes() == (there / name).read_bytes() for name in names)


def test_imports_are_not_read_on_workers(
    cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Values of parameters that are judged apart compile the model anew, from what was read here."""
    (tmp_path / "lib.pfl").write_text("fn weight(p: real): real = p;\n", encoding="utf-8")
    model = """
    import "lib.pfl" { weight };
    param p in [0, 1];
    mechanism turns() -> bool {
        var on = false;
        while not on { on ~ bernoulli(weight(p)); }
        return on;
    }
    check ends: probability turns() { terminates; at least 1; }
    """
    (tmp_path / "model.pfl").write_text(model, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    expected = reported(["model.pfl"], capsys)
    assert expected[1]["claims"][0]["verdict"] == "refuted"
    removed: list[bool] = []
    sent = clusters.Cluster.start

    def send(workers: clusters.Cluster, claim: Any) -> Any:
        packed = sent(workers, claim)
        if not removed:
            (tmp_path / "lib.pfl").unlink()
            removed.append(True)
        return packed

    monkeypatch.setattr(clusters.Cluster, "start", send)
    assert reported(["model.pfl"], capsys, "--cluster", cluster.scheduler_address) == expected
    assert removed


def test_faults_that_engines_find_are_placed(cluster: LocalCluster, capsys: pytest.CaptureFixture[str]) -> None:
    missing = [str(EXAMPLES / "flu.pfl"), "--engine", "smt", "--solver", "no_such_solver"]
    code, report = reported(missing, capsys)
    assert code == 3
    assert {each["code"] for each in report["diagnostics"]} == {"PFL0601"}
    assert reported(missing, capsys, "--cluster", cluster.scheduler_address) == (code, report)


def test_ceilings_hold_on_workers(cluster: LocalCluster) -> None:
    (result,) = check_text(SLOW, Options(cluster=cluster.scheduler_address, timeout=1)).results
    assert isinstance(result.verdict, Unknown)
    assert "time limit" in result.verdict.reason
    (result,) = check_text(SLOW, Options(cluster=cluster.scheduler_address, memory=150)).results
    assert isinstance(result.verdict, Unknown)
    assert "try a larger --memory" in result.verdict.reason
    assert not judging()


def test_a_claim_whose_worker_is_lost_is_judged_by_another(apart: LocalCluster, tmp_path: Path) -> None:
    model = tmp_path / "model.pfl"
    model.write_text(QUICK + SLOW, encoding="utf-8")
    check = started(model, apart, "--timeout", "20", "--format", "jsonl")
    assert check.stdout is not None
    assert all(check.stdout.readline() for _ in ("what is to be judged", "quick"))
    assert soon(lambda: len(judging()) == 1)
    (first,) = judging()
    os.kill(first.ppid(), signal.SIGKILL)
    assert soon(lambda: not first.is_running() or first.status() == psutil.STATUS_ZOMBIE)
    assert soon(lambda: len(judging()) == 1)
    out, err = check.communicate(timeout=120)
    slow = json.loads(out.splitlines()[0])["claim"]
    assert slow["name"] == "slow"
    assert slow["verdict"] == "unknown"
    assert "time limit" in slow["statement"], slow
    assert b"Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_behind(cluster: LocalCluster, tmp_path: Path, number: signal.Signals) -> None:
    model = tmp_path / "model.pfl"
    model.write_text(QUICK + SLOW, encoding="utf-8")
    check = started(model, cluster)
    assert check.stdout is not None
    assert b"quick" in check.stdout.readline()
    assert soon(lambda: len(judging()) == 1)
    check.send_signal(number)
    out, err = check.communicate(timeout=60)
    assert soon(lambda: not judging())
    if number != signal.SIGKILL:
        assert check.returncode == 128 + number
        assert b"1 not judged" in out
        assert b"Traceback" not in err


def test_a_scheduler_that_goes_away(tmp_path: Path) -> None:
    model = tmp_path / "model.pfl"
    model.write_text(f"{SLOW}{_again('slower')}{_again('slowest')}", encoding="utf-8")
    with made_cluster() as made:
        check = started(model, made, "--format", "json")
        assert soon(lambda: len(judging()) == 2)
    out, err = check.communicate(timeout=60)
    claims = json.loads(out)["claims"]
    assert [claim["name"] for claim in claims] == ["slow", "slower", "slowest"]
    assert all(claim["verdict"] == "unknown" for claim in claims)
    assert all("the cluster gave the claim up" in claim["statement"] for claim in claims)
    assert b"Traceback" not in err
    assert soon(lambda: not judging())


def test_workers_with_other_versions_say_so(cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "MADE_FOR", "pfl 99 on Python 3.99")
    (result,) = check_text(QUICK, Options(cluster=cluster.scheduler_address)).results
    assert isinstance(result, ClaimResult)
    assert isinstance(result.verdict, Unknown)
    assert "not pfl 99 on Python 3.99: install the same" in result.verdict.reason


def test_what_does_not_answer_as_a_scheduler(cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "SECONDS_TO_CONNECT", 1)
    worker = next(iter(cluster.workers.values())).worker_address
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        mute = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        for address, told in (
            (mute, "no scheduler of a cluster answers"),
            (worker, "is a worker, not the scheduler"),
            ("nowhere", "no address of a scheduler: missing port number"),
            ("odd://host:1", "no address of a scheduler: unknown address scheme"),
        ):
            findings = check_text(QUICK, Options(cluster=address))
            (found,) = findings.diagnostics
            assert str(found.code) == "PFL0604"
            assert told in found.message
            assert findings.exit_code == 3
            assert not findings.results


def test_jobs_and_a_cluster_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "model.pfl", "--jobs", "2", "--cluster", "tcp://127.0.0.1:1"]) == 2
    assert "leave it out with --cluster" in capsys.readouterr().err
