package io.despina.expr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptAnswersTest {
    private static final byte[] QUESTION = {1, 2, 3};
    private static final byte[] ANSWER = {4, 5};

    @TempDir
    Path folder;
    private Path cache;
    private KeptAnswers answers;

    @BeforeEach
    void keep() {
        cache = folder.resolve("cache").resolve("expressions");
        answers = new KeptAnswers(cache);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(cache)) {
            return all.toList();
        }
    }

    @Test
    void givesBackWhatItWasGivenAlsoInAnotherProcess() {
        assertNull(answers.get(QUESTION));
        answers.put(QUESTION, ANSWER);
        assertTrue(answers.has(QUESTION));
        assertArrayEquals(ANSWER, answers.get(QUESTION));
        assertArrayEquals(ANSWER, new KeptAnswers(cache).get(QUESTION));
        assertNull(answers.get(ANSWER));
    }

    @Test
    void theFolderIsItsUsersAlone() throws IOException {
        answers.put(QUESTION, ANSWER);
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(cache)));
        assertEquals(1, files().size());
    }

    @Test
    void aDamagedAnswerIsNone() throws IOException {
        answers.put(QUESTION, ANSWER);
        Path file = files().get(0);
        byte[] whole = Files.readAllBytes(file);
        for (int k = 0; k < whole.length; k++) {
            byte[] damaged = whole.clone();
            damaged[k] ^= 1;
            Files.write(file, damaged);
            assertNull(answers.get(QUESTION), "byte " + k);
            Files.write(file, java.util.Arrays.copyOf(whole, k));
            assertNull(answers.get(QUESTION), "cut at " + k);
        }
        answers.put(QUESTION, ANSWER);
        assertNotNull(answers.get(QUESTION));
    }

    @Test
    void whatIsTooLargeIsNotKept() {
        answers.put(QUESTION, new byte[2 << 20]);
        assertNull(answers.get(QUESTION));
    }

    @Test
    void aFolderThatCannotBeMadeKeepsNothing() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        KeptAnswers nowhere = new KeptAnswers(file.resolve("expressions"));
        nowhere.put(QUESTION, ANSWER);
        assertNull(nowhere.get(QUESTION));
    }

    @Test
    void timesThatChangeMeanwhileDoNoHarm() throws IOException {
        Map<Path, Integer> asked = new HashMap<>();
        answers.put(QUESTION, ANSWER);
        for (int k = 0; k < 4200; k++) {
            Files.createFile(cache.resolve("other" + k));
        }
        KeptAnswers watched = new KeptAnswers(cache, file -> FileTime.fromMillis(31L * asked.merge(file, 1, Integer::sum)
                * file.hashCode() % 1009));
        watched.put(ANSWER, ANSWER);
        assertEquals(4202, asked.size());
        asked.forEach((file, times) -> assertEquals(1, times, () -> file + " was asked for its time again"));
        assertTrue(files().size() < 4096, files().size() + " files");
    }

    @Test
    void thoseThatWereNotReadForLongestGo() throws IOException {
        answers.put(QUESTION, ANSWER);
        Path read = files().get(0);
        for (int k = 0; k < 4200; k++) {
            Path other = Files.createFile(cache.resolve("other" + k));
            Files.setLastModifiedTime(other, FileTime.fromMillis(k));
        }
        new KeptAnswers(cache).put(ANSWER, ANSWER);
        assertTrue(files().size() < 4096, files().size() + " files");
        assertTrue(Files.exists(read));
        assertNotNull(answers.get(ANSWER));
        assertTrue(Files.exists(cache.resolve("other4199")));
    }
}
