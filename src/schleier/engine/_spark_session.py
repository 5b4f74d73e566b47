"""Starts Spark where nobody did: on this machine, in silence, and soon."""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import shutil
import sys
import warnings
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.engine import Resources
from schleier.core.errors import EngineError, Problem, stop
from schleier.core.failures import DEBUG
from schleier.core.interrupts import received, still_interruptible
from schleier.core.leftovers import private_folder, remove
from schleier.core.limits import size_of
from schleier.core.system import memory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",  # its messages quote rows and plans
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # it sends a line of the program with every expression
}
WELL = "-XX:+UseParallelGC -XX:+IgnoreUnrecognizedVMOptions"
QUICKLY = f"-XX:TieredStopAtLevel=1 {WELL}"
"""How Java compiles. To compile well, and to watch the program for it, takes half the processor time of a short run;
where rows are many, their hashes are worth it."""
TRUSTING = "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
"""Spark's classes are not verified each time: a seventh of the work of a short run."""
LEAST = 2**30
"""Bytes Java gets also where the machine has less than twice as many: what it takes when nobody says anything."""
OURS = "spark.schleier.local"
LOCAL = {
    OURS: "true",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.maxResultSize": "0",  # what is collected stays in one process, whose memory is limited anyway
    "spark.sql.files.openCostInBytes": "65536",  # on this disk; so that small files, too, are read in parts
}
TINY = 2 * 2**20
"""Bytes of a file up to which it is not worth to compile well."""
SMALL = 32 * 2**20
"""Bytes of a file up to which it is not worth to plan anew after every stage, which makes a job of each."""
FOR_SMALL = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "2"}
FOR_LARGE = {"spark.sql.adaptive.enabled": "true", "spark.sql.shuffle.partitions": "8"}


def java_memory(limit: str) -> str:
    """A limit such as "1.5GB" in the whole mebibytes Java understands.

    >>> java_memory("1.5GB"), java_memory("512 MiB")
    ('1430m', '512m')
    """
    return f"{max(size_of(limit) // 2**20, 1)}m"


def is_local(session: SparkSession) -> bool:
    """Whether the session was started here."""
    return bool(session.conf.get(OURS, "false") == "true")


def expect(session: SparkSession, size: int) -> None:
    """Plan for a file of so many bytes, in a session that was started here; what was planned for larger ones stays."""
    if size > SMALL and is_local(session):
        for name, value in FOR_LARGE.items():
            session.conf.set(name, value)


def local(resources: Resources, size: int) -> dict[str, str]:
    """Settings of a session on this machine whose first file has so many bytes."""
    plans, java = FOR_LARGE if size > SMALL else FOR_SMALL, WELL if size > TINY else QUICKLY
    found = LOCAL | plans | {"spark.driver.extraJavaOptions": f"{java} {spark_classes()}"}
    found["spark.master"] = f"local[{resources.threads or '*'}]"
    if (limit := resources.memory_limit or _half()) is not None:
        found["spark.driver.memory"] = java_memory(limit)
    return found


def _half() -> str | None:
    """Half of the memory there is; Java by itself takes a gigabyte, which 10 million records do not fit into."""
    there = memory()
    return None if there is None else f"{max(there // 2, LEAST)}B"


def session_for(resources: Resources, size: int = 0) -> SparkSession:
    """The active session, or a new one on this machine for a file of so many bytes."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        stop(EngineError, "no-spark", "engine", "PySpark is not installed", "pip install 'schleier[spark]'")
    logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL + 1)  # it quotes whole plans
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"pyspark\.")  # about pandas, which we do not use
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers must find what we find
    os.environ.setdefault("SPARK_LOCAL_IP", LOCAL["spark.driver.host"])
    settings = dict(SETTINGS)
    if "SPARK_REMOTE" not in os.environ and "MASTER" not in os.environ:
        shuffled = private_folder()  # unlike the default
        atexit.register(_end_local, shuffled)
        settings |= local(resources, size) | {"spark.local.dir": str(shuffled)}
    builder = SparkSession.builder.appName("schleier").config(map=settings)
    try:
        with still_interruptible():
            if "SPARK_REMOTE" not in os.environ:
                _start_silently(settings)
            return builder.getOrCreate()
    except Exception as error:  # py4j and the launcher raise many kinds
        raise EngineError(_no_java()) from error


def _start_silently(settings: Mapping[str, str]) -> None:
    """Start the Java process whose session is used: what it prints until its log is off, it prints to nobody.

    In a group of its own: Ctrl-C is for us, and we end it. It ends by itself when we do.
    """
    import subprocess

    from pyspark import SparkConf, SparkContext, accumulators
    from pyspark.java_gateway import launch_gateway

    if SparkContext._active_spark_context is not None or os.environ.get(DEBUG):
        return
    accumulators.AccumulatorTCPServer.handle_error = _say_nothing  # it prints a trace when the process ends first
    conf = SparkConf().setAppName("schleier").setAll(list(settings.items()))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    SparkContext(conf=conf, gateway=launch_gateway(conf, quiet))


def spark_classes() -> str:
    """How Java comes by Spark's classes: as it read them the first time, which saves a quarter of a few short queries.

    They are kept beside the compiled program, as its machine code is; where nothing can be written, it goes without.
    What is there belongs to one Java and one Spark, others do not take it. It holds classes and no rows.
    """
    import pyspark

    java = shutil.which("java", path=os.pathsep.join((f"{os.environ.get('JAVA_HOME', '')}/bin", os.environ["PATH"])))
    folder = Path(__file__).parent / "__pycache__"
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
    if java is None or " " in str(folder) or not os.access(folder, os.W_OK):
        return TRUSTING
    held = Path(java).resolve()
    which = f"{held} {held.stat().st_mtime_ns} {pyspark.__version__} {pyspark.__file__}"
    archive = folder / f"spark-{hashlib.sha256(which.encode()).hexdigest()[:12]}.jsa"
    return f"{TRUSTING} -XX:SharedArchiveFile={archive}" if archive.exists() else f"-XX:ArchiveClassesAtExit={archive}"


def _say_nothing(*what: Any) -> None:
    """In place of a trace of the program on the terminal."""


def _end_local(shuffled: Path) -> None:
    """Remove what a local session shuffled; when it was interrupted, end its Java process first, which writes on."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None and received():  # otherwise nothing is under way, and it ends with us
        process.kill()
        process.wait()
    remove(shuffled)


def _no_java() -> Any:
    return Problem("no-spark", "engine", "Spark did not start", "it needs Java 17 or newer on the PATH")
