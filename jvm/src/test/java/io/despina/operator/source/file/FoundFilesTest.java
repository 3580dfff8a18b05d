package io.despina.operator.source.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.spark.util.HadoopFSUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random trees of folders, and globs over them: what is found is what Hadoop and Spark find. */
class FoundFilesTest {
    private static final List<String> NAMES = List.of("a", "b1", "ab", "_h", ".h", "k=1", "_k=2", "a,b", "c d", "[x]", "a^b",
            "d.csv", "e._COPYING_", "é", "{y}", "j\\k", "100%");
    private static final List<String> PATTERNS = List.of("*", "?", "a*", "[^a]*", "[ab]*", "[a-c]?", "{a,b1}", "{a,k=*}",
            "\\[x\\]", "*.csv", "a\\,b", "{_,.}*", "*b", "a^b", "[!a]*", "{a,b1}{,x}", "?b", "k=1", "a", "[^^]*b", "*%",
            "[", "nothing");

    @Provide
    Arbitrary<Set<List<String>>> trees() {
        return Arbitraries.of(NAMES).list().ofMinSize(1).ofMaxSize(3).set().ofMinSize(1).ofMaxSize(12);
    }

    @Provide
    Arbitrary<List<String>> globs() {
        Arbitrary<String> pattern = Arbitraries.of(PATTERNS);
        Arbitrary<String> both = pattern.tuple2().map(two -> "{" + two.get1() + "/" + two.get2() + ",a}");
        return Arbitraries.frequencyOf(net.jqwik.api.Tuple.of(8, pattern), net.jqwik.api.Tuple.of(1, both)).list().ofMinSize(1)
                .ofMaxSize(3);
    }

