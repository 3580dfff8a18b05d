package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NearFileTest {
    @TempDir
    private Path folder;

    @Test
    void theNearestNameOfTheFolderIsMeant() throws IOException {
        Files.createFile(folder.resolve("sensors.csv"));
        Files.createFile(folder.resolve("people.csv"));
        assertEquals("did you mean `sensors.csv`?", NearFile.hint(folder.resolve("sensor.csv")));
        assertEquals("did you mean `people.csv`?", NearFile.hint(folder.resolve("People.CSV")));
        assertNull(NearFile.hint(folder.resolve("orders.json")));
        Files.createSymbolicLink(folder.resolve("link.txt"), folder.resolve("gone"));
        assertNull(NearFile.hint(folder.resolve("link.txt")));
    }

    @Test
    void whereThereIsNoFolderNothingIsMeant() {
        assertNull(NearFile.hint(folder.resolve("no/sensor.csv")));
        assertNull(NearFile.hint(Path.of("/")));
    }
}
