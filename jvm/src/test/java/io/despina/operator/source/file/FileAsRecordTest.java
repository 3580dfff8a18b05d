package io.despina.operator.source.file;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.OperatorHarness;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are a record each. */
class FileAsRecordTest {
    private static final Schema BYTES = Schema.of(new Column("value", Simple.BINARY, true));

    @TempDir
    Path folder;

    private OperatorHarness open() throws Exception {
        FileSourceOptions all = new FileSourceOptions(folder.toString(), new RecordFormat.Read(FileFormat.RAW, Map.of(), BYTES, 0,
                false, Set.of(), "UTC", true), new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, false, 1), null, text -> null);
        return OperatorHarness.of(() -> new FileSource(all)).outputs(BYTES).skippingBadRecords().room(1 << 12, 1).open();
    }

    @Test
    void eachFileIsARowAndIsReadOnce() throws Exception {
        byte[] large = new byte[10_000];
        Files.write(folder.resolve("a"), large);
        Files.write(folder.resolve("b"), new byte[0]);
        Files.write(folder.resolve("c.gz"), new byte[] {1});
        List<List<Object>> rows = List.of(row(ByteBuffer.wrap(large)), row(ByteBuffer.wrap(new byte[] {1})));
        for (int calls = 0; calls < 4; calls++) {
            try (OperatorHarness source = open()) {
                for (int k = 0; k < calls; k++) {
                    source.produce();
                }
                assertEquals(rows, source.restart().produceAll().rows(0), "after " + calls);
            }
        }
    }

    @Test
    void oneThatIsTooLongIsBadAlone() throws Exception {
        Files.write(folder.resolve("a"), new byte[LineBlocks.MAX_LINE_BYTES + 1]);
        Files.write(folder.resolve("b"), new byte[] {1});
        try (OperatorHarness source = open()) {
            assertEquals(List.of(row(ByteBuffer.wrap(new byte[] {1}))), source.produceAll().rows(0));
            assertEquals(List.of(folder.resolve("a") + ": the file has more than 16777216 bytes: "), source.badRecords);
        }
    }
}
