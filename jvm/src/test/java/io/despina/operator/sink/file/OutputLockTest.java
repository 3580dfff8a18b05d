package io.despina.operator.sink.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class OutputLockTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void choose() {
        file = folder.resolve(".lock");
    }

    /** Another process: holds the file, and says so. */
    public static void main(String[] args) throws IOException {
        System.out.println(OutputLock.take(Path.of(args[0])) == null ? "refused" : "held");
        System.in.read();
    }

    private Process other() throws IOException {
        return new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-cp",
                System.getProperty("java.class.path"), OutputLockTest.class.getName(), file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    @Test
    void oneHoldsItWhateverPathLeadsThere() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
        OutputLock lock = OutputLock.take(file);
        for (Path path : new Path[] {file, link.resolve(".lock")}) {
            assertTrue(OutputLock.isHeld(path));
            assertNull(OutputLock.take(path));
        }
        lock.release();
        assertFalse(Files.exists(file));
        assertFalse(OutputLock.isHeld(file));
        OutputLock again = OutputLock.take(file);
        assertNotNull(again);
        again.release();
    }

    @Test
    void oneThatDoesNotAnswerHoldsUpNoOther() throws Exception {
        Path pipe = folder.resolve(".pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        OutputLock before = OutputLock.take(folder.resolve(".before"));
        CompletableFuture<OutputLock> stuck = new CompletableFuture<>();
        Thread opening = new Thread(() -> {
            try {
                stuck.complete(OutputLock.take(pipe));      // until somebody reads
            } catch (IOException e) {
                stuck.completeExceptionally(e);
            }
        });
        opening.start();
        while (!isInNative(opening)) {
            Thread.onSpinWait();
        }
        CompletableFuture<Void> others = CompletableFuture.runAsync(() -> {
            try {
                before.release();
                OutputLock other = OutputLock.take(file);
                assertTrue(OutputLock.isHeld(file));
                other.release();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try {
            others.get(30, TimeUnit.SECONDS);
            assertFalse(stuck.isDone());
        } finally {
            InputStream reader = Files.newInputStream(pipe);        // lets it go on
            stuck.get(30, TimeUnit.SECONDS).release();
            reader.close();
        }
    }

    /** Whether it has come to where the system opens the file. */
    private static boolean isInNative(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0 && stack[0].isNativeMethod() && stack[0].getMethodName().startsWith("open");
    }

    @Test
    void lookingAtItDoesNotEndItForOtherProcesses() throws Exception {
        OutputLock lock = OutputLock.take(file);
        assertTrue(OutputLock.isHeld(file));
        Process other = other();
        assertEquals("refused", other.inputReader().readLine());
        other.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        lock.release();
    }

    @Test
    void itEndsWithItsProcess() throws Exception {
        Process other = other();
        assertEquals("held", other.inputReader().readLine());
        assertTrue(OutputLock.isHeld(file));
        assertNull(OutputLock.take(file));
        other.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        assertTrue(Files.exists(file));
        assertFalse(OutputLock.isHeld(file));
        assertFalse(Files.exists(file));
    }
}
