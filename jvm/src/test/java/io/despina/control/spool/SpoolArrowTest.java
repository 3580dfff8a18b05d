package io.despina.control.spool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.descriptor.Ddl;
import io.despina.expr.Expressions;
import io.despina.operator.Rows;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.spool.FileSpool;
import io.despina.spool.Spool;
import io.despina.spool.SpoolException;
import io.despina.spool.SpoolRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolArrowTest {
    private static final int RECORDS = 30;
    private static final int ROWS = 1_000;

    @TempDir
    private Path folder;
    private Schema schema;
    private Spool spool;

    @BeforeEach
    void open() throws Exception {
        schema = Ddl.parse("n INT, text STRING");
        spool = new FileSpool("`alarms`", new Spool.Options(folder, Long.MAX_VALUE, false, false));
        for (int k = 0; k < RECORDS; k++) {
            int first = k * ROWS;
            byte[] packets = Rows.encode(schema, IntStream.range(first, first + ROWS).mapToObj(n -> row(n)).toList());
            byte[] record = new byte[SpoolRecord.HEADER_BYTES + packets.length];
            System.arraycopy(packets, 0, record, SpoolRecord.HEADER_BYTES, packets.length);
            spool.append(record, record.length, ROWS);
        }
    }

    @AfterEach
    void close() throws Exception {
        spool.release();
    }

    private static List<Object> row(int n) {
        return Rows.row(n, n % 3 == 0 ? null : "x".repeat(n % 100));
    }

    private List<List<Object>> decoded(byte[] stream) {
        PacketWriter writer = Rows.growing(schema);
        Expressions.arrowPackets(schema).read(stream, writer);
        return Rows.decode(schema, writer.bytes(), 0, writer.position());
    }

    @Test
    void rowsOfARangeComeInSlicesWhereverItBeginsAndEnds() throws Exception {
        int begin = ROWS + 7;
        int end = RECORDS * ROWS - 5;
        List<List<Object>> all = new ArrayList<>();
        int slices = 0;
        try (SpoolArrow arrow = new SpoolArrow(spool, schema, begin)) {
            while (arrow.next() < end) {
                all.addAll(decoded(arrow.take(end)));
                slices++;
            }
        }
        assertEquals(IntStream.range(begin, end).mapToObj(SpoolArrowTest::row).toList(), all);
        assertTrue(slices > 1, "more than a megabyte comes at once");
    }

    @Test
    void rowsThatHaveNotComeOrAreGoneAreRefused() throws Exception {
        try (SpoolArrow arrow = new SpoolArrow(spool, schema, RECORDS * ROWS)) {
            assertEquals("row 30000 of `alarms` has not come yet",
                    assertThrows(SpoolException.class, () -> arrow.take(RECORDS * ROWS + 1)).getMessage());
        }
        spool.cut(10);
        try (SpoolArrow arrow = new SpoolArrow(spool, schema, 3)) {
            assertEquals("row 3 of `alarms` is gone: rows before 10 have been committed",
                    assertThrows(SpoolException.class, () -> arrow.take(5)).getMessage());
        }
    }
}
