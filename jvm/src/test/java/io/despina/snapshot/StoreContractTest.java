package io.despina.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.simulation.disk.SimulatedDisk;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every store does. */
class StoreContractTest {
    @TempDir
    Path folder;

    @Nested
    class OnThisMachine extends Contract {
        @Override
        SnapshotStore store() {
            return new LocalStore(folder);
        }

        @Test
        void ofSeveralOneMakesAFile() throws Exception {
            SnapshotStore store = store();
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try {
                List<Callable<Boolean>> all = IntStream.range(0, 16)
                        .<Callable<Boolean>>mapToObj(k -> () -> store.createIfAbsent("epochs/7", new byte[] {(byte) k})).toList();
                int made = 0;
                int winner = -1;
                List<Future<Boolean>> answers = threads.invokeAll(all);
                for (int k = 0; k < answers.size(); k++) {
                    made += answers.get(k).get() ? 1 : 0;
                    winner = answers.get(k).get() ? k : winner;
                }
                assertEquals(1, made);
                assertArrayEquals(new byte[] {(byte) winner}, Contract.bytes(store, "epochs/7", 0));
                assertEquals(List.of("7"), store.list("epochs"));
            } finally {
                threads.shutdownNow();
            }
        }

        @Test
        void whatCannotBeForcedIsNotThere() throws Exception {
            SimulatedDisk disk = SimulatedDisk.create("contract");
            try {
                disk.links(false);
                SnapshotStore store = new LocalStore(disk.path());
                store.createIfAbsent("epochs/6", new byte[] {6});
                disk.faults((operation, path) -> disk.trouble(SimulatedDisk.Trouble.FORCE_FAILS, path.endsWith("/7")));
                assertThrows(IOException.class, () -> store.createIfAbsent("epochs/7", new byte[] {7}));
                assertEquals(List.of("6"), store.list("epochs"));
            } finally {
                disk.remove();
            }
        }
    }

    /**
     * Hadoop's own view of this machine's files: of several at once that make a file, it tells more than one so. HDFS does not.
     */
    @Nested
    class OnAFileSystemOfHadoop extends Contract {
        @Override
        SnapshotStore store() throws IOException {
            return new HadoopStore(folder.toUri().toString(), new Configuration());
        }
    }

    @Nested
    class OnAnObjectStore extends Contract {
        @AfterEach
        void alone() {
            ObjectFiles.are(ObjectFiles.Condition.KEPT, file -> { });
            ObjectFiles.haveRoomFor(Integer.MAX_VALUE);
        }

        @Override
        SnapshotStore store() throws IOException {
            return new HadoopStore(ObjectFiles.ADDRESS + folder, new Configuration());
        }

        @Test
        void whatComesBetweenALookAndAWriteStays() throws IOException {
            SnapshotStore store = store();
            ObjectFiles.are(ObjectFiles.Condition.KEPT, file -> Files.writeString(folder.resolve(file.getName()), "another's"));
            assertFalse(store.createIfAbsent("7", "own".getBytes()));
            assertArrayEquals("another's".getBytes(), bytes(store, "7", 0));
        }

        /** A manifest that was cut would be taken for one. */
        @Test
        void whatWasCutIsNotThere() throws IOException {
            SnapshotStore store = store();
            ObjectFiles.haveRoomFor(2);
            assertThrows(UncheckedIOException.class, () -> store.createIfAbsent("7", "own".getBytes()));
            assertFalse(Files.exists(folder.resolve("7")));
        }
    }

    @Nested
    class InZooKeeper extends Contract {
        @Override
        SnapshotStore store() {
            return new ZooKeeperStore(ZooKeepers.shared().address("/contract"), folder.getFileName().toString(), null);
        }
    }

    @Nested
    class OnASimulatedDisk extends Contract {
        private final SimulatedDisk disk = SimulatedDisk.create("contract");

        @AfterEach
        void remove() {
            disk.remove();
        }

        @Override
        SnapshotStore store() {
            disk.clock(System::currentTimeMillis);
            return new LocalStore(disk.path().resolve("store"));
        }
    }

