package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.control.assembly.JobOptions;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.control.spool.SpoolClient;
import io.despina.control.visit.JobAddress;
import io.despina.json.Json;
import io.despina.spool.SpoolId;
import io.despina.spool.SpoolRecords;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A program of another process finds a job's rows by the job's address, and by nothing else. */
class DoorsTest {
    private static final long ROWS = 1_000;

    private final Coordinator coordinator = new Coordinator();
    private final List<Wire> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(Wire::close);
        coordinator.close();
    }

    private Wire wire(JobAddress address) throws Exception {
        return wire(address.job(), address.known());
    }

    private Wire wire(String job, String secret) throws Exception {
        Wire wire = Wire.open(WireOptions.local(secret.getBytes(StandardCharsets.UTF_8),
                new SegmentPool(new Budget(64 << 20)), 1, 1), job);
        opened.add(wire);
        return wire;
    }

    /** @return its address, after a trip through the file */
    private JobAddress spooled(String generation) throws Exception {
        JobOptions options = JobOptions.parse("{}", System::currentTimeMillis)
                .with(new Spooling(List.of("sink"), generation, false, true, null, Long.MAX_VALUE, false, false));
        String job = coordinator.run(new Submission(JobGraphs.relay(ROWS), "relay", options)).get("job").asText();
        return JobAddress.parse(Json.text(coordinator.address(job).json()));
    }

    @Test
    void theRowsOfASinkAreFoundAndReadThere() throws Exception {
        String generation = UUID.randomUUID().toString();
        JobAddress address = spooled(generation);
        Wire wire = wire(address);
        ProgramMessage.Located found = address.locate(wire, ProgramMessage.Located.OUT, "");
        assertEquals("sink", found.operator());
        assertEquals(generation + ".sink", found.generation());
        assertEquals("sequence BIGINT NOT NULL, due TIMESTAMP NOT NULL, payload BINARY NOT NULL", found.schema());
        assertEquals(List.of(address.host() + ":" + address.port()), found.instances());
        SpoolClient rows = new SpoolClient(wire, address.host(), address.port(), new SpoolId(found.generation(), 0));
        try (SpoolRecords records = new SpoolRecords(rows, "sink", 0)) {
            long read = 0;
            while (read < ROWS) {
                assertTrue(records.next(10_000));
                read += records.rows();
            }
            assertEquals(ROWS, read);
        }
    }

    @Test
    void whatIsNotThereIsToldWithWhatIs() throws Exception {
        JobAddress address = spooled(UUID.randomUUID().toString());
        assertRefused("job relay-1 serves no rows of `sinc`", "did you mean `sink`?", address, ProgramMessage.Located.OUT,
                "sinc");
        assertRefused("job relay-1 serves no rows of `source`",
                "start it with `despina run … --spool source`, or so with `despina submit`", address,
                ProgramMessage.Located.OUT, "source");
        assertRefused("job relay-1 takes no rows", "programs give rows to a spark_source, and its graph has none", address,
                ProgramMessage.Located.IN, "");
    }

    @Test
    void whoKnowsTheSecretOfAJobReachesNoOther() throws Exception {
        JobAddress one = spooled(UUID.randomUUID().toString());
        JobAddress other = spooled(UUID.randomUUID().toString());
        assertEquals(one.port(), other.port());
        assertNotEquals(one.known(), other.known());
        Wire wire = wire(one);
        assertEquals("there is no job relay-2 any more", assertThrows(Refusal.class,
                () -> other.locate(wire, ProgramMessage.Located.OUT, "sink")).getMessage());
        assertEquals("there is no job relay-2 any more",
                assertThrows(Refusal.class, () -> other.direct(wire, "now", "")).getMessage());
        Wire impostor = wire(other.job(), one.known());
        assertTrue(assertThrows(Refusal.class, () -> other.locate(impostor, ProgramMessage.Located.OUT, "sink")).getMessage()
                .endsWith("it does not know this job's secret"));
        assertEquals("sink", one.locate(wire, ProgramMessage.Located.OUT, "sink").operator());
        assertEquals("sink", other.locate(wire(other), ProgramMessage.Located.OUT, "sink").operator());
    }

    private void assertRefused(String message, String hint, JobAddress address, String way, String operator)
            throws Exception {
        Wire wire = wire(address);
        Refusal why = assertThrows(Refusal.class, () -> address.locate(wire, way, operator));
        assertEquals(message + " / " + hint, why.getMessage() + " / " + why.hint());
    }

    @Test
    void whoDoesNotKnowTheSecretIsToldNothing() throws Exception {
        JobAddress address = spooled(UUID.randomUUID().toString());
        Wire stranger = wire(address.job(), "not the secret of that job");
        Refusal why = assertThrows(Refusal.class, () -> address.locate(stranger, ProgramMessage.Located.OUT, "sink"));
        assertTrue(why.getMessage().contains("secret"), why.getMessage());
    }

    @Test
    void aSecretThatTheCoordinatorWasGivenIsNotInTheAddress() {
        JobAddress named = new JobAddress("h", 1, "j", null, "/etc/secret", "/etc/tls");
        assertEquals("{\"host\":\"h\",\"port\":1,\"job\":\"j\",\"secret_file\":\"/etc/secret\",\"tls\":\"/etc/tls\"}",
                Json.text(named.json()));
        assertNotNull(assertThrows(Refusal.class, () -> JobAddress.parse("{\"host\": \"h\"}")).hint());
    }
}
