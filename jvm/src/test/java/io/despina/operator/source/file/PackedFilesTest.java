package io.despina.operator.source.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.disk.FileCodec;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PackedFilesTest {
    private static final Schema ONE = Schema.of(new Column("n", Simple.INT, true));
    private static final Reading ONCE = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, false, 1);

    @TempDir
    Path folder;

    private Reading reading = ONCE;

    private static byte[] pack(FileCodec codec, String text) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = codec.packer(packed)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return packed.toByteArray();
    }

    private static String numbers(int from, int to) {
        StringBuilder text = new StringBuilder();
        IntStream.range(from, to).forEach(k -> text.append(k).append('\n'));
        return text.toString();
    }

    private static List<List<Object>> rows(int to) {
        return IntStream.range(0, to).mapToObj(k -> List.<Object>of(k)).toList();
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    private OperatorHarness.Setup setup(Path path) {
        FileSourceOptions options = new FileSourceOptions(path.toString(),
                new RecordFormat.Read(FileFormat.CSV, Map.of(), ONE, 0, false, Set.of(), "UTC", true), reading, null,
                text -> null);
        return OperatorHarness.of(() -> new FileSource(options)).outputs(ONE);
    }

    private List<List<Object>> read(Path path) throws Exception {
        try (OperatorHarness source = setup(path).open()) {
            return source.produceAll().rows(0);
        }
    }

    private static String failure(Path path, FileCodec codec) {
        return assertThrows(IOException.class, () -> {
            try (InputStream text = new UnpackedInput(path, codec, Files.newInputStream(path), 1 << 12)) {
                text.readAllBytes();
            }
        }).getMessage();
    }

    @ParameterizedTest
    @EnumSource
    void isReadAsItsText(FileCodec codec) throws Exception {
        byte[] packed = pack(codec, numbers(0, 100_000));
        assertEquals(rows(100_000), read(write("a.csv." + codec.ending(), packed)));
        assertEquals(rows(100_000), read(write("b.csv." + codec.ending().toUpperCase(Locale.ROOT), packed)));
        assertEquals(List.of(), read(write("c.csv." + codec.ending(), new byte[0])));
        assertEquals(List.of(), read(write("d.csv." + codec.ending(), pack(codec, ""))));
    }

    @ParameterizedTest
    @EnumSource
    void filesInARowAreOne(FileCodec codec) throws Exception {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.write(pack(codec, numbers(0, 1000)));
        both.write(pack(codec, numbers(1000, 3000)));
        assertEquals(rows(3000), read(write("a." + codec.ending(), both.toByteArray())));
    }

    @ParameterizedTest
    @EnumSource
    void cutShortAnywhereItFails(FileCodec codec) throws Exception {
        byte[] packed = pack(codec, numbers(0, 40));
        for (int length = 1; length < packed.length; length++) {
            Path path = write("a." + codec.ending(), Arrays.copyOf(packed, length));
            String words = failure(path, codec);
            assertTrue(words.startsWith(path + " cannot be unpacked as ." + codec.ending()), length + ": " + words);
            assertFalse(words.contains("null"), length + ": " + words);
        }
    }

    @Test
    void theErrorTellsHowMuchOfTheTextWasReadBeforeTheDamage() throws Exception {
        byte[] first = pack(FileCodec.GZIP, numbers(0, 100_000));
        byte[] second = pack(FileCodec.GZIP, numbers(100_000, 110_000));
        byte[] both = Arrays.copyOf(first, first.length + second.length / 2);
        System.arraycopy(second, 0, both, first.length, second.length / 2);
        String words = failure(write("a.gz", both), FileCodec.GZIP);
        int told = Integer.parseInt(words.replaceAll("(?s).*behind byte (\\d+) of its text.*", "$1"));
        int text = numbers(0, 100_000).length();
        assertTrue(told > text - (1 << 13) && told < text + numbers(100_000, 110_000).length(), words);
    }

    /** The other codecs keep no checksum. */
    @ParameterizedTest
    @EnumSource(names = {"GZIP", "BZIP2", "ZSTD", "DEFLATE"})
    void aChangedByteIsNoticed(FileCodec codec) throws Exception {
        byte[] packed = pack(codec, numbers(0, 300));
        for (int at = 12; at < packed.length; at += 7) {
            byte[] changed = packed.clone();
            changed[at] ^= 0x10;
            Path path = write("a." + codec.ending(), changed);
            assertTrue(failure(path, codec).startsWith(path + " cannot be unpacked"), "byte " + at);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rubbishBehindItFails(FileCodec codec) throws Exception {
        byte[] packed = pack(codec, numbers(0, 40));
        byte[] longer = Arrays.copyOf(packed, packed.length + 9);
        Arrays.fill(longer, packed.length, longer.length, (byte) 'x');
        Path path = write("a." + codec.ending(), longer);
        String words = assertThrows(IOException.class, () -> read(path)).getMessage();
        assertTrue(words.startsWith(path + " cannot be unpacked as ." + codec.ending()), words);
        assertTrue(words.endsWith("; it is damaged or cut short"), words);
    }

    @ParameterizedTest
    @EnumSource
    void stoppedAnywhereItGoesOnWithTheNextRecord(FileCodec codec) throws Exception {
        write("a." + codec.ending(), pack(codec, numbers(0, 30_000)));
        for (int calls = 0; calls < 5; calls++) {
            try (OperatorHarness source = setup(folder).room(1 << 12, 1).open()) {
                for (int k = 0; k < 3 * calls; k++) {
                    source.produce();
                }
                assertEquals(rows(30_000), source.restart().restart().produceAll().rows(0), "after " + calls);
            }
        }
    }

    @Test
    void theEndingSaysHowAFileIsPacked() {
        assertEquals(FileCodec.GZIP, FileCodec.ofFile("a.csv.GZip"));
        assertEquals(FileCodec.ZSTD, FileCodec.ofFile("a.zstd"));
        assertNull(FileCodec.ofFile("gz"));
        assertNull(FileCodec.ofFile("a.gz.csv"));
    }

    /** Each is read when it has got its name, once, and the source goes on. */
    @Test
    void wholeFilesThatAreRenamedIntoAFollowedFolderAreRead() throws Exception {
        reading = new Reading(Follow.FAIL_ON_TRUNCATE, Replay.AS_FAST_AS_POSSIBLE, false, 1);
        write("a.csv.gz", pack(FileCodec.GZIP, "0\n1\n"));
        try (OperatorHarness source = setup(folder).open()) {
            assertEquals(rows(2), later(source));
            write(".b.csv.zst", pack(FileCodec.ZSTD, "2\n3"));
            assertEquals(rows(2), later(source));
            Files.move(folder.resolve(".b.csv.zst"), folder.resolve("b.csv.zst"));
            assertEquals(rows(4), later(source));
            Files.delete(folder.resolve("a.csv.gz"));
            write("c.csv.bz2", pack(FileCodec.BZIP2, "4\n"));
            assertEquals(rows(5), later(source));
            assertEquals(rows(5), later(source.restart()));
        }
    }

    /** What it has read after the path was looked at twice. */
    private static List<List<Object>> later(OperatorHarness source) throws Exception {
        for (int looks = 0; looks < 2; looks++) {
            source.now += FollowedFiles.LOOK_NANOS;
            for (long next = source.produce(); next <= source.now;) {
                next = source.produce();
            }
        }
        return source.rows(0);
    }
}