    abstract static class Contract {
        abstract SnapshotStore store() throws IOException;

        static byte[] bytes(SnapshotStore store, String path, long offset) throws IOException {
            try (InputStream in = store.open(path, offset)) {
                return in.readAllBytes();
            }
        }

        private static void write(SnapshotStore store, String path, String text) throws IOException {
            try (SnapshotStore.NewFile file = store.create(path)) {
                file.write(text.getBytes());
            }
        }

        @Test
        void aFileIsWrittenUnderItsOwnName() throws IOException {
            SnapshotStore store = store();
            SnapshotStore.NewFile file = store.create("a/b/one");
            file.write("some text".getBytes());
            file.close();
            file.close();
            file.abort();
            assertEquals(List.of("one"), store.list("a/b"));
            assertEquals(9, store.length("a/b/one"));
            assertTrue(store.exists("a/b/one"));
            assertArrayEquals("text".getBytes(), bytes(store, "a/b/one", 5));
        }

        @Test
        void noOtherTakesItsPlace() throws IOException {
            SnapshotStore store = store();
            write(store, "one", "before");
            assertThrows(IOException.class, () -> store.create("one"));
            assertArrayEquals("before".getBytes(), bytes(store, "one", 0));
            SnapshotStore.NewFile dropped = store.create("two");
            dropped.write("dropped".getBytes());
            dropped.abort();
            dropped.close();
            assertEquals(List.of("one"), store.list(""));
        }

        @Test
        void whatIsNotThereIsMissing() throws IOException {
            SnapshotStore store = store();
            assertFalse(store.exists("one"));
            assertThrows(FileNotFoundException.class, () -> store.open("one", 0));
            assertThrows(FileNotFoundException.class, () -> store.length("one"));
            assertThrows(FileNotFoundException.class, () -> store.modifiedMillis("one"));
        }

        @Test
        void aFileIsMadeOnce() throws IOException {
            SnapshotStore store = store();
            assertTrue(store.createIfAbsent("epochs/7", "first".getBytes()));
            assertFalse(store.createIfAbsent("epochs/7", "second".getBytes()));
            assertArrayEquals("first".getBytes(), bytes(store, "epochs/7", 0));
            assertEquals(List.of("7"), store.list("epochs"));
        }

        @Test
        void whatIsThereIsMadeDurable() throws IOException {
            SnapshotStore store = store();
            assertTrue(store.createIfAbsent("a/one", "text".getBytes()));
            store.force("a/one");
            assertThrows(FileNotFoundException.class, () -> store.force("a/none"));
        }

        @Test
        void foldersAreListedAndDeleted() throws IOException {
            SnapshotStore store = store();
            for (String path : List.of("a/2", "a/1", "a/b/3")) {
                write(store, path, path);
            }
            assertEquals(List.of("1", "2", "b"), store.list("a"));
            assertEquals(List.of(), store.list("none"));
            store.delete("a/1");
            store.delete("a/1");
            assertEquals(List.of("2", "b"), store.list("a"));
            store.delete("a");
            assertEquals(List.of(), store.list("a"));
        }

        @Test
        void allFilesBelowAreListed() throws IOException {
            SnapshotStore store = store();
            for (String path : List.of("a/2", "a/b/c/.3", "d/1")) {
                write(store, path, path);
            }
            assertEquals(List.of("a/2", "a/b/c/.3"), store.files("a").stream().map(SnapshotStore.Stored::path).toList());
            assertEquals(store.modifiedMillis("a/2"), store.files("a/").get(0).modifiedMillis());
            assertEquals(List.of(), store.files("none"));
        }

        @Test
        void noPathLeadsOut() throws IOException {
            SnapshotStore store = store();
            for (String path : List.of("../x", "a/../../x")) {
                assertTrue(assertThrows(IOException.class, () -> store.create(path)).getMessage().contains("leads out of"));
                assertTrue(assertThrows(IOException.class, () -> store.delete(path)).getMessage().contains("leads out of"));
            }
            assertFalse(store.toString().isEmpty());
        }
    }
}
