package io.despina.simulation.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SimulatedDiskTest {
    private static final int FAILURES = 200;
    private final Random random = new Random(1);

    private SimulatedDisk disk = SimulatedDisk.create("disk");
    private Path root = disk.path();

    @AfterEach
    void remove() {
        disk.remove();
    }

    private static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Whether something holds after some power failures, after all, or after none. */
    private Set<Boolean> afterFailures(Setup setup, Predicate<Path> holds) throws IOException {
        Set<Boolean> seen = new HashSet<>();
        for (int k = 0; k < FAILURES; k++) {
            disk.remove();
            disk = SimulatedDisk.create("disk");
            root = disk.path();
            setup.make();
            disk.powerFailure(random);
            seen.add(holds.test(root));
        }
        return seen;
    }

    private interface Setup {
        void make() throws IOException;
    }

    private static boolean has(Path file, String text) {
        try {
            return Files.exists(file) && Files.readString(file).equals(text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void filesAndFoldersAreThoseOfAnyFileSystem() throws IOException {
        Files.createDirectories(root.resolve("a/b"));
        Files.writeString(root.resolve("a/b/one"), "text");
        Files.move(root.resolve("a/b/one"), root.resolve("a/b/two"), StandardCopyOption.ATOMIC_MOVE);
        assertEquals("text", Files.readString(Path.of(URI.create("simulated://disk/a/b/two"))));
        assertEquals(4, Files.size(root.resolve("a/b/two")));
        try (Stream<Path> all = Files.walk(root)) {
            assertEquals(List.of("/", "/a", "/a/b", "/a/b/two"), all.map(Path::toString).toList());
        }
        Files.delete(root.resolve("a/b/two"));
        assertFalse(Files.exists(root.resolve("a/b/two")));
        assertTrue(Files.isDirectory(root.resolve("a")));
        assertEquals(List.of(), disk.openFiles());
    }

    @Test
    void whatIsForcedUnderADurableNameStays() throws IOException {
        assertEquals(Set.of(true), afterFailures(() -> {
            Files.createDirectories(root.resolve("a/b"));
            Files.writeString(root.resolve("a/b/one"), "text");
            for (String path : List.of("a/b/one", "a/b", "a", "")) {
                force(root.resolve(path));
            }
            assertArrayEquals("text".getBytes(), disk.durable("/a/b/one"));
        }, path -> has(path.resolve("a/b/one"), "text")));
    }

    @Test
    void aNameMayGoThatItsFolderHasNotForced() throws IOException {
        assertEquals(Set.of(true, false), afterFailures(() -> {
            Files.writeString(root.resolve("one"), "text");
            force(root.resolve("one"));
            assertNull(disk.durable("/one"));
        }, path -> has(path.resolve("one"), "text")));
        assertEquals(Set.of(true, false), afterFailures(() -> {
            Files.createDirectories(root.resolve("a/b"));
            Files.writeString(root.resolve("a/b/one"), "text");
            force(root.resolve("a/b/one"));
            force(root.resolve("a/b"));
        }, path -> has(path.resolve("a/b/one"), "text")));
    }

    @Test
    void aNameMovesAsAWholeOrNot() throws IOException {
        assertEquals(Set.of(true), afterFailures(() -> {
            Files.writeString(root.resolve("from"), "text");
            force(root.resolve("from"));
            force(root);
            Files.move(root.resolve("from"), root.resolve("to"), StandardCopyOption.ATOMIC_MOVE);
        }, path -> has(path.resolve("from"), "text") != has(path.resolve("to"), "text")));
    }

    @Test
    void bytesThatWereNotForcedAreWholeTornOrGone() throws IOException {
        byte[] before = new byte[3_000];
        byte[] after = new byte[5_000];
        Arrays.fill(before, (byte) 1);
        Arrays.fill(after, (byte) 2);
        Set<String> seen = new HashSet<>();
        afterFailures(() -> {
            Files.write(root.resolve("one"), before);
            force(root.resolve("one"));
            force(root);
            try (FileChannel channel = FileChannel.open(root.resolve("one"), StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(after));
            }
        }, path -> {
            byte[] left = bytes(path.resolve("one"));
            seen.add(Arrays.equals(left, before) ? "gone" : Arrays.equals(left, after) ? "whole" : "torn");
            return true;
        });
        assertEquals(Set.of("gone", "whole", "torn"), seen);
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatAFailedForceWasForIsNeverSynced() throws IOException {
        assertFalse(afterFailures(() -> {
            Path file = Files.createFile(root.resolve("one"));
            force(root);
            Files.writeString(file, "text");
            disk.trouble(SimulatedDisk.Trouble.FORCE_FAILS, true);
            assertThrows(IOException.class, () -> force(file));
            disk.trouble(SimulatedDisk.Trouble.FORCE_FAILS, false);
            force(file);
            assertTrue(has(file, "text"));
        }, path -> has(path.resolve("one"), "text")).contains(true));
    }

    @Test
    void aFullDiskTakesAPart() throws IOException {
        disk.leave(6);
        Path file = root.resolve("one");
        assertThrows(IOException.class, () -> Files.writeString(file, "more than six"));
        assertEquals("more t", Files.readString(file));
        disk.leave(Long.MAX_VALUE);
        disk.trouble(SimulatedDisk.Trouble.READ_ONLY, true);
        assertThrows(IOException.class, () -> Files.writeString(file, "x"));
        assertThrows(IOException.class, () -> Files.delete(file));
        assertEquals("more t", Files.readString(file));
    }

    @Test
    void aLockGoesWithItsProcess() throws IOException {
        disk.as("one");
        FileChannel held = FileChannel.open(root.resolve("lock"), StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        assertNotNull(held.tryLock());
        disk.as("two");
        try (FileChannel other = FileChannel.open(root.resolve("lock"), StandardOpenOption.WRITE)) {
            assertNull(other.tryLock());
            disk.kill("one");
            assertNotNull(other.tryLock());
        }
        assertThrows(ClosedChannelException.class, () -> held.write(ByteBuffer.allocate(1)));
        assertEquals(List.of(), disk.openFiles());
    }

    @Test
    void aBitFlips() throws IOException {
        Files.writeString(root.resolve("one"), "text");
        assertTrue(disk.flip("/one", new Random(1)));
        assertFalse(has(root.resolve("one"), "text"));
        assertEquals(List.of("/one"), disk.files());
    }
}
