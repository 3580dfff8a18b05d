package io.despina.iceberg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.connect.RefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.io.InputFile;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Util;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Footers as another may have written them. */
class FooterTest {
    @TempDir
    Path folder;

    /** @param levels columns that are each within the one before */
    private InputFile file(int levels) throws IOException {
        List<SchemaElement> schema = new ArrayList<>();
        for (int k = 0; k < levels; k++) {
            schema.add(new SchemaElement("c" + k).setNum_children(k < levels - 1 ? 1 : 0));
        }
        ByteArrayOutputStream footer = new ByteArrayOutputStream();
        Util.writeFileMetaData(new FileMetaData(1, schema, 0, List.of()), footer);
        byte[] mark = "PAR1".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer bytes = ByteBuffer.allocate(mark.length + footer.size() + Integer.BYTES + mark.length)
                .order(ByteOrder.LITTLE_ENDIAN).put(mark).put(footer.toByteArray()).putInt(footer.size()).put(mark);
        Path path = folder.resolve("deep.parquet");
        Files.write(path, bytes.array());
        return org.apache.iceberg.Files.localInput(path.toFile());
    }

    @Test
    void columnsWithinColumnsAreFound() throws IOException {
        Footer.Node node = Footer.read(file(100));
        int depth = 1;
        while (!node.children().isEmpty()) {
            node = node.children().get(0);
            depth++;
        }
        assertEquals(100, depth);
    }

    @Test
    void whatIsDeeperThanAnyTableIsRefused() {
        RefusedException why = assertThrows(RefusedException.class, () -> Footer.read(file(200_000)));
        assertEquals(folder.resolve("deep.parquet") + " is no parquet file, or is damaged", why.getMessage());
    }
}
