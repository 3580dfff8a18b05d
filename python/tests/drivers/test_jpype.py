from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

SOURCE = str(Path(__file__).parents[2] / "src")


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60,
                          check=False, env={**os.environ, "PYTHONPATH": SOURCE, **environment})


def test_python_exits_at_once_with_an_engine_inside() -> None:
    done = run("""
        import os
        from despina import engine
        assert engine.start("jpype").version()["pid"] == os.getpid()
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_engine_can_be_started_again_in_the_same_process() -> None:
    done = run("""
        from despina import engine
        engine.start("jpype")
        engine.stop()
        print(engine.start("jpype").version()["despina"])
    """)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_java_keeps_no_thread_of_pythons_that_has_ended() -> None:
    done = run("""
        import jpype, threading
        from despina import engine
        started = engine.start("jpype")
        before = jpype.JClass("java.lang.Thread").activeCount()
        for _ in range(3):
            thread = threading.Thread(target=started.version)
            thread.start()
            thread.join()
        print(jpype.JClass("java.lang.Thread").activeCount() - before)
    """)
    assert (done.stdout, done.returncode) == ("0\n", 0), done.stderr


def test_ctrl_c_stays_pythons() -> None:
    done = run("""
        import os, signal
        from despina import engine
        engine.start("jpype")
        try:
            os.kill(os.getpid(), signal.SIGINT)
            signal.sigtimedwait([], 5)
        except KeyboardInterrupt:
            print("mine")
    """)
    assert (done.stdout, done.returncode) == ("mine\n", 0)


def test_a_jvm_of_somebody_else_without_our_jar_is_told() -> None:
    done = run("""
        import jpype
        from despina import drivers, installed
        from despina.errors import StartError
        jpype.startJVM(str(installed.find_java().library))
        try:
            drivers.start("jpype")
        except StartError as error:
            print(error.rule, error.message)
    """)
    assert done.stdout.startswith("java_start this process has a JVM already"), done.stderr


def test_options_that_java_refuses_are_an_error() -> None:
    done = run("""
        from despina import drivers
        from despina.errors import StartError
        try:
            drivers.start("jpype")
        except StartError as error:
            print(error.rule)
    """, DESPINA_JAVA_OPTIONS="-XX:NoSuchFlag=1")
    assert done.stdout.endswith("java_start\n"), done.stderr


def test_an_error_of_java_is_told_as_the_engines() -> None:
    done = run("""
        import jpype
        from despina import drivers
        from despina.errors import StartError
        driver = drivers.start("jpype")
        close = driver._gateway.close
        class Exhausted:
            def version(self):
                raise jpype.JClass("java.lang.OutOfMemoryError")("Java heap space")
            def close(self):
                close()
        driver._gateway = Exhausted()
        try:
            driver.call("version")
        except StartError as error:
            print(error.rule, error.message)
        driver.close()
    """)
    told = "engine_call the engine did not answer version: java.lang.OutOfMemoryError: Java heap space\n"
    assert done.stdout == told, done.stderr
