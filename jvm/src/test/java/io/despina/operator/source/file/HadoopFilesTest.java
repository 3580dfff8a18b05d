package io.despina.operator.source.file;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Through Hadoop's viewfs, which is a file system of its own and mounts a folder of this machine. */
class HadoopFilesTest {
    private static final Schema ONE = Schema.of(new Column("n", Simple.INT, true));

    @TempDir
    Path folder;

    private OperatorHarness.Setup setup(String uri, int instance, int of) {
        Map<String, String> options = Map.of("fs.viewfs.mounttable.here.link./data", folder.toUri().toString());
        RecordFormat.Read records = new RecordFormat.Read(FileFormat.CSV, options, ONE, 0, false, Set.of(), "UTC", true);
        FileSourceOptions all = new FileSourceOptions(uri, records,
                new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, false, 1), null, text -> null);
        return OperatorHarness.of(() -> new FileSource(all)).outputs(ONE).instance(instance, of);
    }

    private List<List<Object>> read(String uri) throws Exception {
        try (OperatorHarness source = setup(uri, 0, 1).open()) {
            return source.produceAll().rows(0);
        }
    }

    private void write(String name, String text) throws IOException {
        Files.createDirectories(folder.resolve(name).getParent());
        Files.writeString(folder.resolve(name), text);
    }

    @Test
    void filesFoldersAndGlobsAreRead() throws Exception {
        write("in/b.csv", "3\n");
        write("in/a.csv", "1\n2\n");
        write("in/_hidden.csv", "9\n");
        write("in/below/c.csv", "9\n");
        assertEquals(List.of(row(1), row(2)), read("viewfs://here/data/in/a.csv"));
        assertEquals(List.of(row(1), row(2), row(3)), read("viewfs://here/data/in"));
        assertEquals(List.of(row(3)), read("viewfs://here/data/i*/b*.csv"));
    }

    @Test
    void itGoesOnWhereItWasPackedOrNot() throws Exception {
        write("in/a.csv", "1\n2\n3\n");
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = FileCodec.ZSTD.packer(packed)) {
            out.write("4\n5\n".getBytes(StandardCharsets.UTF_8));
        }
        Files.write(folder.resolve("in/b.csv.zst"), packed.toByteArray());
        List<List<Object>> all = List.of(row(1), row(2), row(3), row(4), row(5));
        for (int calls = 0; calls < 12; calls++) {
            try (OperatorHarness source = setup("viewfs://here/data/in", 0, 1).room(1 << 5, 1).open()) {
                for (int k = 0; k < calls; k++) {
                    source.produce();
                }
                assertEquals(all, source.restart().restart().produceAll().rows(0), "after " + calls);
            }
        }
    }

    @Test
    void instancesShareTheFiles() throws Exception {
        for (int k = 0; k < 8; k++) {
            write("in/" + k + ".csv", k + "\n");
        }
        int read = 0;
        for (int instance = 0; instance < 3; instance++) {
            try (OperatorHarness source = setup("viewfs://here/data/in", instance, 3).open()) {
                read += source.produceAll().rows(0).size();
            }
        }
        assertEquals(8, read);
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        write("in/a.csv", "1\n");
        String glob = "viewfs://here/data/in/*.json";
        assertEquals("no file at " + glob + "; check `path`", failure(glob));
        assertEquals("no file at viewfs://here/data/none; check `path`", failure("viewfs://here/data/none"));
        String words = failure("nosuch://here/a");
        assertTrue(words.startsWith("nosuch://here/a: there is no file system for it: "), words);
        Files.writeString(folder.resolve("in/b.csv.gz"), "no gzip");
        String damaged = failure("viewfs://here/data/in/b.csv.gz");
        assertTrue(damaged.startsWith("viewfs://here/data/in/b.csv.gz cannot be unpacked as .gz"), damaged);
    }

    private String failure(String uri) {
        return assertThrows(IOException.class, () -> read(uri)).getMessage();
    }
}
