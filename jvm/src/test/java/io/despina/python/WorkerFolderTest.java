package io.despina.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkerFolderTest {
    private static final String HOLDS = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX); "
            + "print('held', flush=True); sys.stdin.read()";

    @TempDir
    Path temporary;

    private Path folder(String name, boolean hasLock) throws IOException {
        Path folder = Files.createDirectory(temporary.resolve(name));
        Files.createFile(folder.resolve("s0"));
        if (hasLock) {
            Files.createFile(folder.resolve(WorkerFolder.LOCK));
        }
        return folder;
    }

    private void clear() throws IOException {
        WorkerFolder.clear(temporary, Files.getOwner(temporary));
    }

    @Test
    void whatIsLeftOfAProcessThatWasKilledIsRemoved() throws Exception {
        Path left = folder("dsp-999999999-1", true);
        Process alive = new ProcessBuilder(Path.of(".venv/bin/python").toAbsolutePath().toString(), "-c", HOLDS,
                folder("dsp-999999998-1", true).resolve(WorkerFolder.LOCK).toString()).start();
        assertEquals("held", alive.inputReader().readLine());
        clear();
        assertFalse(Files.exists(left));
        assertTrue(Files.exists(temporary.resolve("dsp-999999998-1/s0")), "its process lives");
        alive.destroyForcibly().waitFor();
        clear();
        assertFalse(Files.exists(temporary.resolve("dsp-999999998-1")));
    }

    @Test
    void whoIsInterruptedMakesOneThatOthersFind() throws IOException {
        Thread.currentThread().interrupt();
        WorkerFolder made = WorkerFolder.take();
        assertTrue(Thread.interrupted());
        assertTrue(made.program().getParent().getFileName().toString().startsWith("dsp-"), made.program().toString());
        made.give();
    }

    @Test
    void everythingElseIsLeftAlone() throws Exception {
        Path unlocked = folder("dsp-999999999-2", false);
        Path own = folder("dsp-" + ProcessHandle.current().pid() + "-3", true);
        Path others = folder("other", true);
        Path link = Files.createSymbolicLink(temporary.resolve("dsp-999999999-4"), others);
        clear();
        for (Path each : new Path[] {unlocked, own, others, link}) {
            assertTrue(Files.exists(each.resolve("s0")), each::toString);
        }
    }
}
