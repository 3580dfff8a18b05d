package io.despina.runtime.host;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.despina.operator.disk.FileKind;
import io.despina.operator.disk.FolderNotices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemNoticesTest {
    private static final String CHANGED = "changed";

    @TempDir
    Path temporary;

    private Path folder;
    private final FolderNotices notices = SystemNotices.SHARED;

    private static final class Diary implements FolderNotices.ChangeListener {
        private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
        private final Set<String> known = new HashSet<>();

        @Override
        public void written(Path file) {
            told.add(file.toString());
        }

        @Override
        public void changed() {
            told.add(CHANGED);
        }

        private void await(String what) throws InterruptedException {
            while (!known.contains(what)) {
                String next = told.poll(30, TimeUnit.SECONDS);
                assertNotNull(next, what + " is not told");
                known.add(next);
            }
        }
    }

    @BeforeEach
    void onLinux() throws IOException {
        assumeTrue(notices != FolderNotices.NONE, "Linux alone tells at once");
        assumeTrue(!FileKind.mayBeRemote(temporary), "the folder of temporary files may be on another machine");
        folder = Files.createDirectory(temporary.toRealPath().resolve("folder"));
    }

    private static Thread thread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("despina-file-notices")).findFirst().orElse(null);
    }

    @Test
    void tellsWhoListensOfWhatIsWrittenAndWhatComesAndGoes() throws Exception {
        Diary first = new Diary();
        Diary second = new Diary();
        Path file = folder.resolve("file");
        assertTrue(notices.watch(folder, first));
        assertTrue(notices.watch(folder, second));
        Files.writeString(file, "one");
        first.await(CHANGED);
        first.await(file.toString());
        second.await(file.toString());
        notices.forget(folder, second);
        Files.writeString(folder.resolve("between"), "one");
        first.await(folder.resolve("between").toString());      // what was on its way to the second one has arrived
        second.told.clear();
        first.known.clear();
        Files.move(file, folder.resolve("other"));
        Files.writeString(folder.resolve("other"), "two");
        first.await(folder.resolve("other").toString());
        assertTrue(second.told.isEmpty());
        notices.forget(folder, first);
    }

    @Test
    void oneThreadServesAllFoldersAndEndsWithTheLast() throws Exception {
        Diary diary = new Diary();
        Path other = Files.createDirectory(folder.resolve("other"));
        notices.watch(folder, diary);
        notices.watch(other, diary);
        Thread thread = thread();
        notices.forget(folder, diary);
        assertTrue(thread.isAlive());
        Files.writeString(other.resolve("file"), "one");
        diary.await(other.resolve("file").toString());
        notices.forget(other, diary);
        thread.join(30_000);
        assertFalse(thread.isAlive());
    }

    @Test
    void aFolderThatIsAnotherOneNowIsWatchedInItsPlace() throws Exception {
        Diary diary = new Diary();
        notices.watch(folder, diary);
        Files.move(folder, folder.resolveSibling("before"));
        Files.createDirectory(folder);
        assertTrue(notices.watch(folder, diary));
        Files.writeString(folder.resolve("file"), "one");
        diary.await(folder.resolve("file").toString());
        notices.forget(folder, diary);
    }

    @Test
    void aFolderThatGoesIsTold() throws Exception {
        Diary diary = new Diary();
        notices.watch(folder, diary);
        Thread thread = thread();
        Files.delete(folder);
        diary.await(CHANGED);
        assertFalse(notices.watch(folder, diary));
        thread.join(30_000);
        assertFalse(thread.isAlive(), "nothing is watched");
    }
}
