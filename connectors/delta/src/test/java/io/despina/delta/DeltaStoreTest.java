package io.despina.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.ConnectorCase;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeReader;
import io.despina.connect.LakeTable.DataFile;
import io.despina.connect.LakeTable.TableFile;
import io.despina.connect.LostException;
import io.despina.connect.Marker;
import io.despina.connect.RefusedException;
import io.despina.snapshot.ObjectFiles;
import io.despina.snapshot.ObjectFiles.Condition;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table in a store of objects, whose own files are made on conditions. */
class DeltaStoreTest {
    private static final String SCHEMA = "{\"type\":\"struct\",\"fields\":["
            + "{\"name\":\"n\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}";
    private static final String BOX = "box";

    @TempDir
    private Path folder;
    private int names;

    @AfterEach
    void alone() {
        ObjectFiles.are(Condition.KEPT, file -> { });
    }

    private ConnectorSettings settings() {
        return new ConnectorSettings(Map.of("path", ObjectFiles.ADDRESS + folder, "schema", SCHEMA));
    }

    private DeltaTable table() throws IOException {
        DeltaTable table = new DeltaTable(settings(), words -> { });
        table.open();
        return table;
    }

    private List<DataFile> file(DeltaTable table) throws IOException {
        try (TableFile made = table.create("part-" + names++)) {
            made.out().write(new byte[7]);
            return List.of(made.end(1, List.of()));
        }
    }

    private String version(long number) throws IOException {
        return Files.readString(folder.resolve("_delta_log").resolve(TableFolder.commit(number)));
    }

    @Test
    void epochsAreVersionsAndTheirFilesAreFound() throws IOException {
        DeltaTable table = table();
        table.append(BOX, 1, file(table));
        table.append(BOX, 2, file(table));
        assertEquals(Marker.THERE, table.marker(BOX, 2));
        assertTrue(version(1).contains("\"size\":7"));
        LakeReader reader = new DeltaConnector().lake(settings());
        assertEquals(List.of(ObjectFiles.ADDRESS + folder + "/part-0", ObjectFiles.ADDRESS + folder + "/part-1"),
                reader.all(reader.first()).files().stream().map(LakeReader.VersionFile::path).toList());
        assertEquals(1, reader.added(1).files().size());
        try (TableFile dropped = table.create("dropped")) {
            dropped.out().write(1);
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertFalse(left.anyMatch(each -> each.endsWith("dropped")));
        }
    }

    @Test
    @ConnectorCase("delta: others")
    void anotherWriterThatComesBetweenKeepsItsVersion() throws IOException {
        DeltaTable table = table();
        DeltaTable other = table();
        List<DataFile> own = file(table);
        List<DataFile> others = file(other);
        ObjectFiles.are(Condition.KEPT, file -> {
            if (file.getName().equals(TableFolder.commit(0))) {
                ObjectFiles.are(Condition.KEPT, again -> { });
                other.append(null, 0, others);
            }
        });
        table.append(BOX, 1, own);
        assertTrue(version(0).contains("part-1") && version(1).contains("part-0"));
    }

    @Test
    @ConnectorCase("delta: refused")
    void aStoreThatIgnoresConditionsIsFoundOutBeforeTheFirstVersion() throws IOException {
        ObjectFiles.are(Condition.IGNORED, file -> { });
        DeltaTable table = table();
        List<DataFile> files = file(table);
        assertTrue(assertThrows(RefusedException.class, () -> table.append(BOX, 1, files)).getMessage()
                .contains("it ignores If-None-Match"));
        try (Stream<Path> left = Files.list(folder.resolve("_delta_log"))) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    @ConnectorCase("delta: refused")
    void aStoreThatLetsNobodyInIsNotWaitedFor() throws IOException {
        DeltaTable table = table();
        List<DataFile> files = file(table);
        ObjectFiles.are(Condition.KEPT, file -> {
            throw new AccessDeniedException(file.toString(), null, "403");
        });
        assertTrue(assertThrows(RefusedException.class, () -> table.append(BOX, 1, files)).getMessage().contains("403"));
        ObjectFiles.are(Condition.KEPT, file -> {
            throw new AccessControlException("Permission denied: user=guest");
        });
        assertTrue(assertThrows(RefusedException.class, () -> table.append(BOX, 1, files)).getMessage().contains("user=guest"));
        ObjectFiles.are(Condition.KEPT, file -> {
            throw new IOException("503");
        });
        assertTrue(assertThrows(LostException.class, () -> table.append(BOX, 1, files)).getMessage().endsWith("503"));
    }

    @Test
    @ConnectorCase("delta: killed, absent")
    void aVersionThatAStoreCouldNotTakeIsMadeWhenItIsBack() throws IOException {
        DeltaTable table = table();
        table.append(BOX, 1, file(table));
        List<DataFile> second = file(table);
        ObjectFiles.are(Condition.KEPT, file -> {
            throw new ConnectException("Connection refused");
        });
        assertThrows(LostException.class, () -> table.append(BOX, 2, second));
        ObjectFiles.are(Condition.KEPT, file -> { });
        assertEquals(Marker.ABSENT, table.marker(BOX, 2));
        table.append(BOX, 2, second);
        assertEquals(Marker.THERE, table.marker(BOX, 2));
        assertTrue(version(1).contains("part-1"));
        assertFalse(Files.exists(folder.resolve("_delta_log").resolve(TableFolder.commit(2))));
    }

    @Test
    @ConnectorCase("delta: refused")
    void aStoreOfWhichNothingIsKnownIsRefusedAndRead() throws IOException {
        DeltaTable table = table();
        table.append(BOX, 1, file(table));
        ObjectFiles.are(Condition.UNKNOWN, file -> { });
        assertTrue(assertThrows(RefusedException.class, this::table).getMessage().contains("both might get the same version"));
        LakeReader reader = new DeltaConnector().lake(settings());
        assertEquals(1, reader.all(0).files().size());
    }
}
