package io.despina.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.ConnectorCase;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeReader;
import io.despina.connect.LakeReader.VersionFiles;
import io.despina.connect.LakeTable.TableFile;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions that are there, that come, and that are gone. Tables of another writer are in tests/e2e/test_delta_source.py. */
class DeltaReaderTest {
    private static final String SCHEMA = "{\"type\":\"struct\",\"fields\":["
            + "{\"name\":\"%s\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}";

    @TempDir
    private Path folder;
    private LakeReader reader;

    @BeforeEach
    void begin() throws IOException {
        append("first");
        append("second");
        reader = reader("N");
    }

    private ConnectorSettings settings(String column) {
        return new ConnectorSettings(Map.of("path", folder.toString(), "schema", SCHEMA.formatted(column)));
    }

    private LakeReader reader(String column) {
        return new DeltaConnector().lake(settings(column));
    }

    private void append(String name) throws IOException {
        DeltaTable table = new DeltaTable(settings("n"), words -> { });
        table.open();
        try (TableFile made = table.create(name)) {
            table.append(null, 0, List.of(made.end(1, List.of())));
        }
    }

    private static List<String> names(VersionFiles of) {
        return of.files().stream().map(each -> Path.of(each.path()).getFileName().toString()).toList();
    }

    private Path log(long version) {
        return folder.resolve("_delta_log/%020d.json".formatted(version));
    }

    private void write(long version, String action) throws IOException {
        Files.writeString(log(version), "{\"commitInfo\":{\"operation\":\"X\"}}\n" + action);
    }

    @Test
    void aVersionHasItsFilesAndWhatComesLaterHasItsOwn() throws IOException {
        assertEquals(1, reader.first());
        assertEquals(List.of("first", "second"), names(reader.all(1)));
        assertEquals(List.of("first"), names(reader.all(0)));
        assertEquals(List.of("n"), reader.all(0).files().get(0).names().load());
        assertNull(reader.added(2));
        append("third");
        VersionFiles third = reader.added(2);
        assertEquals(List.of("third"), names(third));
        assertEquals(folder.resolve("third").toString(), third.files().get(0).path());
        assertEquals(List.of("second"), names(reader("n").added(1)));
    }

    @Test
    void aVersionSaysWhetherItChangesRowsOrOnlyTheirFiles() throws IOException {
        String removed = "{\"remove\":{\"path\":\"first\",\"dataChange\":%s,\"deletionTimestamp\":1}}\n";
        String added = "{\"add\":{\"path\":\"a%%20b\",\"partitionValues\":{},\"size\":1,\"modificationTime\":1,"
                + "\"dataChange\":%s}}";
        write(2, (removed + added).formatted(true, true));
        write(3, (removed + added).formatted(false, false));
        assertTrue(reader.added(2).changes());
        assertEquals(List.of("a b"), names(reader.added(2)));
        assertEquals(new VersionFiles(List.of(), false), reader.added(3));
    }

    @Test
    @ConnectorCase("delta: changed")
    void columnsThatChangeAreLookedAt() throws IOException {
        reader.all(1);
        write(2, """
                {"metaData":{"id":"a","format":{"provider":"parquet","options":{}},"schemaString":"%s","partitionColumns":[],\
                "configuration":{},"createdTime":0}}
                """.formatted(SCHEMA.formatted("m").replace("\"", "\\\"")));
        assertEquals("`path` " + folder + " (version 2) has no column `N`",
                assertThrows(RefusedException.class, () -> reader.added(2)).getMessage());
    }

    @Test
    @ConnectorCase("delta: gone")
    void aVersionWhoseFileIsGoneIsTold() throws IOException {
        reader.first();
        Files.delete(log(0));
        assertTrue(assertThrows(RefusedException.class, () -> reader.added(0)).getMessage().startsWith("`path` " + folder
                + " has version 1, and no longer what version 0 has added, which was to be read next"));
    }
}
