package io.despina.control.spool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.spool.Spool;
import io.despina.spool.SpoolException;
import io.despina.spool.SpoolId;
import io.despina.spool.SpoolRecord;
import io.despina.spool.SpoolRecords;
import io.despina.spool.SpoolState;
import io.despina.spool.Spools;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolClientTest {
    private static final String SECRET = "0123456789abcdef0123";

    @TempDir
    private Path folder;
    private final SpoolId id = new SpoolId(UUID.randomUUID().toString(), 3);
    private final ExecutorService requests = Executors.newCachedThreadPool();
    private Wire resource;
    private Wire reader;
    private Spool spool;
    private SpoolClient client;

    private static Wire wire(String secret) throws IOException {
        return Wire.open(WireOptions.local(secret.getBytes(StandardCharsets.UTF_8), new SegmentPool(new Budget(64 << 20)), 1, 1));
    }

    @BeforeEach
    void open() throws Exception {
        resource = wire(SECRET);
        resource.onControl(connection -> new SpoolServer(connection, requests, none -> null));
        reader = wire(SECRET);
        spool = Spools.open(id, "`alarms`", new Spool.Options(folder, Long.MAX_VALUE, false, false));
        client = new SpoolClient(reader, "127.0.0.1", resource.port(), id);
    }

    @AfterEach
    void close() throws Exception {
        reader.close();
        resource.close();
        requests.shutdownNow();
        Spools.release(id);
    }

    private void append(int rows) throws Exception {
        byte[] record = new byte[SpoolRecord.HEADER_BYTES + rows];
        spool.append(record, record.length, rows);
    }

    @Test
    void rowsArriveAsTheyAreHere() throws Exception {
        append(100);
        append(3_000_000);
        append(7);
        spool.end();
        assertEquals(new SpoolState(0, 3_000_107, 3_000_107, true), client.state());
        try (SpoolRecords records = new SpoolRecords(client, "s", 50)) {
            long rows = 0;
            while (records.next(1_000)) {
                assertEquals(rows, records.first());
                rows += records.rows();
            }
            assertEquals(3_000_107, rows);
            assertTrue(records.isAtEnd());
        }
    }

    @Test
    void itWaitsThereForRowsAndNotForLonger() throws Exception {
        SpoolRecords records = new SpoolRecords(client, "s", 0);
        assertFalse(records.next(1));
        Thread writer = new Thread(() -> {
            try {
                append(5);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        writer.start();
        assertTrue(records.next(60_000));
        writer.join();
    }

    @Test
    void whatIsAskedBesidesReadingIsDoneThere() throws Exception {
        append(10);
        client.cut(4);
        assertEquals(4, spool.state().first());
        assertEquals(10, client.rowBehind(4, 1));
        SpoolException gone = assertThrows(SpoolException.class, () -> client.read(3, 0));
        assertEquals("row 3 of `alarms` is gone: rows before 4 have been committed", gone.getMessage());
        client.fail("the job has failed: why");
        assertEquals("the job has failed: why", assertThrows(SpoolException.class, () -> client.read(10, 60_000)).getMessage());
        client.release();
        spool.awaitRelease();
        assertEquals("the rows are gone: their job has been stopped",
                assertThrows(SpoolException.class, client::state).getMessage());
    }

    @Test
    void aResourceThatGoesIsSaidToBeGone() throws Exception {
        client.state();
        int port = resource.port();
        resource.close();
        IOException gone = assertThrows(IOException.class, () -> {
            while (true) {
                client.state();
            }
        });
        assertTrue(gone.getMessage().startsWith("the resource at 127.0.0.1:" + port + " is gone: "), gone.getMessage());
    }

    @Test
    void whoeverDoesNotKnowTheSecretIsNotLetIn() throws Exception {
        try (Wire stranger = wire("another secret, and long")) {
            assertThrows(IOException.class, () -> new SpoolClient(stranger, "127.0.0.1", resource.port(), id));
        }
    }

    @Test
    void requestsAreReadAsTheyWereWritten() throws Exception {
        for (SpoolRequest.What what : SpoolRequest.What.values()) {
            SpoolRequest request = new SpoolRequest(what, id, 1L << 40, -1, "why ä");
            assertEquals(request, SpoolRequest.decode(request.encode()));
        }
        byte[] unknown = new SpoolRequest(SpoolRequest.What.STATE, id, 0, 0, "").encode();
        unknown[0] = 17;
        assertThrows(IOException.class, () -> SpoolRequest.decode(unknown));
    }
}