    private static Path made(Set<List<String>> tree) throws IOException {
        Path folder = Files.createTempDirectory("despina-found");
        for (List<String> names : tree) {
            Path file = folder.resolve(String.join("/", names));
            try {
                Files.createDirectories(file.getParent());
                Files.createFile(file);
            } catch (IOException isAlreadyThereAsFileOrFolder) {
                // another tree then
            }
        }
        return folder;
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private static FileSystem hadoop() throws IOException {
        FileSystem files = new RawLocalFileSystem();
        files.initialize(java.net.URI.create("file:///"), new Configuration(false));
        return files;
    }

    @Property(tries = 200)
    void globsAreHadoops(@ForAll("trees") Set<List<String>> tree, @ForAll("globs") List<String> globs) throws Exception {
        Path folder = made(tree);
        try {
            String glob = folder + "/" + String.join("/", globs);
            assertEquals(orRefused(() -> {
                FileStatus[] theirs = hadoop().globStatus(new org.apache.hadoop.fs.Path(glob));
                return Stream.of(theirs == null ? new FileStatus[0] : theirs).map(FoundFilesTest::path);
            }), orRefused(() -> new LocalTree().matches(glob).stream()), glob);
        } finally {
            remove(folder);
        }
    }

    private static Set<Path> orRefused(Callable<Stream<Path>> listing) throws Exception {
        try {
            return listing.call().collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException refused) {
            return Set.of();
        }
    }

    /** Spark's rule of names, over the folders that are entered; and the same files by either class. */
    @Property(tries = 200)
    void foldersAreReadAsByHadoopsClass(@ForAll("trees") Set<List<String>> tree) throws IOException {
        Path folder = made(tree);
        try {
            List<Path> expected = new ArrayList<>();
            try (Stream<Path> all = Files.walk(folder)) {
                all.filter(Files::isRegularFile).filter(file -> isRead(folder.relativize(file))).sorted().forEach(expected::add);
            }
            assertEquals(expected, foundOrNone(folder.toString(), false));
            assertEquals(expected, foundOrNone(folder.toString(), true));
        } finally {
            remove(folder);
        }
    }

    private static boolean isRead(Path below) {
        for (int k = 0; k < below.getNameCount(); k++) {
            String name = below.getName(k).toString();
            boolean entered = k == below.getNameCount() - 1 || name.contains("=");
            if (!entered || HadoopFSUtils.shouldFilterOutPathName(name, HadoopFSUtils.shouldFilterOutPathName$default$2())) {
                return false;
            }
        }
        return true;
    }

    private static Path path(FileStatus file) {
        return Path.of(file.getPath().toUri().getPath());
    }

    private static List<Path> foundOrNone(String path, boolean byHadoop) throws IOException {
        try {
            return byHadoop ? new HadoopFiles(hadoop()).found(path).stream().map(FoundFilesTest::path).sorted().toList()
                    : InputFiles.all(path);
        } catch (FileNotFoundException none) {
            return List.of();
        }
    }

    @Provide
    Arbitrary<String> patterns() {
        return Arbitraries.of("a", "b", "k", "*", "?", "[", "]", "^", "!", "-", "{", "}", ",", "\\\\", "\\*", "\\[", "\\^", ".",
                "$", "(", ")", "|", "+", "&", "&&", "=", " ", "é", "#").list().ofMinSize(1).ofMaxSize(7)
                .map(parts -> String.join("", parts));
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().withChars("abk*?[]^!-{},\\.$()|+&= é#").ofMinLength(1).ofMaxLength(4);
    }

    @Property(tries = 2000)
    void patternsAreHadoops(@ForAll("patterns") String pattern, @ForAll("names") String name) {
        assertEquals(matches(name, () -> new org.apache.hadoop.fs.GlobPattern(pattern).matches(name)),
                matches(name, () -> new GlobPattern(pattern).matches(name)), pattern);
    }

    private static String matches(String name, Callable<Boolean> pattern) {
        try {
            return name + " matches: " + pattern.call();
        } catch (Exception refused) {
            return "refused";
        }
    }

    @Test
    void whatIsNoGlobIsTold(@TempDir Path folder) {
        String told = assertThrows(IOException.class, () -> InputFiles.all(folder + "/[a")).getMessage();
        assertTrue(told.startsWith("`[a` is no pattern of names: "), told);
    }

    @Test
    void foldersThatAreNotEnteredAreNamed(@TempDir Path folder) throws IOException {
        Files.createDirectories(folder.resolve("2024/03"));
        Files.createFile(folder.resolve("2024/a.csv"));
        assertEquals("no file in folder " + folder + "; those of the folders in it are read by a glob: " + folder + "/*",
                assertThrows(IOException.class, () -> InputFiles.all(folder.toString())).getMessage());
        assertEquals(List.of(folder.resolve("2024/a.csv")), InputFiles.all(folder + "/*"));
        assertEquals(List.of(folder.resolve("2024/a.csv")), InputFiles.all(folder + "/{*,2024/a.csv}"));
    }

    @Test
    void columnsAreFoundByTheNamesOfFolders() throws IOException {
        List<String> columns = List.of("v", "Day", "n: x");
        Path base = Path.of("/in/v=0");
        assertEquals(new TreeMap<>(Map.of(1, "a%3Ab", 2, "7")),
                FolderColumns.of(base, Path.of("/in/v=0/day=a%3Ab/other=1/N%3A x=7/sub/f=1.csv"), columns));
        assertEquals(List.of("day", "other", "N%3A x"),
                FolderColumns.names(base, Path.of("/in/v=0/day=a%3Ab/other=1/N%3A x=7/sub/f=1.csv")));
        assertTrue(refusal(base, "day=1/DAY=2/f", columns).endsWith(": two of its folders give the column `Day`"));
        assertTrue(refusal(base, "day=/f", columns).endsWith(": the folder `day=` has no value behind its `=`"));
        assertTrue(refusal(base, "=1/f", columns).endsWith(": the folder `=1` has no name before its `=`"));
        assertTrue(refusal(base, "v=1/f", List.of("V")).contains(": every column of the schema comes from"));
    }

    private static String refusal(Path base, String file, List<String> columns) {
        return assertThrows(IOException.class, () -> FolderColumns.of(base, base.resolve(file), columns)).getMessage();
    }
}
