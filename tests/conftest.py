"""Fixtures and rules all tests share."""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from engine.postgres_server import postgres  # noqa: F401  # one server for all tests

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# "ci" tries the same examples every time; "explore" looks for new ones: HYPOTHESIS_PROFILE=explore make test;
# "mutants" is "ci" that does not look for a smaller counterexample: that there is one is all `make mutate` asks
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("mutants", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])
settings.register_profile("explore", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

os.environ["SCHLEIER_EXAMPLE_KEY"] = bytes(range(32)).hex()  # examples of methods that need a long-lived key name it
os.environ["SCHLEIER_LANG"] = "en"  # also on a German terminal; a test of German says so
# Tests run side by side already; threads of scikit-learn wait for each other by spinning, minutes on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session", autouse=True)
def example_vault(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Examples of methods that need a vault name it."""
    from schleier.testing import example_vault

    os.environ["SCHLEIER_EXAMPLE_VAULT"] = str(example_vault(tmp_path_factory.mktemp("vault")))


def why_no_spark() -> str | None:
    """Reason to skip the Spark tests, if there is one."""
    if importlib.util.find_spec("pyspark") is None:
        return "needs PySpark: pip install schleier[spark]"
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and shutil.which("java", path=f"{home}/bin"))):
        return "needs Java: no java on PATH, no JAVA_HOME"
    return None


def why_no_browser() -> str | None:
    """Reason to skip the browser tests, if there is one."""
    if importlib.util.find_spec("playwright") is None:
        return "needs Playwright"
    return None if CHROMIUM else "needs Chromium: no chromium, chromium-browser or google-chrome on PATH"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of a file stay together, and those on Spark, so that one worker starts it."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if "spark" in nodeid else super()._split_scope(nodeid)

    return Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reasons = {"spark": why_no_spark(), "browser": why_no_browser()}
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        for needed, fixture in (("spark", "spark"), ("browser", "chromium")):
            if fixture in fixtures:
                item.add_marker(needed)
        for needed, reason in reasons.items():
            if item.get_closest_marker(needed) and reason:
                item.add_marker(pytest.mark.skip(reason=reason))
        if item.get_closest_marker("spark"):
            assert "spark" in item.nodeid, f"{item.nodeid}: say spark in its name, so that one worker gets them all"


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the collector of garbage need not look through it time and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def key() -> bytes:
    """A run key that is the same every time."""
    return bytes(range(32))


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the browser."""
    assert CHROMIUM
    return CHROMIUM


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The one Spark session of all tests: local, silent, reachable from this machine only."""
    from pyspark.sql import SparkSession

    from schleier.engine._spark_session import FOR_SMALL, TRUSTING, spark_classes

    # What an earlier session left behind is used; to write it down would slow this one.
    classes = found if "SharedArchiveFile" in (found := spark_classes()) else TRUSTING
    place: Path = tmp_path_factory.mktemp("spark")
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        # Compiled quickly rather than well: nothing here runs long enough for more.
        "spark.driver.extraJavaOptions": (
            f"-Dderby.system.home={place} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
            f"-XX:+IgnoreUnrecognizedVMOptions {classes}"
        ),
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.local.dir": str(place / "local"),
        "spark.sql.session.timeZone": "UTC",
        **FOR_SMALL,
        "spark.sql.warehouse.dir": str(place / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("schleier-tests").config(map=options)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
